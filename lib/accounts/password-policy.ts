// Rules for a new password: its length, no password that others use, and no word that belongs to this person or this
// service. No rule asks for signs of several kinds (NIST SP 800-63B-4 §3.1.1.2).

import { createHash } from 'node:crypto';
import { recordEvent } from '#lib/audit/audit-log.ts';
import type { AuditEvent } from '#lib/audit/events.ts';
import { networkOf, TooManyAttempts, underLimits } from '#lib/auth-methods/attempts.ts';
import { type HashRequest, hashPassword } from '#lib/kit/password-hash.ts';
import { readTypedPassword, type TypedPassword } from '#lib/kit/typed-password.ts';
import type { Message } from '#lib/language/message.ts';
import { wordsOf } from '#lib/language/words.ts';
import type { From } from '#lib/mail/mail.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch, withBreaker } from '#lib/outbound/fetch.ts';
import type { Fault } from '#lib/registry/definition.ts';
import { settings } from '#lib/settings/settings.ts';
import { attemptLimit, callerLimits } from '#lib/store/hot/limits.ts';

// Passwords that are tried first: a list that comes with the service, and, where the operator names one, a service that
// knows more (NIST SP 800-63B-4 §3.1.1.2). Used when a person chooses a password, never when they sign in.

const PATIENCE_MS = 2_000;

let list: Promise<Buffer> | undefined;

/** 72 KB, loaded only in a process where a person chooses a password. */
async function loadList(): Promise<Buffer> {
  const { PREFIXES } = await import('./known-passwords-list.ts');
  return Buffer.from(PREFIXES, 'base64');
}

/** Case-insensitive. False-positive rate: 1 in 240,000. */
export async function isKnownPassword(password: string): Promise<boolean> {
  list ??= loadList();
  const prefixes = await list;
  const wanted = createHash('sha256')
    .update(password.normalize('NFKC').toLowerCase())
    .digest()
    .readUInt32BE();
  let [from, to] = [0, prefixes.length / 4];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const found = prefixes.readUInt32BE(middle * 4);
    if (found === wanted) return true;
    if (found < wanted) from = middle + 1;
    else to = middle;
  }
  return false;
}

/**
 * Does the service of PASSWORD_RANGE_URL know it? It is told the first five of the forty digits of the password's
 * SHA-1, and gives the rest of all that begin so (the protocol of Have I Been Pwned). Null: it did not answer. False
 * where none is named.
 */
async function isBreached(password: TypedPassword): Promise<boolean | null> {
  const { passwordRangeUrl, local } = settings();
  if (passwordRangeUrl === null) return false;
  const digest = createHash('sha1').update(password).digest('hex').toUpperCase();
  try {
    const answer = await withBreaker(`password range ${passwordRangeUrl}`, () =>
      outboundFetch({ allowPrivateNetwork: local, timeoutMs: PATIENCE_MS })(
        `${passwordRangeUrl}${digest.slice(0, 5)}`,
        // made-up lines hide from the network how many there are; their count is 0
        { headers: { 'add-padding': 'true' } },
      ),
    );
    if (answer.status !== 200) return null;
    const lines = (await answer.text()).split(/\r?\n/).map((line) => line.split(':'));
    return lines.some(([rest, count]) => rest?.toUpperCase() === digest.slice(5) && Number(count) > 0);
  } catch (error) {
    if (error instanceof OutboundFailed) return null;
    throw error;
  }
}

const PRODUCT = 'Gatehouse';

/** Whose password it is to be. */
export type PasswordOwner = { email: string | null; name: string };

type By = Pick<AuditEvent, 'actor' | 'requestId' | 'ip'>;

/**
 * `by`: who chooses it; the audit log says where a check could not be made. No connection to the database is held
 * meanwhile.
 */
export async function passwordFaults(
  by: By,
  password: string,
  owner: PasswordOwner,
): Promise<PasswordFault[]> {
  const plain = await plainPasswordFaults(password, owner);
  const typed = readTypedPassword(password);
  return plain.length > 0 || typed === null ? plain : breachFaults(by, typed);
}

/** A fault that pages have in every language. */
export type PasswordFault = Fault & Message;

const asFaults = (wrong: Message | null): PasswordFault[] =>
  wrong === null ? [] : [{ field: 'password', ...wrong, message: wordsOf('en').told(wrong) }];

/** Why a password that `readTypedPassword` refuses is refused as a new one. */
export const tooLongFaults = (): PasswordFault[] => asFaults({ code: 'new_password.long' });

/** Those that cost no outgoing call. */
async function plainPasswordFaults(password: string, owner: PasswordOwner): Promise<PasswordFault[]> {
  return asFaults(
    lengthFault(password) ?? (await guessFault(password)) ?? ownWordFault(password, ofService(owner)),
  );
}

/** One outgoing call, where PASSWORD_RANGE_URL is set: callers count it first. */
async function breachFaults(by: By, password: TypedPassword): Promise<PasswordFault[]> {
  const breached = await isBreached(password);
  if (breached === null) await recordEvent({ ...by, event: 'person.password_unchecked' });
  return asFaults(breached ? { code: 'new_password.leaked' } : null);
}

/** Is it a word that belongs to this person or this service? */
export const ownWordFaults = (password: string, owner: PasswordOwner): PasswordFault[] =>
  asFaults(ownWordFault(password, ofService(owner)));

function lengthFault(password: string): Message | null {
  if (readTypedPassword(password) === null) return { code: 'new_password.long' };
  const length = [...password].length;
  const least = settings().passwordMinLength;
  if (length < least) return { code: 'new_password.short', values: { least } };
  return length > 200 ? { code: 'new_password.long' } : null;
}

async function guessFault(password: string): Promise<Message | null> {
  if (new Set(password).size < 3) return { code: 'new_password.too_easy' };
  const isKnown = await isKnownPassword(password);
  return isKnown ? { code: 'new_password.known' } : null;
}

export const serviceHost = () => new URL(settings().baseUrl).hostname;

type Owned = PasswordOwner & { host: string | null; service?: string };

const ofService = (owner: PasswordOwner): Owned => ({
  ...owner,
  host: serviceHost(),
  service: settings().serviceName,
});

/** The person's address or name, or the service's name or host: as is, repeated, or with digits and signs around it. */
export function ownWordFault(password: string, owner: Owned): Message | null {
  const forms = [letters(password), core(password)];
  const words = ownWords(owner).flatMap((word) => [letters(word), core(word)]);
  const isOwn = words.some((word) => word.length >= 3 && forms.some((form) => consistsOf(form, word)));
  return isOwn ? { code: 'new_password.own_words' } : null;
}

function ownWords({ email, name, host, service = PRODUCT }: Owned): string[] {
  const [address, at] = [email ?? '', host ?? ''];
  const [local = ''] = address.split('@');
  const parts = [...at.split('.').slice(0, -1), ...name.split(/\s+/)];
  return [PRODUCT, service, at, address, local, name, ...parts];
}

const letters = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
const core = (text: string) => letters(text).replace(/^\p{N}+|\p{N}+$/gu, '');
const consistsOf = (text: string, word: string) => text !== '' && text.replaceAll(word, '') === '';

// What a new password costs when the person who chooses it is not signed in: a hash, and a call to PASSWORD_RANGE_URL
// where one is set. Both are counted before they are made, by the link or handle and by the caller. A password that was
// stored does not count.

/** `all`: less than half of what two cores can hash. */
const NEW_PASSWORDS = { what: 'new passwords', each: 60, windowSeconds: 900, all: 100, allSeconds: 5 };
const OF_ONE_LINK = 10;

type Chosen<Result> =
  | { kind: 'used'; result: Result }
  | { kind: 'faulty'; faults: PasswordFault[] }
  | { kind: 'slow-down'; waitSeconds: number };

/** What `use` is given: the password, and its hash, which is made once nothing else can refuse. */
type ReadPassword = { typed: TypedPassword; asking: HashRequest; hash: () => Promise<string> };

/** `stored` says for which results the password was stored. */
export async function withNewPassword<Result>(
  input: { link: Buffer; password: string; owner: PasswordOwner } & From,
  use: (password: ReadPassword) => Promise<Result>,
  stored: (result: Result) => boolean,
): Promise<Chosen<Result>> {
  const { link, password, owner, ip, requestId } = input;
  const plain = await plainPasswordFaults(password, owner);
  const typed = readTypedPassword(password);
  if (plain.length > 0 || typed === null) return { kind: 'faulty', faults: plain };
  const limits = [
    ...callerLimits(NEW_PASSWORDS, ip),
    attemptLimit('link', `new password ${link.toString('base64url')}`, OF_ONE_LINK),
  ];
  const check = async (): Promise<Chosen<Result>> => {
    const faults = await breachFaults({ requestId, ip: ip ?? undefined }, typed);
    if (faults.length > 0) return { kind: 'faulty', faults };
    const asking: HashRequest = { asker: 'newcomer', from: networkOf(ip) };
    return {
      kind: 'used',
      result: await use({ typed, asking, hash: () => hashPassword(typed, asking) }),
    };
  };
  try {
    return await underLimits(
      limits,
      { requestId, ip },
      check,
      (chosen) => chosen.kind !== 'used' || !stored(chosen.result),
    );
  } catch (error) {
    if (error instanceof TooManyAttempts) return { kind: 'slow-down', waitSeconds: error.waitSeconds };
    throw error;
  }
}
