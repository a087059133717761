import { Say, say } from '#app/(console)/_texts/say.tsx';
import type { AuditEntry } from '#lib/management/index.ts';

/** What an event says beside what it changed. */
export function factsOf({ details, requestId, ip }: AuditEntry): [name: string, value: string][] {
  const { changed: _, leftOut: __, before, after, ...rest } = details;
  // of a moment, not of a change
  const moments = typeof before === 'string' ? { before } : {};
  return [
    ...Object.entries({ ...rest, ...moments }).map(([name, value]): [string, string] => [name, shown(value)]),
    ...(requestId ? [[say('request id'), requestId] as [string, string]] : []),
    ...(ip ? [[say('address'), ip] as [string, string]] : []),
  ];
}

export function EventFacts({ facts }: { facts: readonly (readonly [string, string])[] }) {
  return (
    <dl className="facts-table">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The same in a list, where it is opened. */
export function EventDetails({ row }: { row: AuditEntry }) {
  const facts = factsOf(row);
  if (facts.length === 0) return null;
  return (
    <details className="request">
      <summary>
        <Say
          text="Details {of}"
          values={{ of: <span className="unseen">{say('of {event}', { event: row.event })}</span> }}
        />
      </summary>
      <EventFacts facts={facts} />
    </details>
  );
}

function shown(value: unknown): string {
  if (value === null || value === '') return say('nothing');
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    return value.length === 0 ? say('none') : value.join(', ');
  }
  return JSON.stringify(value);
}
