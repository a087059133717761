import type { ReactNode } from 'react';
import { Say, say } from '#app/(console)/_texts/say.tsx';
import type { AuditEntry } from '#lib/management/audit/audit.ts';

/** What an event says beside what it changed. */
export function factsOf({ details, requestId, ip }: AuditEntry): [name: ReactNode, value: string][] {
  const { changed: _, leftOut: __, before, after, ...rest } = details;
  // of a moment, not of a change
  const moments = typeof before === 'string' ? { before } : {};
  return [
    ...Object.entries({ ...rest, ...moments }).map(([name, value]): [ReactNode, string] => [
      <code key={name}>{name}</code>,
      shown(value),
    ]),
    ...(requestId ? [[say('request id'), requestId] as [ReactNode, string]] : []),
    ...(ip ? [[say('address'), ip] as [ReactNode, string]] : []),
  ];
}

export function EventFacts({ facts }: { facts: readonly (readonly [ReactNode, string])[] }) {
  return (
    <dl className="facts-table">
      {facts.map(([name, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: facts of one event, in their order
        <div key={at}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
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
