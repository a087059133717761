// Lines of people.jsonl and tokens.jsonl, and the formats of their password hashes.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { groupId } from '#lib/catalogue/groups/definition.ts';
import { findUnstorable } from '#lib/kit/text.ts';
import { claimName } from '#lib/registry/claims.ts';
import { issueInWords } from '#lib/registry/definition.ts';
import {
  authMethodId,
  clientId,
  emailAddress,
  personName,
  registryId,
  scopeName,
} from '#lib/registry/values.ts';
import { ROLES, usernameText } from './definition.ts';
import { PROFILE_KEYS, profileOfLine } from './profile.ts';

// Converts other notations of hashes to the format of people.password_hash. Returns `null` if the notation is
// unknown.

type Layout = (text: string) => string | null;

const bare = (base64: string) =>
  base64
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '');
const encodeBytes = (bytes: Uint8Array) => bare(Buffer.from(bytes).toString('base64'));

/** Converts `{CRYPT}$6$…`, the notation of crypt(3) hashes in directories. */
const inBraces: Layout = (text) => /^\{(?:CRYPT|ARGON2|BCRYPT)\}(\$.+)$/i.exec(text)?.[1] ?? null;

/**
 * Django writes the kind in front of a hash that already contains it. It hashes the hexadecimal SHA-256 of the
 * password, like Meteor.
 */
const namedTwice: Layout = (text) => {
  const [, name, hash] = /^(bcrypt|bcrypt_sha256|argon2)\$(\$2.+|argon2.+)$/.exec(text) ?? [];
  if (hash === undefined) return null;
  return { bcrypt: hash, bcrypt_sha256: `$bcrypt-sha256hex${hash}`, argon2: `$${hash}` }[name ?? ''] ?? null;
};

/** Keycloak writes base64 with padding, PHC without it. */
const removePadding: Layout = (text) =>
  /^\$(?:argon2|pbkdf2-sha\d+\$i=|scrypt|firescrypt)[^\s]*=(?:\$|$)/.test(text)
    ? text.replaceAll(/={1,2}(?=\$|$)/g, '')
    : null;

/**
 * Kratos writes N itself as `ln`, although PHC requires the logarithm of N. A value up to 30 is treated as a
 * logarithm.
 */
const scryptOfKratos: Layout = (text) => {
  const match = /^\$scrypt\$ln=(\d{1,10}),(.+)$/.exec(text);
  const n = Number(match?.[1]);
  const logarithm = Math.log2(n);
  return n > 30 && Number.isInteger(logarithm) ? `$scrypt$ln=${logarithm},${bare(match?.[2] ?? '')}` : null;
};

/** `$pbkdf2-sha256$29000$salt$key`, with `.` instead of `+`. The form for SHA-1 omits the name of the hash. */
const passlib: Layout = (text) => {
  const match = /^\$pbkdf2(?:-sha(256|512))?\$(\d{1,10})\$([A-Za-z0-9./]+)\$([A-Za-z0-9./]+)$/.exec(text);
  if (!match) return null;
  const [, bits = '1', rounds, salt = '', key = ''] = match;
  return `$pbkdf2-sha${bits}$i=${rounds}$${salt.replaceAll('.', '+')}$${key.replaceAll('.', '+')}`;
};

/** `$pbkdf2-sha256$i=25000,l=32$salt$key`: notation of Hydra and Kratos, with the length of the key. */
const pbkdf2OfOry: Layout = (text) => {
  const [, before, length, rest] = /^(\$pbkdf2-sha\d+\$i=\d+),l=(\d{1,4})(\$.+)$/.exec(text) ?? [];
  if (before === undefined || rest === undefined) return null;
  const key = Buffer.from(rest.slice(rest.lastIndexOf('$') + 1), 'base64');
  return key.length === Number(length) ? before + rest : null;
};

/** Converts `pbkdf2_sha256$600000$salt$key`, whose salt is text. */
const django: Layout = (text) => {
  const match = /^pbkdf2_sha(1|256|512)\$(\d{1,10})\$([^$]+)\$([A-Za-z0-9+/]+={0,2})$/.exec(text);
  if (!match) return null;
  const [, bits, rounds, salt = '', key = ''] = match;
  return `$pbkdf2-sha${bits}$i=${rounds}$${encodeBytes(Buffer.from(salt, 'utf8'))}$${bare(key)}`;
};

/** Converts `scrypt$salt$16384$8$1$key`, whose salt is text. */
const scryptOfDjango: Layout = (text) => {
  const match = /^scrypt\$([^$]+)\$(\d{1,10})\$(\d{1,4})\$(\d{1,4})\$([A-Za-z0-9+/]+={0,2})$/.exec(text);
  if (!match) return null;
  const [, salt, n, r, p, key = ''] = match;
  return `$scrypt$ln=${Math.log2(Number(n))},r=${r},p=${p}$${encodeBytes(Buffer.from(salt ?? '', 'utf8'))}$${bare(key)}`;
};

/**
 * `{PBKDF2-SHA256}29000$salt$key`, as passlib writes it for OpenLDAP. The form for SHA-1 omits the name of the hash.
 */
const pbkdf2OfLdap: Layout = (text) => {
  const [, bits, rest] = /^\{PBKDF2(-SHA(?:256|512))?(?:-SHA1)?\}(\d.+)$/i.exec(text) ?? [];
  return rest === undefined ? null : `$pbkdf2${(bits ?? '').toLowerCase()}$${rest}`;
};

/** The command line of Firebase writes hashes in the URL-safe alphabet of base64. */
const firescrypt: Layout = (text) =>
  /^\$firescrypt\$.*[-_]/.test(text) ? text.replaceAll('-', '+').replaceAll('_', '/') : null;

const PRF = ['1', '256', '512'];

/** ASP.NET Core Identity: version 3 contains its parameters, version 2 has fixed parameters. */
const aspNet: Layout = (text) => {
  if (!/^A[A-Za-z0-9+/]{60,}={0,2}$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  if (bytes[0] === 0 && bytes.length === 49)
    return `$pbkdf2-sha1$i=1000$${encodeBytes(bytes.subarray(1, 17))}$${encodeBytes(bytes.subarray(17))}`;
  if (bytes[0] !== 1 || bytes.length < 13) return null;
  const [prf, rounds, length] = [1, 5, 9].map((at) => bytes.readUInt32BE(at)) as [number, number, number];
  const bits = PRF[prf];
  if (bits === undefined || bytes.length < 13 + length + 16) return null;
  const salt = bytes.subarray(13, 13 + length);
  return `$pbkdf2-sha${bits}$i=${rounds}$${encodeBytes(salt)}$${encodeBytes(bytes.subarray(13 + length))}`;
};

const LAYOUTS: readonly Layout[] = [
  inBraces,
  namedTwice,
  removePadding,
  firescrypt,
  scryptOfKratos,
  scryptOfDjango,
  pbkdf2OfLdap,
  pbkdf2OfOry,
  passlib,
  django,
  aspNet,
];

// Password hashes of other services: the format in which they are stored, fast hashes that are wrapped in argon2id,
// and hashes that are not supported. An expensive hash is rejected, because verifying it would permit denial of
// service.

/**
 * `kept`: stored unchanged, in one format per kind. `fast`: stored only as argon2id of the old digest, with its
 * scheme and salt.
 */
export type ReadHash =
  | { form: 'kept' | 'fast'; kind: HashKind; hash: string }
  | { form: 'refused'; because: string };
type HashKind = keyof typeof FORMS;

type Form = {
  pattern: RegExp;
  fast?: true;
  /** the reason why the hash is rejected as too expensive; `null`: it is accepted */
  dear?: (match: RegExpExecArray) => string | null;
};

const MAX_BCRYPT_COST = 14;
const MAX_ROUNDS = 2_000_000;
/** Limit for hashes that the main thread verifies, where each guess blocks all requests. */
const MAX_ROUNDS_OF_FAST = 100_000;
const MAX_KIB = 262_144;
/** Limit for the memory of all passes together. */
const MAX_PASSED_KIB = 4_194_304;

const BCRYPT = String.raw`\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}`;
const BASE64 = '[A-Za-z0-9+/]';
const SALT_AND_KEY = String.raw`\$(${BASE64}{0,344})\$(${BASE64}{16,344})`;
const CRYPT_ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const whole = (...parts: string[]) => new RegExp(`^${parts.join('')}$`);
const number = (text: string | undefined) => Number(text ?? 0);

function bcryptFault(match: RegExpExecArray): string | null {
  const cost = number(match[1]);
  if (cost < 4 || cost > 31) return `there is no bcrypt of cost ${cost}`;
  return cost > MAX_BCRYPT_COST ? `bcrypt of cost ${cost} is too dear: at most ${MAX_BCRYPT_COST}` : null;
}

function roundsFault(rounds: number, most = MAX_ROUNDS): string | null {
  if (rounds < 1) return 'it has no rounds';
  return rounds > most ? `${rounds} rounds are too dear: at most ${most}` : null;
}

function memoryFault(kib: number, passes: number): string | null {
  if (!(kib > 0 && passes > 0)) return 'it has no cost';
  if (kib > MAX_KIB) return `${Math.ceil(kib / 1024)} MiB of memory are too dear: at most ${MAX_KIB / 1024}`;
  return kib * passes > MAX_PASSED_KIB ? `${passes} passes over its memory are too dear` : null;
}

const argonFault = ([, , version, kib, time, lanes]: RegExpExecArray) =>
  version !== '19' && version !== '16'
    ? `there is no argon2 of version ${version}`
    : number(lanes) > 64 || number(kib) < 8 * number(lanes)
      ? 'it has too many lanes'
      : memoryFault(number(kib), number(time));
const scryptFault = ([, ln, r, p]: RegExpExecArray) =>
  number(ln) > 24 ? 'it is too dear' : memoryFault((2 ** number(ln) * number(r)) / 8, number(p));
const powerFault = ([, letter]: RegExpExecArray) =>
  roundsFault(2 ** CRYPT_ALPHABET.indexOf(letter ?? ''), MAX_ROUNDS_OF_FAST);

/** The stored format of each kind. */
const FORMS = {
  bcrypt: { pattern: whole(BCRYPT), dear: bcryptFault },
  // bcrypt of the hexadecimal SHA-256, as in Meteor
  'bcrypt-sha256hex': { pattern: whole(String.raw`\$bcrypt-sha256hex`, BCRYPT), dear: bcryptFault },
  // bcrypt of the password with a pepper appended; the pepper follows the hash in base64url
  'bcrypt-pepper': {
    pattern: whole(String.raw`\$bcrypt-pepper`, BCRYPT, String.raw`\$[\w-]{1,1400}`),
    dear: bcryptFault,
  },
  wordpress: { pattern: whole(String.raw`\$wp`, BCRYPT), dear: bcryptFault },
  argon2: {
    pattern: whole(
      String.raw`\$argon2(id|i)\$v=(\d{1,3})\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,8})`,
      SALT_AND_KEY,
    ),
    dear: argonFault,
  },
  pbkdf2: {
    pattern: whole(String.raw`\$pbkdf2-sha(?:1|256|512)\$i=(\d{1,10})`, SALT_AND_KEY),
    dear: ([, rounds]) => roundsFault(number(rounds)),
  },
  scrypt: {
    pattern: whole(String.raw`\$scrypt\$ln=(\d{1,2}),r=(\d{1,4}),p=(\d{1,4})`, SALT_AND_KEY),
    dear: scryptFault,
  },
  firescrypt: {
    pattern: whole(
      String.raw`\$firescrypt\$ln=(\d{1,2}),r=(\d{1,4}),p=(1)`,
      SALT_AND_KEY,
      String.raw`\$(${BASE64}{0,64})\$(${BASE64}{22,344})`,
    ),
    dear: scryptFault,
  },
  ldap: { pattern: /^\{S?(?:SHA|SHA256|SHA384|SHA512|MD5)\}[A-Za-z0-9+/]{22,344}={0,2}$/, fast: true },
  // oldest format of Django
  'salted-digest': { pattern: /^(?:md5\$[^$]*\$[0-9a-f]{32}|sha1\$[^$]*\$[0-9a-f]{40})$/, fast: true },
  'md5-crypt': { pattern: /^\$(?:1|apr1)\$[./A-Za-z0-9]{0,8}\$[./A-Za-z0-9]{22}$/, fast: true },
  'sha-crypt': {
    pattern:
      /^\$(?:5\$(?:rounds=(\d{1,9})\$)?[^$\s]{0,16}\$[./A-Za-z0-9]{43}|6\$(?:rounds=(\d{1,9})\$)?[^$\s]{0,16}\$[./A-Za-z0-9]{86})$/,
    fast: true,
    dear: ([, short, long]) => roundsFault(number(short ?? long ?? '5000'), MAX_ROUNDS_OF_FAST),
  },
  phpass: { pattern: /^\$[PH]\$([./A-Za-z0-9])[./A-Za-z0-9]{30}$/, fast: true, dear: powerFault },
  drupal: { pattern: /^\$S\$([./A-Za-z0-9])[./A-Za-z0-9]{51}$/, fast: true, dear: powerFault },
} as const satisfies Record<string, Form>;

/** Hashes that look similar but are not supported, with the reason. */
const NEVER: [RegExp, string][] = [
  [/^\$2x\$/, 'bcrypt of the kind 2x was made by a faulty program, and cannot be checked'],
  [/^\$(?:y|gy|7)\$/, 'yescrypt is not known here'],
  [/^\$argon2d\$/, 'argon2d is not taken, only argon2id and argon2i'],
  [/^\{/, 'its scheme is not known here'],
];

export function readHash(text: string): ReadHash {
  const hash = inOneForm(text);
  for (const [kind, form] of Object.entries<Form>(FORMS)) {
    const match = form.pattern.exec(hash);
    if (!match) continue;
    const because = form.dear?.(match) ?? null;
    if (because !== null) return { form: 'refused', because };
    return { form: form.fast ? 'fast' : 'kept', kind: kind as HashKind, hash };
  }
  const reason = NEVER.find(([pattern]) => pattern.test(text))?.[1];
  return { form: 'refused', because: reason ?? 'no kind of hash that is known here, or not a whole one' };
}

/** Name and cost of the hash. Verifying takes the same time for hashes with the same name and cost. */
export const costOfHash = (hash: string): string =>
  /^\$(?:(?:wp|bcrypt-[a-z0-9]+)\$)?(?:2[aby]\$\d+|[a-z0-9-]+\$(?:v=\d+\$)?(?:[a-z0-9]+=\d+[,$]?)*)|^\{[A-Z0-9]+\}/.exec(
    hash,
  )?.[0] ?? '';

/** Normalizes the notations of different programs for the same hash. */
function inOneForm(text: string): string {
  return LAYOUTS.reduce((so, layout) => layout(so) ?? so, text);
}

/** Schema that also accepts `null` or a missing member. */
const maybe = <Value extends z.ZodType>(value: Value) =>
  value.nullish().transform((lineValue) => lineValue ?? undefined);
const flag = maybe(z.boolean('must be true or false'));
const lineMoment = z.iso
  .datetime({ offset: true, error: 'must be a time, such as 2026-11-25T08:30:00Z' })
  .transform((text) => new Date(text));
const many = <Item extends z.ZodType>(most: number, item: Item) =>
  z
    .array(item, 'must be a list')
    .max(most, `must not be more than ${most}`)
    .nullish()
    .transform((items) => items ?? []);

const uuid = z.guid('must be a UUID').transform((id) => id.toLowerCase());
/** Subject identifier at the previous service, which tokens will contain. */
const lineSubject = z
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

/** `subject`: the provider's identifier of the person. */
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

const personShape = z.strictObject({
  id: maybe(uuid),
  subject: maybe(lineSubject),
  email: maybe(emailAddress),
  email_verified: flag,
  username: maybe(usernameText),
  name: maybe(personName),
  given_name: maybe(personName),
  family_name: maybe(personName),
  ...profileOfLine,
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
/** A line of people.jsonl before it is parsed. */
export type PersonLine = z.input<typeof personShape>;

type Read = z.output<typeof personShape>;
/** A line after it was parsed and checked. */
export type ImportedPerson = Read & { id: string };

type Reference = [what: 'id' | 'subject' | 'user name', name: string];

/** Names of a user. They share one namespace and are compared without case, as in the table `people_names`. */
export const referencesOf = ({ id, subject, username }: ImportedPerson): Reference[] => [
  ['id', id],
  ...(subject === undefined ? [] : [['subject', subject.toLowerCase()] satisfies Reference]),
  ...(username === undefined ? [] : [['user name', username] satisfies Reference]),
];

/** Returns a name of the user that does not change, so that later imports recognize the line. */
function nameOf({ subject, email, username, identities: [first] }: Read): string | null {
  const named = first && `identity:${first.auth_method}:${first.subject}`;
  if (subject) return `subject:${subject}`;
  if (email) return `email:${email}`;
  return username ? `username:${username}` : (named ?? null);
}

/** A UUID that is computed from a text (RFC 9562 §5.8). */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(`gatehouse people.jsonl ${text}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const knownPerson = personShape.transform((read, context): ImportedPerson => {
  const name = nameOf(read);
  if (name === null && read.id === undefined)
    context.addIssue({ code: 'custom', message: 'must have an id, subject, email, username or identity' });
  return { ...read, id: read.id ?? uuidOf(name ?? '') };
});

/**
 * Parses a line. Invalid optional members are dropped (`lost`). Other faults are listed with their path:
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

/** Optional members, without which a person can be imported. */
const LESS = ['name', 'given_name', 'family_name', ...PROFILE_KEYS, 'created_at'] as const;

/** Drops invalid optional members. Text that cannot be stored is reported with the user. */
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

/**
 * Removes the optional member with the first fault, and describes it. `null`: every fault is in a required member.
 */
function takeOut(left: PersonLine, faults: readonly string[]): string | null {
  for (const key of LESS) {
    const fault =
      left[key] == null ? undefined : faults.find((candidate) => candidate.startsWith(`${key} must`));
    if (fault === undefined) continue;
    delete left[key];
    return fault;
  }
  const claims = left.claims ?? {};
  const size = (name: string) => Buffer.byteLength(JSON.stringify(claims[name] ?? null));
  const names = Object.keys(claims);
  const wrong = names.find((name) => faults.some((message) => message.startsWith(`claims.${name} `)));
  if (wrong !== undefined) {
    delete claims[wrong];
    return faults.find((message) => message.startsWith(`claims.${wrong} `)) ?? null;
  }
  const largest = names.toSorted((claimKey, other) => size(other) - size(claimKey))[0];
  if (largest !== undefined && faults.some((message) => message.startsWith('claims must not have more'))) {
    const bytes = size(largest);
    delete claims[largest];
    return `claims.${largest} has ${bytes} bytes: all claims together have at most ${MAX_CLAIM_BYTES}`;
  }
  const consent = faults
    .map((message) => /^consents\[(\d+)\]/.exec(message)?.[1])
    .find((position) => position !== undefined);
  if (consent === undefined || !Array.isArray(left.consents)) return null;
  left.consents.splice(Number(consent), 1);
  return faults.find((message) => message.startsWith(`consents[${consent}]`)) ?? null;
}

function checkPerson(value: unknown): { person: ImportedPerson } | { faults: string[] } {
  const unstorable = findUnstorable(value);
  if (unstorable) return { faults: [`${pathText(unstorable.path ?? [])} ${unstorable.message}`.trim()] };
  const parseResult = knownPerson.safeParse(value, { reportInput: true });
  if (parseResult.success) return { person: parseResult.data };
  return {
    faults: parseResult.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => `${pathText([...issue.path, key])} is not a key of a person`)
        : [`${pathText(issue.path)} ${issueInWords(issue)}`.trim()],
    ),
  };
}

/** the path as text: identities[0].subject */
const pathText = (path: readonly PropertyKey[]) =>
  path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${String(part)}`))
    .join('');

// A line of tokens.jsonl: a refresh token of another service that its client still uses.

const tokenShape = z
  .strictObject({
    token: z.string('must be a string').min(16, 'must have 16 characters or more').max(8192).optional(),
    sha256: z
      .string('must be a string')
      .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
      .optional(),
    client_id: clientId,
    api: registryId,
    auth_method: authMethodId,
    subject: lineSubject,
    scopes: z.array(scopeName, 'must be a list').max(500, 'must not be more than 500'),
    auth_time: lineMoment.nullish().transform((moment) => moment ?? null),
    expires_at: lineMoment,
  })
  .refine(({ token, sha256 }) => (token === undefined) !== (sha256 === undefined), {
    error: 'must have either token or sha256',
  });
/** A line of tokens.jsonl before it is parsed. */
export type TokenLine = z.input<typeof tokenShape>;
/** The parsed line, with only the SHA-256 digest of the token. */
export type ImportedToken = Omit<z.output<typeof tokenShape>, 'token'> & { sha256: string };

/** Parses a line, or lists its faults without the token. */
export function readTokenLine(text: string): { token: ImportedToken } | { faults: string[] } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { faults: ['is not JSON'] };
  }
  const parseResult = tokenShape.safeParse(value, { reportInput: true });
  if (!parseResult.success)
    return {
      faults: parseResult.error.issues.map((issue) =>
        `${issue.path.join('.')} ${issueInWords(issue)}`.trim(),
      ),
    };
  const { token, sha256, ...rest } = parseResult.data;
  return {
    token: {
      ...rest,
      sha256:
        sha256 ??
        createHash('sha256')
          .update(token ?? '')
          .digest('hex'),
    },
  };
}
