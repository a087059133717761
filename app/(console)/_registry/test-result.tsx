// What a connection test found, step by step.
import type { ConnectionTest, TestStep } from '#lib/management/index.ts';
import { say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { Callout, Pill } from '../_ui/pieces.tsx';

const STATES = toSay({
  ok: { tone: 'good', word: 'works' },
  warning: { tone: 'waiting', word: 'look at it' },
  broken: { tone: 'refused', word: 'fails' },
  skipped: { tone: 'neutral', word: 'not tested' },
});

const WHOLE = toSay({
  ok: { tone: 'good', text: 'It works, as far as this can be tested.' },
  warning: { tone: 'waiting', text: 'It works so far, and something should be looked at.' },
  broken: { tone: 'refused', text: 'It does not work yet. What to change is below.' },
});

export function TestResult({ state, steps }: ConnectionTest) {
  const { tone, text } = WHOLE[state];
  return (
    <>
      <div role="status">
        <Callout tone={tone}>
          <p>{say(text)}</p>
        </Callout>
      </div>
      <ol className="list" aria-label={say('Steps')}>
        {steps.map((step) => (
          <Step key={step.check.text} {...step} />
        ))}
      </ol>
    </>
  );
}

function Step({ check, state, sent, answered, tookMs, found, change }: TestStep) {
  const { tone, word } = STATES[state];
  return (
    <li className="row">
      <div className="row-text">
        <p className="row-title">
          <span>{say(check.text, check.values)}</span>
          <Pill tone={tone}>{say(word)}</Pill>
        </p>
        <p className={state === 'broken' ? 'explanation' : undefined}>{say(found.text, found.values)}</p>
        {change && <p>{say(change.text, change.values)}</p>}
        {(sent || answered || tookMs !== null) && (
          <p className="soft">
            {sent && (
              <span>
                {say('Sent:')} <code dir="ltr">{sent}</code>{' '}
              </span>
            )}
            {answered && (
              <span>
                {say('Came back:')} <code dir="ltr">{answered}</code>{' '}
              </span>
            )}
            {tookMs !== null && <span>{say('{tookMs} ms', { tookMs })}</span>}
          </p>
        )}
      </div>
    </li>
  );
}
