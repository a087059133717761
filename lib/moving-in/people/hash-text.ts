// Hashes of passwords that other services made: in which form each is kept, which are wrapped in argon2id since they
// are fast, and which cannot come along. Dear ones are refused: checking them would be a way to stop the service.
import { LAYOUTS } from './hash-layouts.ts';

/**
 * `kept`: stored as it is, in one form for each kind. `fast`: never stored as it is; argon2id of the old digest is,
 * with its scheme and salt beside it.
 */
export type ReadHash =
  | { form: 'kept' | 'fast'; kind: HashKind; hash: string }
  | { form: 'refused'; because: string };
export type HashKind = keyof typeof FORMS;

type Form = {
  pattern: RegExp;
  fast?: true;
  /** what is wrong with this one; null: nothing */
  dear?: (match: RegExpExecArray) => string | null;
};

const MAX_BCRYPT_COST = 14;
const MAX_ROUNDS = 2_000_000;
/** Of those that are checked on the main thread, where each guess holds up all others. */
const MAX_ROUNDS_OF_FAST = 100_000;
const MAX_KIB = 262_144;
/** Of all passes over the memory together. */
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

/** One text for each kind, as it is stored or handed on. */
const FORMS = {
  bcrypt: { pattern: whole(BCRYPT), dear: bcryptFault },
  // of the SHA-256 in hexadecimal, as Meteor makes it
  'bcrypt-sha256hex': { pattern: whole(String.raw`\$bcrypt-sha256hex`, BCRYPT), dear: bcryptFault },
  // of the password and a pepper, which follows the hash in base64url
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
  // Django's oldest
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

/** Those that look like one of ours, and why they are none. */
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
  const known = NEVER.find(([pattern]) => pattern.test(text))?.[1];
  return { form: 'refused', because: known ?? 'no kind of hash that is known here, or not a whole one' };
}

/** The name of a hash and its cost: those with the same take the same time. */
export const costOfHash = (hash: string): string =>
  /^\$(?:(?:wp|bcrypt-[a-z0-9]+)\$)?(?:2[aby]\$\d+|[a-z0-9-]+\$(?:v=\d+\$)?(?:[a-z0-9]+=\d+[,$]?)*)|^\{[A-Z0-9]+\}/.exec(
    hash,
  )?.[0] ?? '';

/** Several programs write the same hash in ways of their own. */
function inOneForm(text: string): string {
  return LAYOUTS.reduce((so, layout) => layout(so) ?? so, text);
}
