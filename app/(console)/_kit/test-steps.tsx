// Result of a connection test by step, already translated, for server and browser components.

type Tone = 'good' | 'waiting' | 'refused' | 'neutral';

export type SaidTest = {
  tone: Exclude<Tone, 'neutral'>;
  text: string;
  /** name of the list */
  label: string;
  steps: {
    check: string;
    tone: Tone;
    state: string;
    found: string;
    change: string | null;
    facts: { name: string; code?: string }[];
  }[];
};

export function TestSteps({ test: { tone, text, label, steps } }: { test: SaidTest }) {
  return (
    <>
      <div role="status" className={`callout ${tone}`} id="found" tabIndex={-1}>
        <p>{text}</p>
      </div>
      <ol className="list" aria-label={label}>
        {steps.map((step) => (
          <Step key={step.check} {...step} />
        ))}
      </ol>
    </>
  );
}

function Step({ check, tone, state, found, change, facts }: SaidTest['steps'][number]) {
  return (
    <li className="row">
      <div className="row-text">
        <p className="row-title">
          <span>{check}</span>
          <span className={`pill ${tone}`}>{state}</span>
        </p>
        <p className={tone === 'refused' ? 'explanation' : undefined}>{found}</p>
        {change && <p>{change}</p>}
        {facts.length > 0 && (
          <p className="soft">
            {facts.map(({ name, code }) => (
              <span key={name}>
                {name} {code !== undefined && <code dir="ltr">{code}</code>}{' '}
              </span>
            ))}
          </p>
        )}
      </div>
    </li>
  );
}
