// What an event changed, in words for each field.
import type { ReactNode } from 'react';
import { Say, say } from '#app/(console)/_texts/say.tsx';
import { type Line, linesOf } from './difference.ts';
import { sayField, wordsOfField } from './field-words.ts';

type Values = Readonly<Record<string, unknown>>;
const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export type FieldChange = {
  name: string;
  label: string;
  lines: Line[];
  /** why there are no lines */
  untold: string | null;
  /** the object was made then: what it began with */
  isNew: boolean;
};

type Of = { event: string; details: Values };

/** Empty for an event that changed nothing. Of something new there is what it began with. */
export function changesIn({ event, details: { before, after, changed, leftOut } }: Of): FieldChange[] {
  const [old, fresh] = [isValues(before) ? before : {}, isValues(after) ? after : {}];
  const isNew = !isValues(before);
  const [named, long] = [namesIn(changed), new Set(namesIn(leftOut))];
  const names = [...new Set([...named, ...Object.keys(old), ...Object.keys(fresh), ...long])];
  return names.flatMap((name) => {
    const words = wordsOfField(event, name);
    const isKept = name in old || name in fresh;
    const lines = isKept ? linesOf({ name, ...words }, old[name] ?? null, fresh[name] ?? null) : [];
    // what something new has not is no line of it
    if (isNew && isKept && (lines.length === 0 || fresh[name] === false)) return [];
    // a change that cannot be seen is one of an order, which the log does not keep
    const shown: Line[] = isKept && lines.length === 0 ? [{ kind: 'order' }] : lines;
    return [{ name, label: sayField(words), lines: shown, untold: untold(isKept, long.has(name)), isNew }];
  });
}

const namesIn = (list: unknown): string[] => (Array.isArray(list) ? list.map(String) : []);

function untold(isKept: boolean, isLong: boolean): string | null {
  if (isKept) return null;
  return isLong
    ? say('Changed. The values are too long for the log.')
    : say('Changed. The log keeps no value of it.');
}

/** In a list of events a long value is cut off. */
const CUT = 160;

type ChangesProps = { changes: readonly FieldChange[]; isWhole?: boolean };

export function Changes({ changes, isWhole = false }: ChangesProps) {
  if (changes.length === 0) return null;
  return (
    <dl className="facts-table changes">
      {changes.map(({ name, label, lines, untold: why, isNew }) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd>
            {why}
            {lines.map((line) => (
              <ChangedLine key={JSON.stringify(line)} line={line} {...{ isWhole, isNew }} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

type LineProps = { line: Line; isWhole: boolean; isNew: boolean };

function ChangedLine({ line, isWhole, isNew }: LineProps) {
  if (line.kind === 'order') return <p>{say('in another order')}</p>;
  const { of, was, is } = line;
  const value = (text: string) => (isWhole ? text : cut(text));
  const old = was === null ? null : <del>{value(was)}</del>;
  const fresh = is === null ? null : <ins>{value(is)}</ins>;
  const change = isNew ? fresh : <Change old={old} fresh={fresh} />;
  return (
    <p>{of === null ? change : <Say text="{part}: {change}" values={{ part: <bdi>{of}</bdi>, change }} />}</p>
  );
}

function Change({ old, fresh }: { old: ReactNode; fresh: ReactNode }) {
  if (old === null) return <Say text="added {value}" values={{ value: fresh }} />;
  if (fresh === null) return <Say text="removed {value}" values={{ value: old }} />;
  return <Say text="{was} → {is}" values={{ was: old, is: fresh }} />;
}

function cut(text: string): string {
  const letters = Array.from(text);
  return letters.length > CUT ? `${letters.slice(0, CUT - 1).join('')}…` : text;
}
