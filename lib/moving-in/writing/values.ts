// Values of a source as the files of an import have them, each with its row in the report.
import { claimName } from '#lib/registry/fields/claims.ts';
import { readHash } from '../people/hash-text.ts';
import type { PersonLine } from '../people/person-line.ts';
import type { Part } from '../reading/part.ts';

/** The hash that is made of `key`; undefined: there is none, or it cannot come along. */
export function passwordOf(part: Part, key: string, hash: string | undefined): { hash: string } | undefined {
  if (hash === undefined) return undefined;
  const read = readHash(hash);
  if (read.form === 'refused') {
    part.leaveOut(key, `the password cannot come along: ${read.because}`);
    return undefined;
  }
  if (read.form === 'fast')
    part.say('changed', key, `${read.kind} is a fast hash: people import wraps it in argon2id`);
  else if (read.hash !== hash) part.say('changed', key, 'the hash is written in another form');
  return { hash: read.hash };
}

/** A time, of a text or of the seconds or milliseconds since 1970. */
export function momentOf(part: Part, key: string): string | undefined {
  const text = part.text(key);
  if (text === undefined) return undefined;
  const number = /^\d{9,14}$/.test(text) ? Number(text) : null;
  const written = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/.test(text)
    ? `${text.replace(' ', 'T')}`
    : text;
  const isLocal = written !== text || /T[\d:.]+$/.test(written);
  const date =
    number === null
      ? new Date(isLocal ? `${written}Z` : written)
      : new Date(number < 1e11 ? number * 1000 : number);
  const isKnown = number !== null || /^\d{4}-\d\d-\d\d/.test(text);
  if (isKnown && !Number.isNaN(date.getTime())) return date.toISOString();
  part.leaveOut(key, 'is no time');
  return undefined;
}

/** As an id of the registry: small letters, digits and hyphens. Null: nothing is left. */
export function idOfName(name: string): string | null {
  const id = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63)
    .replace(/-+$/, '');
  return id === '' || ['new', 'callback', 'token', 'management'].includes(id) ? null : id;
}

/** Some keys of a part, as they are. */
export function someOf(part: Part, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => part.has(key)).map((key) => [key, part.value(key)]));
}

type Claims = NonNullable<PersonLine['claims']>;

/** Every member of a part as a claim, but those whose names mean something in tokens. */
export function claimsOf(part: Part): Claims {
  const claims: Claims = {};
  for (const name of part.keys()) {
    if (claimName.safeParse(name).success) claims[name] = part.value(name) as Claims[string];
    else part.leaveOut(name, `no claim may be called ${name}`);
  }
  return claims;
}

/** Of claims, given_name and family_name of a person without an identity. */
export const UNKEPT = 'claims are kept with an identity, and this person has none here';
