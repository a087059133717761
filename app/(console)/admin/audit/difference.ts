// What changed in a field, in lines for a reader: what came, what went, and what became what.
import { isDeepStrictEqual } from 'node:util';
import { inWords } from '#app/_components/duration.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { type FieldWords, wordsOfPart } from './field-words.ts';

/** `of`: the part of the value that it is about. `was` null: it is new; `is` null: it is gone. */
export type Line =
  | { kind: 'values'; of: string | null; was: string | null; is: string | null }
  | { kind: 'order' };

type Values = Readonly<Record<string, unknown>>;
const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isValues(value) && Object.keys(value).length === 0);

type Field = FieldWords & { name: string };

/** Empty where both are the same but for an order that the log does not keep. */
export function linesOf(field: Field, was: unknown, is: unknown): Line[] {
  if (isDeepStrictEqual(was, is)) return [];
  const [old, fresh] = [isNothing(was) ? null : was, isNothing(is) ? null : is];
  if (old === null && fresh === null) return [];
  const isList = (value: unknown) => value === null || Array.isArray(value);
  if (isList(old) && isList(fresh)) return linesOfLists(field, listOf(old), listOf(fresh));
  const [oldKeys, freshKeys] = [keysIn(old), keysIn(fresh)];
  if (oldKeys || freshKeys) return linesOfLists(field, oldKeys ?? [], freshKeys ?? []);
  if (isValues(old) || isValues(fresh)) return linesOfParts(field, partsOf(old), partsOf(fresh));
  // a choice that was not made has words, too
  const isNone = (value: unknown) => value === null && !Object.hasOwn(field.choices ?? {}, '');
  const value = (one: unknown) => (isNone(one) ? null : told(field, one ?? ''));
  return [line(null, value(old), value(fresh))];
}

const line = (of: string | null, was: string | null, is: string | null): Line => ({
  kind: 'values',
  of,
  was,
  is,
});

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Of a JWK Set. */
const keysIn = (value: unknown): unknown[] | null =>
  isValues(value) && Array.isArray(value['keys']) ? value['keys'] : null;

/** A text without a language beside one with several has no part. */
const partsOf = (value: unknown): Values => (isValues(value) ? value : value === null ? {} : { '': value });

function linesOfLists(field: Field, old: unknown[], fresh: unknown[]): Line[] {
  const byName = (list: unknown[]) => new Map(list.map((one) => [nameOf(field, one), one]));
  const [before, after] = [byName(old), byName(fresh)];
  const lines = [
    ...[...after].flatMap(([name, one]) => (before.has(name) ? [] : [line(null, null, whole(name, one))])),
    ...[...before].flatMap(([name, one]) => (after.has(name) ? [] : [line(null, whole(name, one), null)])),
    ...[...after].flatMap(([name, one]) => {
      const known = before.get(name);
      if (!isValues(known) || !isValues(one) || isDeepStrictEqual(known, one)) return [];
      return linesOfParts(field, known, one, name);
    }),
  ];
  return lines.length === 0 ? [{ kind: 'order' }] : lines;
}

function nameOf(field: Field, one: unknown): string {
  if (!isValues(one)) return told(field, one);
  const name = one['name'] ?? one['kid'];
  return typeof name === 'string' ? name : JSON.stringify(one);
}

const whole = (name: string, one: unknown): string => {
  const description = isValues(one) ? one['description'] : undefined;
  return isNothing(description) ? name : `${name} (${plain(description)})`;
};

function linesOfParts(field: Field, old: Values, fresh: Values, within: string | null = null): Line[] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  return names.flatMap((name) => {
    const [was, is] = [old[name] ?? null, fresh[name] ?? null];
    if (isDeepStrictEqual(was, is)) return [];
    const known = wordsOfPart(name);
    const part = [within, known === null ? name : say(known)].filter(Boolean).join(', ');
    const value = (one: unknown) =>
      isNothing(one) ? null : isPicture(name) ? pictureName(one) : told(field, one);
    return [line(part || null, value(was), value(is))];
  });
}

/** The address of a stored logo is a long hash. */
const isPicture = (part: string) => part === 'logo';
const pictureName = (one: unknown) => String(one).replace(/^(\/logo\/.{8}).*/, '$1…');

function told({ name, choices = {} }: Field, value: unknown): string {
  if (typeof value === 'boolean') return value ? say('yes') : say('no');
  const chosen = new Map(Object.entries(choices)).get(String(value));
  if (chosen) return say(chosen.label);
  if (typeof value === 'number' && name.endsWith('Seconds')) return inWords(value);
  if (typeof value === 'number' && name.endsWith('_ms')) return `${value} ms`;
  return plain(value);
}

/** Of texts by language, and of lists within a value. */
function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(', ');
  if (!isValues(value)) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${plain(one)}`)
    .join('; ');
}
