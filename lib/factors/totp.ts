// One-time codes of an authenticator app (RFC 6238): SHA-1, six digits and 30 seconds, which every app supports. A
// code is also valid one time step early or late, but only once (§5.2, docs/project/decisions/0023).
import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { recordEvent } from '#lib/audit/audit-log.ts';
import { now } from '#lib/kit/clock.ts';
import { equalDigests, sha256 } from '#lib/kit/random.ts';
import { sealJson, unsealJson } from '#lib/kit/seal.ts';
import { settings } from '#lib/settings/settings.ts';
import { replaceRecoveryCodes } from '#lib/store/factors.ts';
import {
  clearWrongCodes,
  findTotpSecrets,
  insertTotpSecret,
  noteWrongCode,
  replaceTotpSecret,
  spendRecoveryCode,
  spendTotpSteps,
} from '#lib/store/hot/factor-proofs.ts';
import { type Db, inTransaction } from '#lib/store/prisma.ts';
import { openFromRow, sealForRow } from '#lib/store/sealed.ts';
import {
  type FactorContext,
  type FactorProof,
  factorName,
  inGroups,
  type MustWait,
  TOTP_PROOF,
  underFactorLimits,
  withoutGaps,
} from './factor.ts';

const STEP_SECONDS = 30;
const DIGITS = 6;
/** 160 bits, as RFC 4226 §4 recommends. Their base32 form needs no padding. */
const SECRET_BYTES = 20;
const SECRET = /^[A-Z2-7]{32}$/;
const PENDING_SECONDS = 600;

/** Loads the library when it is needed, because token requests never need it. */
const otpauth = () => import('otpauth');
const qrcode = async () => (await import('qrcode')).default;

/** An app that is being set up. */
export type NewTotp = {
  /** the secret in base32 */
  secret: string;
  /** the secret in groups of four characters, for typing */
  spelled: string;
  /** the URI that the app reads: `otpauth://totp/…` */
  uri: string;
  /** the URI as a QR code: an `<svg>` without scripts, black on white, with the margin that scanners need */
  svg: string;
};

/** Creates a secret and does not store it. `label`: name of the account in the app, which is the email address. */
export async function newTotp({ label }: { label: string }): Promise<NewTotp> {
  const { Secret } = await otpauth();
  return describeTotp({ label, secret: new Secret({ size: SECRET_BYTES }).base32 });
}

/** Creates the texts and the QR code for the same secret again, for a page that is shown again. */
export async function describeTotp({ label, secret }: { label: string; secret: string }): Promise<NewTotp> {
  const { TOTP } = await otpauth();
  // a colon would end the name (Key Uri Format), so it becomes a space
  const issuer = settings().serviceName.replaceAll(':', ' ');
  const uri = new TOTP({ issuer, label, secret, digits: DIGITS, period: STEP_SECONDS }).toString();
  const drawn = await (await qrcode()).toString(uri, { type: 'svg', margin: 4, width: 240 });
  // hidden from screen readers, because the page contains a label in the reader's language
  const svg = drawn.trim().replace('<svg ', '<svg aria-hidden="true" ');
  return { secret, spelled: inGroups(secret, ' '), uri, svg };
}

/** The authenticator app that a new one replaces. A later app with the same `id` has another `since`. */
type ReplacedTotp = { id: string; since: string };

const pending = z.object({
  /** id of the row that will be created */
  id: z.uuid(),
  secret: z.string().regex(SECRET),
  until: z.number(),
  replaces: z.object({ id: z.uuid(), since: z.string() }).optional(),
});
/** The person who adds an app. `holder`: browser or session with the page. */
export type PendingOwner = { personId: string; holder: string };
const pendingPurpose = ({ personId, holder }: PendingOwner) => `pending totp ${personId} ${holder}`;

/** Returns the input for `sealPendingTotp`. `null`: no app has this id. */
export async function totpToReplace(personId: string, id: string): Promise<ReplacedTotp | null> {
  const totpSecret = (await findTotpSecrets(personId)).find((row) => row.id === id);
  return totpSecret ? { id, since: totpSecret.since } : null;
}

/**
 * Seals the secret for a form of this person in one browser or session. Valid for ten minutes. A form sent twice adds
 * only one app. `replaces`: the app that the new app will replace.
 */
export function sealPendingTotp(owner: PendingOwner, secret: string, replaces?: ReplacedTotp): string {
  const until = now().getTime() + PENDING_SECONDS * 1000;
  return sealJson(
    { id: randomUUID(), secret, until, ...(replaces === undefined ? {} : { replaces }) },
    pendingPurpose(owner),
    settings().secrets,
  );
}

/**
 * Returns `null` if the seal was made for another person, browser or session, is older than ten minutes, is invalid, or
 * belongs to the replacement of an app other than `replaces`.
 */
export function openPendingTotp(
  owner: PendingOwner,
  sealed: string,
  replaces?: ReplacedTotp,
): { id: string; secret: string } | null {
  const pending = openPending(owner, sealed);
  const { id, since } = pending?.replaces ?? {};
  const isSame = id === replaces?.id && since === replaces?.since;
  return pending && isSame ? { id: pending.id, secret: pending.secret } : null;
}

function openPending(owner: PendingOwner, sealed: string) {
  const pendingTotp = unsealJson(pending, sealed, pendingPurpose(owner), settings().secrets);
  return pendingTotp !== null && pendingTotp.until > now().getTime() ? pendingTotp : null;
}

/** Returns the six digits of a typed code. `null`: the text has another form. */
const digitsOf = (typed: string): string | null => /^[0-9]{6}$/.exec(withoutGaps(typed))?.[0] ?? null;

/** Returns the reason why the form of a typed code is wrong. `null`: the form is right. */
export function codeFault(typed: string): 'factor.code_latin_digits' | 'factor.code_length' | null {
  if (digitsOf(typed) !== null) return null;
  const code = withoutGaps(typed);
  if (/^\p{Nd}+$/u.test(code) && /[^0-9]/.test(code)) return 'factor.code_latin_digits';
  return 'factor.code_length';
}

/**
 * Returns the newest time step with this code, at most one step early or late. All steps are compared, so that timing
 * reveals nothing.
 */
export async function stepOfCode(secret: string, code: string | null, at: Date): Promise<number | null> {
  const { HOTP, Secret } = await otpauth();
  const key = Secret.fromBase32(secret);
  const typed = sha256(code ?? '');
  const current = Math.floor(at.getTime() / 1000 / STEP_SECONDS);
  let matchedStep: number | null = null;
  for (const counter of [current - 1, current, current + 1]) {
    const expected = HOTP.generate({ secret: key, algorithm: 'SHA1', digits: DIGITS, counter });
    if (equalDigests(sha256(expected), typed)) matchedStep = counter;
  }
  return matchedStep;
}

/**
 * An app that is being added. `id` and `secret`: from `openPendingTotp`. `another`: the session proved a factor, so
 * further apps are allowed.
 */
type AddedTotp = {
  personId: string;
  id?: string;
  secret: string;
  name?: string | null;
  code: string;
  another?: boolean;
};

/**
 * Stores the secret of a new app whose code is right, and uses up that code. `exists`: the app was added already, or,
 * without `another`, the person has a factor. `full`: the person has five apps. Records `factor.added`.
 */
export async function enrollTotp(
  input: AddedTotp & FactorContext,
): Promise<'enrolled' | 'wrong' | 'exists' | 'full' | MustWait> {
  const { personId, id = randomUUID(), secret, name = null, code, another = false, requestId, ip } = input;
  const step = await underFactorLimits('enrolment', input, () => stepOfCode(secret, digitsOf(code), now()));
  if (typeof step !== 'number') return step;
  const sealedSecret = sealForRow('totp_secrets', personId, secret);
  const row = { personId, id, name: factorName(name ?? '') };
  const stored = await insertTotpSecret({ ...row, onlyFirst: !another, sealedSecret, step, requestId, ip });
  return stored === 'added' ? 'enrolled' : stored;
}

/**
 * Replaces the app that the page was created for, after the code of the new app was verified. `changed`: the old app
 * was removed or replaced, or the session has ended. Records `factor.added`.
 */
export async function replaceTotp(
  input: PendingOwner & { session: Buffer; sealed: string; code: string } & FactorContext,
): Promise<'replaced' | 'wrong' | 'expired' | 'changed' | MustWait> {
  const { personId, session, sealed, code, requestId, ip } = input;
  const pending = openPending(input, sealed);
  if (pending?.replaces === undefined) return 'expired';
  const { secret, replaces } = pending;
  const step = await underFactorLimits('enrolment', input, () => stepOfCode(secret, digitsOf(code), now()));
  if (typeof step !== 'number') return step;
  const sealedSecret = sealForRow('totp_secrets', personId, secret);
  const stored = await replaceTotpSecret({
    ...replaces,
    personId,
    session,
    sealedSecret,
    step,
    requestId,
    ip,
  });
  return stored ? 'replaced' : 'changed';
}

/** Secret that is checked for people without an app, so that the response time is the same. */
const NOBODY = 'A'.repeat(32);

/** Number of consecutive wrong codes before the person is notified. */
const TOLD_AFTER = 10;

/**
 * Verifies and uses up the code. `wrong`: also returned for a used code, and for a person without an app. `used-up`:
 * after a hundred consecutive wrong codes, no code is checked until the person uses a passkey or recovery code. Calls
 * `tell` at the tenth and hundredth wrong code.
 */
export async function proveTotp(input: {
  personId: string;
  code: string;
  context: FactorContext;
  tell?: (news: 'codes-guessed' | 'codes-ended') => void;
}): Promise<FactorProof | 'wrong' | 'used-up' | MustWait> {
  const { personId, code, context, tell } = input;
  const proved = await underFactorLimits('totp', { personId, ...context }, () => useCode(personId, code));
  if (proved !== 'wrong') return proved;
  const { inARow, last } = await noteWrongCode(personId);
  if (inARow === TOLD_AFTER) tell?.('codes-guessed');
  if (last) tell?.('codes-ended');
  return 'wrong';
}

/** Compares the code with all apps, or with a dummy if there is none, so that timing reveals nothing. */
async function useCode(personId: string, typed: string): Promise<FactorProof | 'used-up' | null> {
  const totps = await findTotpSecrets(personId);
  const digits = digitsOf(typed);
  if (totps.length === 0) await stepOfCode(NOBODY, digits, now());
  const opened = totps.map((row) => ({
    row,
    secret: openFromRow('totp_secrets', personId, row.sealedSecret),
  }));
  const matches = [];
  for (const { row, secret } of opened) {
    const step = await stepOfCode(secret ?? NOBODY, secret === null ? null : digits, now());
    if (step !== null) matches.push({ ...row, step });
  }
  if (matches.length === 0 && opened.some(({ secret }) => secret === null))
    throw new Error(`an app of ${personId} was sealed under another GATEHOUSE_SECRET, or for another row`);
  if (totps.some(({ usedUp }) => usedUp)) return 'used-up';
  return matches.length > 0 && (await spendTotpSteps(personId, matches)) ? TOTP_PROOF : null;
}

// Recovery codes: ten codes of 80 bits. Each replaces a lost factor once. Crockford's base32 has no letters that look
// like digits. The database stores a SHA-256 digest of code and person, so each guess can match one person only.

const CODES = 10;
const CHARACTERS = 16;
/**
 * Each character encodes five bits. 256 is a multiple of 32, so a random byte selects all characters with equal
 * probability.
 */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

const newCode = (): string => Array.from(randomBytes(CHARACTERS), (byte) => ALPHABET[byte % 32]).join('');

const hashOf = (personId: string, code: string) => sha256(`recovery code ${personId} ${code}`);

/** Normalises a typed code: upper case, no separators, O→0, I/L→1. Other text is returned as is and matches nothing. */
function codeOf(typed: string): string {
  const letters = withoutGaps(typed).replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
  return letters.replaceAll('O', '0').replaceAll(/[IL]/g, '1');
}

/**
 * Creates ten new codes in groups, shown once, and invalidates earlier codes. Records `recovery_codes.made`. Throws if
 * the person has no factor: codes replace a factor, they cannot be the first.
 */
export async function makeRecoveryCodes(
  personId: string,
  db?: Db,
  context?: Partial<FactorContext>,
): Promise<string[]> {
  if (db === undefined) return inTransaction((tx) => makeRecoveryCodes(personId, tx, context));
  const codes = new Set<string>();
  while (codes.size < CODES) codes.add(newCode());
  const hashes = [...codes].map((code) => hashOf(personId, code));
  if (!(await replaceRecoveryCodes(db, personId, hashes)))
    throw new Error('recovery codes stand in for a factor, and this person has none');
  const { requestId, ip } = context ?? {};
  const event = { actor: personId, personId, requestId, ip: ip ?? undefined };
  await recordEvent({ event: 'recovery_codes.made', ...event }, db);
  return [...codes].map((code) => inGroups(code, '-'));
}

/** Uses up the code and records `recovery_code.used`. `wrong`: also returned for a used code. */
export async function proveRecoveryCode(input: {
  personId: string;
  code: string;
  context: FactorContext;
}): Promise<FactorProof | 'wrong' | MustWait> {
  const use = { personId: input.personId, ...input.context };
  const codeHash = hashOf(use.personId, codeOf(input.code));
  const left = await underFactorLimits('recovery_code', use, () => spendRecoveryCode({ ...use, codeHash }));
  if (typeof left === 'number') await clearWrongCodes(use.personId);
  return typeof left === 'number' ? { kind: 'recovery_code', level: 2, amr: ['otp'] } : left;
}
