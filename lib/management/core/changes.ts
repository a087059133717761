// An edit: the changed object, and the difference for the audit log.
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { ClientValues } from '#lib/registry/clients/client.ts';
import type { Unchecked } from '#lib/registry/fields/definition.ts';
import { flatText, withFlatTexts } from '#lib/registry/texts/own-texts.ts';

type Values = Record<string, unknown>;
/** `changed`: the names of the fields that differ */
type Changes = { changed: string[]; before: Values; after: Values };

/** The object's fields that the definition names, with those of the change in their place. Unchecked. */
export function withChange(definition: z.ZodObject, old: object, change: object): Unchecked {
  const before = old as Values;
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const kept = Object.keys(definition.shape).map((name) => [name, before[name]]);
  return Object.fromEntries([...kept, ...given]);
}

/** The order of texts by language counts: the first is used for languages without a text. */
const WITH_TEXTS = ['name', 'description', 'scopes'];

const isSame = (key: string, a: unknown, b: unknown): boolean =>
  isDeepStrictEqual(a, b) && (!WITH_TEXTS.includes(key) || JSON.stringify(a) === JSON.stringify(b));

/**
 * Compares the fields of `fresh`, or `keys` where fields may appear and disappear. Each text of a page or mail is a
 * field of its own: together they would be too long for the log.
 */
export function changesOf(old: object, fresh: object, keys: Iterable<string> = Object.keys(fresh)): Changes {
  const [before, after] = [withFlatTexts(old as Values), withFlatTexts(fresh as Values)];
  const named = [...keys].flatMap((key) => (key === 'texts' ? textsIn({ ...before, ...after }) : [key]));
  const changed = named.filter((key) => !isSame(key, before[key], after[key]));
  const pick = (values: Values) => Object.fromEntries(changed.map((key) => [key, values[key] ?? null]));
  return { changed, before: pick(before), after: pick(after) };
}

const textsIn = (fields: Values) => Object.keys(fields).filter((name) => flatText(name) !== null);

type Identity = Pick<ClientValues, 'name' | 'redirectUris'>;

/**
 * Is it another client than the one that people allowed something: under another name, or with another address for
 * codes?
 */
export const changesIdentity = (before: Identity, after: Identity): boolean =>
  !isSame('name', before.name, after.name) ||
  after.redirectUris.some((uri) => !before.redirectUris.includes(uri));
