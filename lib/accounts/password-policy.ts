// Rules for a new password: its length, no commonly used password, and no word from this person’s data or this
// service’s name. No rule requires several kinds of characters (NIST SP 800-63B-4 §3.1.1.2).

import { createHash } from 'node:crypto';
import { recordEvent } from '#lib/audit/audit-log.ts';
import { networkOf, TooManyAttempts, underLimits } from '#lib/auth-methods/attempts.ts';
import { type HashRequest, hashPassword } from '#lib/kit/password-hash.ts';
import { readTypedPassword, type TypedPassword } from '#lib/kit/typed-password.ts';
import type { Message } from '#lib/language/message.ts';
import { wordsOf } from '#lib/language/words.ts';
import type { From } from '#lib/mail/mail.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch, withBreaker } from '#lib/outbound/fetch.ts';
import type { AuditEvent } from '#lib/registry/audit-event.ts';
import type { Fault } from '#lib/registry/definition.ts';
import { settings } from '#lib/settings/settings.ts';
import { attemptLimit, callerLimits } from '#lib/store/hot/limits.ts';

// Attackers try these passwords first. The list is part of Gatehouse; an operator can add a larger external service
// (NIST SP 800-63B-4 §3.1.1.2). A password is checked when a person chooses it, never at sign-in.

const PATIENCE_MS = 2_000;

let list: Promise<Buffer> | undefined;

/** Loads the list (72 KB). A process calls this function when a person first chooses a password. */
async function loadList(): Promise<Buffer> {
  const { PREFIXES } = await import('./known-passwords-list.ts');
  return Buffer.from(PREFIXES, 'base64');
}

/** The comparison ignores case. False-positive rate: 1 in 240,000. */
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
    const prefix = prefixes.readUInt32BE(middle * 4);
    if (prefix === wanted) return true;
    if (prefix < wanted) from = middle + 1;
    else to = middle;
  }
  return false;
}

/**
 * Asks the service at PASSWORD_RANGE_URL about a password. Sends the first five of the forty digits of its SHA-1. The
 * service returns all suffixes that follow these five digits (Have I Been Pwned protocol). Returns `null` if the
 * service does not answer, and `false` if no service is configured.
 */
async function isBreached(password: TypedPassword): Promise<boolean | null> {
  const { passwordRangeUrl, local } = settings();
  if (passwordRangeUrl === null) return false;
  const digest = createHash('sha1').update(password).digest('hex').toUpperCase();
  try {
    const answer = await withBreaker(`password range ${passwordRangeUrl}`, () =>
      outboundFetch({ allowPrivateNetwork: local, timeoutMs: PATIENCE_MS })(
        `${passwordRangeUrl}${digest.slice(0, 5)}`,
        // padding lines hide the number of matches from the network; their count is 0
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

/** The person for whom a password is checked. */
export type PasswordOwner = { email: string | null; name: string };

type By = Pick<AuditEvent, 'actor' | 'requestId' | 'ip'>;

/**
 * Returns the faults of a new password. `by`: the person who chooses the password. If the service does not answer, an
 * audit event records the missing check. The call holds no database connection.
 */
export async function passwordFaults(
  by: By,
  password: string,
  owner: PasswordOwner,
): Promise<PasswordFault[]> {
  const plain = await plainPasswordFaults(password, owner);
  const typedPassword = readTypedPassword(password);
  return plain.length > 0 || typedPassword === null ? plain : breachFaults(by, typedPassword);
}

/** A fault with a text in every language of the pages. */
export type PasswordFault = Fault & Message;

const asFaults = (wrong: Message | null): PasswordFault[] =>
  wrong === null ? [] : [{ field: 'password', ...wrong, message: wordsOf('en').told(wrong) }];

/** Faults of a new password that is too long for `readTypedPassword`. */
export const tooLongFaults = (): PasswordFault[] => asFaults({ code: 'new_password.long' });

/** Returns the faults that can be found without an outgoing call. */
async function plainPasswordFaults(password: string, owner: PasswordOwner): Promise<PasswordFault[]> {
  return asFaults(
    lengthFault(password) ?? (await guessFault(password)) ?? ownWordFault(password, ofService(owner)),
  );
}

/**
 * Returns the fault of a leaked password, or none. Makes one outgoing call if PASSWORD_RANGE_URL is set;
 * callers count this call before it is made.
 */
async function breachFaults(by: By, password: TypedPassword): Promise<PasswordFault[]> {
  const breached = await isBreached(password);
  if (breached === null) await recordEvent({ ...by, event: 'person.password_unchecked' });
  return asFaults(breached ? { code: 'new_password.leaked' } : null);
}

/** Returns a fault if the password contains words from the person's data or the service's name. */
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

/**
 * Returns a fault if the password is the person's address or name, or the service's name or host: unchanged, repeated,
 * or surrounded by digits and signs.
 */
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

// Each new password from a person who is not signed in costs one hash, plus one call to PASSWORD_RANGE_URL if set.
// Each attempt is counted before it runs, in the limit of its link (or handle) and in the limit of its caller. An
// attempt that stores the password is then taken off both limits.

/** The limit `all` is less than half of the hashes that two cores can compute in `allSeconds`. */
const NEW_PASSWORDS = { what: 'new passwords', each: 60, windowSeconds: 900, all: 100, allSeconds: 5 };
const OF_ONE_LINK = 10;

type Chosen<Result> =
  | { kind: 'used'; result: Result }
  | { kind: 'faulty'; faults: PasswordFault[] }
  | { kind: 'slow-down'; waitSeconds: number };

/**
 * Input of `use`: the password and a function that hashes it. Callers hash last, after every check that can still
 * reject.
 */
type ReadPassword = { typed: TypedPassword; asking: HashRequest; hash: () => Promise<string> };

/**
 * Runs `use` with a new password, under the limits of its link and caller. `stored`: returns true for a result
 * which means that the password was stored.
 */
export async function withNewPassword<Result>(
  input: { link: Buffer; password: string; owner: PasswordOwner } & From,
  use: (password: ReadPassword) => Promise<Result>,
  stored: (result: Result) => boolean,
): Promise<Chosen<Result>> {
  const { link, password, owner, ip, requestId } = input;
  const plain = await plainPasswordFaults(password, owner);
  const typedPassword = readTypedPassword(password);
  if (plain.length > 0 || typedPassword === null) return { kind: 'faulty', faults: plain };
  const limits = [
    ...callerLimits(NEW_PASSWORDS, ip),
    attemptLimit('link', `new password ${link.toString('base64url')}`, OF_ONE_LINK),
  ];
  const check = async (): Promise<Chosen<Result>> => {
    const faults = await breachFaults({ requestId, ip: ip ?? undefined }, typedPassword);
    if (faults.length > 0) return { kind: 'faulty', faults };
    const asking: HashRequest = { asker: 'newcomer', from: networkOf(ip) };
    return {
      kind: 'used',
      result: await use({ typed: typedPassword, asking, hash: () => hashPassword(typedPassword, asking) }),
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
