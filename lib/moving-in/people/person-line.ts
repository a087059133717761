// One line of people.jsonl: a person who comes along, in the words of the file. A line without an id gets one that is
// made of what it names, so that the same line is the same person each time.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { findUnstorable } from '#lib/kit/text/storable.ts';
import { claimName } from '#lib/registry/fields/claims.ts';
import { issueInWords } from '#lib/registry/fields/definition.ts';
import { profileChoices } from '#lib/registry/fields/profile.ts';
import {
  authMethodId,
  clientId,
  emailAddress,
  personName,
  registryId,
  scopeName,
} from '#lib/registry/fields/values.ts';
import { groupId } from '#lib/registry/objects/group.ts';
import { ROLES, usernameText } from '#lib/registry/objects/person.ts';
import { readHash } from './hash-text.ts';

/** Nothing, written as null or left out. */
const maybe = <Value extends z.ZodType>(value: Value) =>
  value.nullish().transform((given) => given ?? undefined);
const flag = maybe(z.boolean('must be true or false'));
export const lineMoment = z.iso
  .datetime({ offset: true, error: 'must be a time, such as 2026-11-25T08:30:00Z' })
  .transform((text) => new Date(text));
const many = <Item extends z.ZodType>(most: number, item: Item) =>
  z
    .array(item, 'must be a list')
    .max(most, `must not be more than ${most}`)
    .nullish()
    .transform((given) => given ?? []);

const uuid = z.guid('must be a UUID').transform((id) => id.toLowerCase());
/** What tokens name a person by, who had it at another service. */
export const lineSubject = z
  .string('must be a string')
  .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters');
const password = z.strictObject({
  hash: z.string('must be a string').transform((text, context) => {
    const read = readHash(text);
    if (read.form !== 'refused') return read;
    context.addIssue({ code: 'custom', message: `cannot come along: ${read.because}` });
    return z.NEVER;
  }),
});

/** `subject`: what the provider names the person by. */
const identity = z.strictObject({
  auth_method: authMethodId,
  subject: z.string('must be a string').min(1, 'must not be empty').max(2000),
  email: maybe(emailAddress),
  name: maybe(personName),
});

const only = <Value extends string | number>(value: Value) =>
  z.literal(value, `must be ${value}`).default(value);
const totp = z.strictObject({
  secret: z.string().regex(/^[A-Z2-7]{16,200}$/, 'must be base32 in capitals, without padding'),
  algorithm: only('SHA1'),
  digits: only(6),
  period: only(30),
});

const consent = z.strictObject({
  client_id: clientId,
  api: registryId,
  scopes: many(500, scopeName),
  given_at: maybe(lineMoment),
});

const MAX_CLAIM_BYTES = 16_384;
const claims = z
  .record(claimName, z.json())
  .refine((all) => Buffer.byteLength(JSON.stringify(all)) <= MAX_CLAIM_BYTES, {
    error: `must not have more than ${MAX_CLAIM_BYTES} bytes`,
  });

const line = z.strictObject({
  id: maybe(uuid),
  subject: maybe(lineSubject),
  email: maybe(emailAddress),
  email_verified: flag,
  username: maybe(usernameText),
  name: maybe(personName),
  given_name: maybe(personName),
  family_name: maybe(personName),
  locale: profileChoices.shape.locale,
  zoneinfo: profileChoices.shape.zoneinfo,
  picture: profileChoices.shape.picture,
  disabled: flag,
  created_at: maybe(lineMoment),
  password: maybe(password),
  must_change_password: flag,
  roles: many(ROLES.length, z.enum(ROLES, `must be ${ROLES.join(', ')}`)),
  groups: many(200, groupId),
  claims: maybe(claims),
  identities: many(50, identity),
  totp: maybe(totp),
  consents: many(1000, consent),
});
/** As it is written. */
export type PersonLine = z.input<typeof line>;

type Read = z.output<typeof line>;
/** As it was read and checked. */
export type ImportedPerson = Read & { id: string };

type Reference = [what: 'id' | 'subject' | 'user name', name: string];

/** What a person may be called by: one namespace in any case of letters, as `people_names` has it. */
export const referencesOf = ({ id, subject, username }: ImportedPerson): Reference[] => [
  ['id', id],
  ...(subject === undefined ? [] : [['subject', subject.toLowerCase()] satisfies Reference]),
  ...(username === undefined ? [] : [['user name', username] satisfies Reference]),
];

/** By what the same line is known the next time. */
function nameOf({ subject, email, username, identities: [first] }: Read): string | null {
  const named = first && `identity:${first.auth_method}:${first.subject}`;
  if (subject) return `subject:${subject}`;
  if (email) return `email:${email}`;
  return username ? `username:${username}` : (named ?? null);
}

/** A UUID of a text (RFC 9562 §5.8). */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(`gatehouse people.jsonl ${text}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const known = line.transform((read, context): ImportedPerson => {
  const name = nameOf(read);
  if (name === null && read.id === undefined)
    context.addIssue({ code: 'custom', message: 'must have an id, subject, email, username or identity' });
  return { ...read, id: read.id ?? uuidOf(name ?? '') };
});

/**
 * The text of a line, without optional parts that are wrong (`lost`), or each thing that is wrong with it, by its path:
 * `identities[0].subject must not be empty`.
 */
export function readPersonLine(
  text: string,
): { person: ImportedPerson; lost: string[] } | { faults: string[] } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { faults: ['is not JSON'] };
  }
  const { checked, lost } = withoutWrongs(value as PersonLine);
  return 'person' in checked ? { ...checked, lost } : checked;
}

/** What a person can do without. */
const LESS = ['name', 'given_name', 'family_name', 'locale', 'zoneinfo', 'picture', 'created_at'] as const;

/** Without optional parts that are wrong; a text that no database can hold is told with the person. */
export function withoutWrongs(line: PersonLine) {
  const left = typeof line === 'object' && line !== null ? structuredClone(line) : line;
  const lost: string[] = [];
  for (;;) {
    const text = JSON.stringify(left);
    const checked = checkPerson(JSON.parse(text));
    const fault = 'faults' in checked ? takeOut(left, checked.faults) : null;
    if (fault === null) return { text, checked, lost };
    lost.push(fault);
  }
}

/** Takes the part of one fault out of the line, and says what it was; null: a person cannot do without it. */
function takeOut(left: PersonLine, faults: readonly string[]): string | null {
  for (const key of LESS) {
    const fault = left[key] == null ? undefined : faults.find((one) => one.startsWith(`${key} must`));
    if (fault === undefined) continue;
    delete left[key];
    return fault;
  }
  const claims = left.claims ?? {};
  const size = (name: string) => Buffer.byteLength(JSON.stringify(claims[name] ?? null));
  const names = Object.keys(claims);
  const wrong = names.find((name) => faults.some((one) => one.startsWith(`claims.${name} `)));
  if (wrong !== undefined) {
    delete claims[wrong];
    return faults.find((one) => one.startsWith(`claims.${wrong} `)) ?? null;
  }
  const largest = names.toSorted((one, other) => size(other) - size(one))[0];
  if (largest !== undefined && faults.some((one) => one.startsWith('claims must not have more'))) {
    const bytes = size(largest);
    delete claims[largest];
    return `claims.${largest} has ${bytes} bytes: all claims together have at most ${MAX_CLAIM_BYTES}`;
  }
  const consent = faults.map((one) => /^consents\[(\d+)\]/.exec(one)?.[1]).find((one) => one !== undefined);
  if (consent === undefined || !Array.isArray(left.consents)) return null;
  left.consents.splice(Number(consent), 1);
  return faults.find((one) => one.startsWith(`consents[${consent}]`)) ?? null;
}

function checkPerson(value: unknown): { person: ImportedPerson } | { faults: string[] } {
  const unstorable = findUnstorable(value);
  if (unstorable) return { faults: [`${pathText(unstorable.path ?? [])} ${unstorable.message}`.trim()] };
  const parsed = known.safeParse(value, { reportInput: true });
  if (parsed.success) return { person: parsed.data };
  return {
    faults: parsed.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => `${pathText([...issue.path, key])} is not a key of a person`)
        : [`${pathText(issue.path)} ${issueInWords(issue)}`.trim()],
    ),
  };
}

/** identities[0].subject */
const pathText = (path: readonly PropertyKey[]) =>
  path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${String(part)}`))
    .join('');
