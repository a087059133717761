import { Say, say } from '#app/(console)/_texts/say.tsx';
import type { AuditEntry } from '#lib/management/index.ts';

type Values = Record<string, unknown>;
const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An event's details: changes with the value before and after, then the other facts. */
export function EventDetails({ row }: { row: AuditEntry }) {
  const { before, after, changed, ...rest } = row.details;
  const facts: [string, string][] = [
    ...Object.entries(rest).map(([name, value]): [string, string] => [name, shown(value)]),
    ...(row.requestId ? [[say('request id'), row.requestId] as [string, string]] : []),
    ...(row.ip ? [[say('address'), row.ip] as [string, string]] : []),
  ];
  const changes = changesOf(before, after, changed);
  if (facts.length === 0 && changes.length === 0) return null;
  return (
    <details className="request">
      <summary>
        <Say
          text="Details {of}"
          values={{ of: <span className="unseen">{say('of {event}', { event: row.event })}</span> }}
        />
      </summary>
      <dl className="facts-table">
        {changes.map(({ name, was, is }) => (
          <div key={`changed ${name}`}>
            <dt>{name}</dt>
            <dd>
              {was !== null && <del>{was}</del>} {is !== null && <ins>{is}</ins>}
            </dd>
          </div>
        ))}
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

type Change = { name: string; was: string | null; is: string | null };

function changesOf(before: unknown, after: unknown, changed: unknown): Change[] {
  if (before === undefined && after === undefined) {
    return Array.isArray(changed) ? [{ name: say('changed'), was: null, is: shown(changed) }] : [];
  }
  if (!isValues(before) && !isValues(after))
    return [{ name: say('changed'), was: text(before), is: text(after) }];
  const [old, fresh] = [isValues(before) ? before : {}, isValues(after) ? after : {}];
  const listed = Array.isArray(changed) ? changed.map(String) : [];
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh), ...listed])];
  return names
    .map((name) => ({ name, was: text(old[name]), is: text(fresh[name]) }))
    .filter(({ was, is }) => was !== is || (was === null && is === null));
}

const text = (value: unknown) => (value === undefined ? null : shown(value));

function shown(value: unknown): string {
  if (value === null || value === '') return say('nothing');
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) {
    return value.length === 0 ? say('none') : value.join(', ');
  }
  return JSON.stringify(value);
}
