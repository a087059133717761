// Steps of a sign-in, shared by hosted pages and the console: password or passkey, second factor, new factor, and the
// replacement of a password.

import { z } from 'zod';
import { withNewPassword } from '#lib/accounts/password-policy.ts';
import { recordEvent } from '#lib/audit/audit-log.ts';
import {
  type AttemptContext,
  accountName,
  haveTwoNames,
  networkOf,
  passwordLimits,
  TooManyAttempts,
  underLimits,
} from '#lib/auth-methods/attempts.ts';
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { refusalStep } from '#lib/auth-methods/local.ts';
import type { PasswordVerdict } from '#lib/auth-methods/method.ts';
import { methodCan } from '#lib/catalogue/methods/questions.ts';
import { replacePasswordHash } from '#lib/catalogue/people/rows.ts';
import { type FactorContext, type FactorProof, TOTP_PROOF, withoutGaps } from '#lib/factors/factor.ts';
import { provePasskey, registerPasskey } from '#lib/factors/passkeys.ts';
import {
  codeFault,
  describeTotp,
  enrollTotp,
  makeRecoveryCodes,
  newTotp,
  openPendingTotp,
  type PendingOwner,
  proveRecoveryCode,
  proveTotp,
  sealPendingTotp,
} from '#lib/factors/totp.ts';
import { now } from '#lib/kit/clock.ts';
import { verifyPassword } from '#lib/kit/password-hash.ts';
import { sha256 } from '#lib/kit/random.ts';
import { sealJson, unsealJson } from '#lib/kit/seal.ts';
import { readTypedPassword } from '#lib/kit/typed-password.ts';
import { type Message, tooManyAttempts } from '#lib/language/message.ts';
import { tellOfAdoption, tellOfFactor } from '#lib/mail/send.ts';
import { countSignIn, type SignInOutcome } from '#lib/observability/metrics.ts';
import { findKnownDevice, rememberDevice } from '#lib/sessions/known-device.ts';
import { isFreshProof } from '#lib/sessions/page-state.ts';
import type { RaisedBy, SessionStart } from '#lib/sessions/session-rows.ts';
import { settings } from '#lib/settings/settings.ts';
import { countRecoveryCodes, removePasskey, removeTotp } from '#lib/store/factors.ts';
import { findOwedPasswordFacts, type OwedPasswordFacts, openPepper } from '#lib/store/hot/credentials.ts';
import { findTotpSecrets } from '#lib/store/hot/factor-proofs.ts';
import { database, inTransaction } from '#lib/store/prisma.ts';
import { recordRefusal } from '#lib/store/refusals.ts';
import { recentSnapshot, type SnapshotMethod } from '#lib/store/snapshot.ts';

/**
 * Keeps the state of a sign-in between its pages: the sealed interaction of an application, or the console session.
 */
export type Carrier = Pick<
  SessionStart,
  'cookieHeader' | 'ip' | 'userAgent' | 'requestId' | 'authMethodId'
> & {
  /** the API of the application; missing: a sign-in to the console */
  apiId?: string;
  at?: 'console';
  /** browser or session to which challenges and an owed password are bound */
  holder: string;
  /** Returns null under the same conditions as `startSession`. */
  start: (input: SessionStart) => Promise<{ cookie: string; idHash: Buffer } | null>;
  /** Returns null if the session has ended in the meantime. */
  raise: (input: RaisedBy) => Promise<CarriedSession | null>;
};
/** A session that a step started or raised. The first cookie is the cookie of the session. */
export type CarriedSession = { cookies: string[]; idHash: Buffer };

/** `field`: the field of the form to which the message belongs. */
export type Rejected = { kind: 'rejected' } & (
  | { told: Message; field: 'password' | 'code'; retryAfterSeconds?: never }
  | { told: Message; retryAfterSeconds: number; field?: never }
  | { told: { code: FactorRefused }; field?: never; retryAfterSeconds?: never }
);
type FactorRefused =
  | Extract<Awaited<ReturnType<typeof provePasskey | typeof registerPasskey>>, { kind: 'refused' }>['code']
  | 'factor.open_too_long'
  | (typeof NOT_ENROLLED)[keyof typeof NOT_ENROLLED];

const rejection = (code: FactorRefused): Rejected => ({ kind: 'rejected', told: { code } });
const faultyField = (field: 'password' | 'code', told: Message): Rejected => ({
  kind: 'rejected',
  field,
  told,
});
const mustWait = ({ waitSeconds }: { waitSeconds: number }): Rejected => ({
  kind: 'rejected',
  told: tooManyAttempts(waitSeconds),
  retryAfterSeconds: waitSeconds,
});

// The first proof of a sign-in: name and password under limits on guesses, or a passkey.

export type PasswordAttempt = Pick<AttemptContext, 'apiId' | 'reliedOn'> &
  Pick<SessionStart, 'cookieHeader' | 'ip' | 'requestId'> & {
    method: SnapshotMethod;
    username: string;
    /** the typed password, of any length */
    password: string;
  };

type Identity = Extract<PasswordVerdict, { kind: 'identity' }>;
/**
 * The identity that a password or passkey proved. `methodEpoch`: revocation counter (epoch) of the method at the time
 * of the check.
 */
export type Proved = Identity & { methodEpoch: string; account: string; attempts: string[] };
type NotProved =
  | Exclude<PasswordVerdict, Identity>
  /** nothing was typed, so no attempt was counted */
  | { kind: 'empty' }
  | { kind: 'slow-down'; waitSeconds: number };

/** Kind of name for the field's label: email address for local accounts, and also user name if any user has one. */
export type SignInNames = 'email' | 'email-or-username' | 'username';

export function signInNames(method: { type: string }, { usernames }: { usernames: boolean }): SignInNames {
  if (!methodCan(method, 'hasAccounts')) return 'username';
  return usernames ? 'email-or-username' : 'email';
}

/** Normalizes a name, for comparison and for displaying it again. */
export const typedName = (username: string): string => username.trim().slice(0, 320);

/**
 * Checks a password without starting a session, for a signed-in user or only to identify a user. Returns null if the
 * method checks no passwords.
 */
export const checkPassword = (attempt: PasswordAttempt): Promise<Proved | NotProved | null> =>
  verify(attempt, null);

const REFUSALS = {
  'must-change': 'sign_in.must_change',
  'not-let-in': 'sign_in.not_let_in',
  unavailable: 'sign_in.unavailable',
} as const;

/**
 * Checks a password, starts a session, and records the sign-in. The session's statement takes the attempts off their
 * limits. Returns null if the method checks no passwords.
 */
export async function signInByPassword(
  carrier: Carrier,
  attempt: Pick<PasswordAttempt, 'method' | 'username' | 'password' | 'reliedOn'>,
): Promise<
  | ({ kind: 'signed-in' } & CarriedSession)
  /** the password was correct, but starts no session because it must be replaced. `owed`: sealed for the holder */
  | { kind: 'owes-password'; owed: string }
  | { kind: 'refused' | 'must-change' | 'not-let-in' | 'unavailable'; told: Message }
  | { kind: 'slow-down'; told: Message; waitSeconds: number }
  | null
> {
  const { method } = attempt;
  const step = refusalStep(method);
  const proved = await verify({ ...carrier, ...attempt }, step);
  if (proved === null) return null;
  const wrong = async () => {
    const email = signInNames(method, await recentSnapshot()) !== 'email-or-username';
    return { code: email ? 'sign_in.wrong' : 'sign_in.wrong_name' } as const;
  };
  switch (proved.kind) {
    case 'empty':
      return { kind: 'refused', told: await wrong() };
    case 'slow-down':
      await noteSignIn(carrier, proved.kind);
      return { ...proved, told: tooManyAttempts(proved.waitSeconds) };
    case 'identity':
      break;
    default:
      await noteSignIn(carrier, proved.kind, proved.kind, 'told' in proved ? proved.told : undefined);
      return {
        kind: proved.kind,
        told: proved.kind === 'refused' ? await wrong() : { code: REFUSALS[proved.kind] },
      };
  }
  // the console accepts any account at every local method
  if (carrier.at !== 'console' && proved.letIn === false) {
    await step.delayRefusal();
    await noteSignIn(carrier, 'not-let-in');
    return { kind: 'not-let-in', told: { code: REFUSALS['not-let-in'] } };
  }
  if (proved.owesPassword) {
    await noteSignIn(carrier, 'refused', 'owes-password');
    return { kind: 'owes-password', owed: sealOwedPassword(proved, carrier) };
  }
  const session = await startRememberedSession(carrier, {
    ...proved,
    accounts: [proved.account],
    amr: ['pwd'],
  });
  if (session === null) await step.delayRefusal();
  await noteSignIn(carrier, session === null ? 'refused' : 'signed-in');
  return session === null ? { kind: 'refused', told: await wrong() } : { kind: 'signed-in', ...session };
}

type ProvedIdentity = Pick<SessionStart, 'personId' | 'personEpoch' | 'methodEpoch' | 'amr'> &
  Partial<Pick<SessionStart, 'attempts' | 'acrLevel'>> & { accounts: readonly string[] };

/** Starts the session, and marks the browser as known to the accounts: the names of the user in the limits. */
export async function startRememberedSession(
  carrier: Carrier,
  { accounts, ...proved }: ProvedIdentity,
): Promise<CarriedSession | null> {
  const session = await carrier.start({ ...carrier, ...proved });
  if (session === null) return null;
  const device = accounts.length === 0 ? [] : [rememberDevice(carrier.cookieHeader, accounts, proved)];
  return { cookies: [session.cookie, ...device], idHash: session.idHash };
}

async function verify(
  { method, username, password, cookieHeader, apiId, reliedOn, requestId, ip }: PasswordAttempt,
  /** result of `refusalStep`, which delays a refusal; null: no session will start */
  step: ReturnType<typeof refusalStep> | null,
): Promise<Proved | NotProved | null> {
  const { verifyPassword } = authMethodOf(method);
  if (!verifyPassword) return null;
  const name = typedName(username);
  if (name === '' || password === '') return { kind: 'empty' };
  const typedPassword = readTypedPassword(password);
  if (typedPassword === null) return { kind: 'refused' };
  const account = accountName(method, name);
  const device = await findKnownDevice(cookieHeader, account);
  const twoNames = haveTwoNames(method, await recentSnapshot());
  const limits = passwordLimits({ account, address: ip, confidentialClientId: null, device, twoNames });
  const context = { authMethodId: method.id, requestId, ip, ...(apiId && { apiId }) };
  try {
    const verdict = await underLimits(
      limits,
      { ...context, ...(reliedOn && { reliedOn }) },
      () => {
        step?.begin();
        return verifyPassword(name, typedPassword, {
          asker: device === null ? 'stranger' : 'known',
          from: networkOf(ip),
          checked: () => step?.begin(),
          context,
        });
      },
      (result) => result.kind === 'refused',
      (result) => step !== null && result.kind === 'identity' && !result.owesPassword,
    );
    if (verdict.kind !== 'identity') return verdict;
    if (verdict.adopted) tellOfAdoption(verdict.adopted);
    return { ...verdict, methodEpoch: method.epoch, account, attempts: limits.map(({ key }) => key) };
  } catch (error) {
    if (error instanceof TooManyAttempts) return { kind: 'slow-down', waitSeconds: error.waitSeconds };
    throw error;
  }
}

// Metrics and audit events of sign-ins.

/** The place of a sign-in, for metrics and events. */
export type SignInPlace = Pick<Carrier, 'authMethodId' | 'apiId' | 'at' | 'requestId' | 'ip'>;

const COUNTED_AS = {
  'signed-in': 'succeeded',
  refused: 'refused',
  'must-change': 'refused',
  'not-let-in': 'refused',
  unavailable: 'unavailable',
  'slow-down': 'limited',
} as const satisfies Record<string, SignInOutcome>;

/**
 * Records a sign-in in metrics and audit log. `reason` and `because` are written to the audit log; `because` is
 * the message of an external service. A sign-in above a limit checks nothing, and records a separate event.
 */
export async function noteSignIn(
  { authMethodId, apiId, at, requestId, ip }: SignInPlace,
  outcome: keyof typeof COUNTED_AS,
  reason: string = outcome,
  because?: string,
): Promise<void> {
  countSignIn({ authMethodId, ...(apiId !== undefined && { apiId }) }, COUNTED_AS[outcome]);
  if (outcome === 'signed-in' || outcome === 'slow-down') return;
  const details = { reason, ...(because && { because }), ...(at && { kind: at }) };
  const facts = { clientId: null, apiId: apiId ?? null, authMethodId, requestId, ip };
  await recordRefusal({ event: 'sign_in.refused', ...facts, details });
}

// A passkey identifies and authenticates its user without a password. Only for local methods, because brokers and
// verifiers check their users at every sign-in.

/** `personId`: the user who must own the passkey; null: the passkey identifies the user. */
export async function signInByPasskey(
  carrier: Carrier,
  { method, personId, ...answer }: { method: SnapshotMethod; personId: string | null } & PasskeyAnswer,
): Promise<
  | ({ kind: 'signed-in' } & CarriedSession)
  | { kind: 'refused' | 'slow-down'; told: Message }
  /** no session was started for this person */
  | { kind: 'not-started'; personId: string }
> {
  const { holder: browser, requestId, ip } = carrier;
  const proved = await provePasskey({ ...answer, browser, personId, context: { requestId, ip } });
  const note = (outcome: 'signed-in' | 'refused' | 'slow-down') => noteSignIn(carrier, outcome, 'passkey');
  if (proved.kind === 'slow-down') {
    await note('slow-down');
    return { kind: 'slow-down', told: tooManyAttempts(proved.waitSeconds) };
  }
  if (proved.kind === 'refused') {
    await note('refused');
    return { kind: 'refused', told: { code: proved.code } };
  }
  const { personEpoch, email, username, proof } = proved;
  const session = await startRememberedSession(carrier, {
    ...{ personId: proved.personId, personEpoch, methodEpoch: method.epoch },
    ...{ acrLevel: proof.level, amr: proof.amr },
    accounts: [email, username].flatMap((name) => (name ? [accountName(method, name)] : [])),
  });
  await note(session === null ? 'refused' : 'signed-in');
  return session === null
    ? { kind: 'not-started', personId: proved.personId }
    : { kind: 'signed-in', ...session };
}

/** The user who takes a step. Mails about the step are sent to this user. */
export type StepTaker = { personId: string; reader: Parameters<typeof tellOfFactor>[0] };

/** `response`: the response of the browser (JSON) */
export type PasskeyAnswer = { state: string; response: string };
export type StepAnswer =
  | { kind: 'totp' | 'recovery_code'; code: string }
  | ({ kind: 'passkey' } & PasskeyAnswer);

/** `ended`: the session has ended in the meantime. */
type Ended = { kind: 'ended' };
export type StepTaken = ({ kind: 'raised' } & CarriedSession) | Ended | Rejected;

/** Kind of a code from a field for both kinds. If the user has an app, digits are a code of the app. */
export const kindOfCode = (code: string, { hasTotp }: { hasTotp: boolean }): 'totp' | 'recovery_code' =>
  hasTotp && /^\p{Nd}*$/u.test(withoutGaps(code)) ? 'totp' : 'recovery_code';

export const takeSecondStep = (carrier: Carrier, taker: StepTaker, answer: StepAnswer): Promise<StepTaken> =>
  afterProof(carrier, taker, answer, async (proof) => {
    const raised = await carrier.raise({ ...carrier, personId: taker.personId, proof });
    return raised === null ? { kind: 'ended' } : { kind: 'raised', ...raised };
  });

/** `take`: uses the proof. */
async function afterProof<Taken extends { kind: string }>(
  carrier: Pick<Carrier, 'holder' | 'requestId' | 'ip'>,
  { personId, reader }: StepTaker,
  answer: StepAnswer,
  take: (proof: FactorProof) => Promise<Taken>,
): Promise<Taken | Rejected> {
  const proof = await prove(carrier, { personId, reader }, answer);
  if (!('level' in proof)) return proof;
  const taken = await take(proof);
  if (taken.kind !== 'ended' && proof.kind === 'recovery_code') tellOfFactor(reader, 'code-used');
  return taken;
}

/** Message for a wrong code. A passkey: if the page offered none. */
export const WRONG_CODE = {
  totp: 'factor.wrong_code',
  recovery_code: 'factor.wrong_recovery',
  passkey: 'factor.wrong_code',
} as const;

async function prove(
  { holder, requestId, ip }: Pick<Carrier, 'holder' | 'requestId' | 'ip'>,
  { personId, reader }: StepTaker,
  answer: StepAnswer,
): Promise<FactorProof | Rejected> {
  const context = { requestId, ip };
  if (answer.kind === 'passkey') {
    const proved = await provePasskey({ ...answer, browser: holder, personId, context });
    if (proved.kind === 'proved') return proved.proof;
    return proved.kind === 'slow-down' ? mustWait(proved) : rejection(proved.code);
  }
  const { kind, code } = answer;
  // a malformed code is not counted as an attempt
  if (kind === 'recovery_code' && code.trim() === '') return faultyField('code', { code: WRONG_CODE[kind] });
  const fault = kind === 'totp' ? codeFault(code) : null;
  if (fault !== null) return faultyField('code', { code: fault });
  const tell = (news: 'codes-guessed' | 'codes-ended') => tellOfFactor(reader, news);
  const proofInput = { personId, code, context };
  const proved = await (kind === 'totp' ? proveTotp({ ...proofInput, tell }) : proveRecoveryCode(proofInput));
  if (proved === 'wrong') return faultyField('code', { code: WRONG_CODE[kind] });
  if (proved === 'used-up') return faultyField('code', { code: 'factor.used_up' });
  return proved.kind === 'slow-down' ? mustWait(proved) : proved;
}

// A new factor is also a proof, so it raises the level of the session. With the first factor, recovery codes are
// created. If the session has ended in the meantime (reset, signed out everywhere), the new factor is removed again.

/** Input for adding an app. `sealed`: the secret that the page shows. `name`: the name that the user gave the app. */
export type TotpSetUp = { sealed: string; code: string; name?: string };
/** Input for adding a passkey. */
export type PasskeySetUp = PasskeyAnswer & { name: string };

export type FactorAdded =
  /** `codes`: recovery codes, shown once; null if the user already has some */
  ({ kind: 'added'; codes: string[] | null } & CarriedSession) | Ended | Rejected;

/** `another`: the session proved a factor, so the user may add another app. */
export async function addFactor(
  carrier: Carrier,
  { personId, reader }: StepTaker,
  factorSetUp: (TotpSetUp & { another: boolean }) | PasskeySetUp,
): Promise<FactorAdded> {
  const { requestId, ip, holder } = carrier;
  const context = { requestId, ip };
  const enrolment = await ('sealed' in factorSetUp
    ? enrol({ personId, holder }, factorSetUp, context)
    : register(personId, { ...factorSetUp, browser: holder }, context));
  if ('kind' in enrolment) return enrolment;
  const { proof, takeBack, name } = enrolment;
  const raised = await carrier.raise({ ...carrier, personId, proof }).catch(async (error: unknown) => {
    await takeBack();
    throw error;
  });
  if (raised === null) {
    await takeBack();
    return { kind: 'ended' };
  }
  tellOfFactor(reader, name === null ? 'app-added' : 'passkey-added', name ?? '');
  const codes =
    (await countRecoveryCodes(personId)) > 0 ? null : await makeRecoveryCodes(personId, undefined, context);
  return { kind: 'added', ...raised, codes };
}

/** Result of adding a factor. `takeBack`: removes it again. `name`: the name of a passkey. */
type NewFactor = { proof: FactorProof; takeBack: () => Promise<unknown>; name: string | null };

const NOT_ENROLLED = {
  exists: 'factor.app_exists',
  full: 'second_step.apps_full',
} as const;

async function enrol(
  owner: PendingOwner,
  { sealed, ...given }: TotpSetUp & { another: boolean },
  context: FactorContext,
): Promise<NewFactor | Rejected> {
  const { personId } = owner;
  const pendingTotp = openPendingTotp(owner, sealed);
  if (pendingTotp === null) return rejection('factor.open_too_long');
  const outcome = await enrollTotp({ personId, ...pendingTotp, ...given, ...context });
  if (typeof outcome !== 'string') return mustWait(outcome);
  if (outcome === 'wrong')
    return faultyField('code', { code: codeFault(given.code) ?? 'factor.wrong_code_app' });
  if (outcome !== 'enrolled') return rejection(NOT_ENROLLED[outcome]);
  return {
    proof: TOTP_PROOF,
    takeBack: async () => removeTotp(database(), personId, pendingTotp.id),
    name: null,
  };
}

async function register(
  personId: string,
  passkeySetUp: PasskeySetUp & { browser: string },
  context: FactorContext,
): Promise<NewFactor | Rejected> {
  const passkeyRegistered = await registerPasskey({ ...passkeySetUp, personId, context });
  if (passkeyRegistered.kind === 'refused') return rejection(passkeyRegistered.code);
  const { credentialId, name } = passkeyRegistered.passkey;
  const takeBack = async () => removePasskey(database(), personId, credentialId.toString('base64url'));
  return { proof: passkeyRegistered.proof, takeBack, name };
}

/** `sealed`: the secret for the form. `renewed`: the secret that the page showed before no longer works. */
export type OfferedTotp = Pick<Awaited<ReturnType<typeof newTotp>>, 'spelled' | 'uri' | 'svg'> & {
  sealed: string;
  renewed: boolean;
};

/**
 * Returns a secret for a new app, which works in the browser or session `holder`. `shown`: the sealed secret that the
 * page showed before, which the user may have scanned. A secret that belongs to an app by now is not shown again.
 */
export async function offerTotp(
  owner: PendingOwner,
  label: string,
  { shown, replaces }: { shown?: string | undefined; replaces?: Parameters<typeof sealPendingTotp>[2] } = {},
): Promise<OfferedTotp> {
  const opened = shown === undefined ? null : openPendingTotp(owner, shown, replaces);
  const isUsed =
    opened !== null && (await findTotpSecrets(owner.personId)).some(({ id }) => id === opened.id);
  const pendingTotp = isUsed ? null : opened;
  const { secret, spelled, uri, svg } = await (pendingTotp === null
    ? newTotp({ label })
    : describeTotp({ label, secret: pendingTotp.secret }));
  const sealed = pendingTotp !== null && shown ? shown : sealPendingTotp(owner, secret, replaces);
  return { spelled, uri, svg, sealed, renewed: shown !== undefined && shown !== '' && opened === null };
}

// A password that must be replaced: the user is marked, or the imported hash covers only the first bytes of the
// password. The correct password starts no session. The proof is sealed for one browser for ten minutes. A user with
// a second factor proves it together with the new password.

const shape = z.object({
  /** the browser or console session for which this proof is valid */
  holder: z.string(),
  authMethodId: z.string(),
  personId: z.string(),
  /**
   * revocation counter (epoch) of the user when the password was verified: if sign-ins were ended since, no
   * session starts
   */
  personEpoch: z.string(),
  /** revocation counter (epoch) of the method when the password was verified */
  methodEpoch: z.string(),
  /** name of the account in the limits on guesses */
  account: z.string(),
  /** time of the proof, in milliseconds since 1970 */
  at: z.number(),
  /** the console accepts any account, whichever method admits it */
  atConsole: z.boolean().default(false),
});
type OwedPassword = z.infer<typeof shape>;

const PURPOSE = 'owed password';

export function sealOwedPassword(
  { personId, personEpoch, methodEpoch, account }: Proved,
  { authMethodId, holder, at }: Pick<Carrier, 'authMethodId' | 'holder' | 'at'>,
): string {
  const owed: OwedPassword = {
    ...{ holder, authMethodId, personId, personEpoch, methodEpoch, account },
    at: now().getTime(),
    atConsole: at === 'console',
  };
  return sealJson(owed, PURPOSE, settings().secrets);
}

/** Returns null if the value was sealed for another browser, is invalid or has expired. */
export function openOwedPassword(sealed: string | undefined, holder: string | null): OwedPassword | null {
  const owed = sealed === undefined ? null : unsealJson(shape, sealed, PURPOSE, settings().secrets);
  return owed !== null && owed.holder === holder && isFreshProof(owed.at) ? owed : null;
}

/** The kinds of codes that a user has. Null: no app and no recovery codes. */
export function codesOf({
  hasTotp,
  recoveryCodes,
}: {
  hasTotp: boolean;
  recoveryCodes: number;
}): 'app' | 'app or recovery code' | 'recovery code' | null {
  if (hasTotp) return recoveryCodes > 0 ? 'app or recovery code' : 'app';
  return recoveryCodes > 0 ? 'recovery code' : null;
}

/**
 * The kind of code that proves the second factor. `none-left`: the user has only passkeys, with which they can sign
 * in without a code. Null: the user has no second factor.
 */
export type CodeAsked = ReturnType<typeof codesOf> | 'none-left';

const codeOf = (facts: OwedPasswordFacts): CodeAsked =>
  facts.hasFactor ? (codesOf(facts) ?? 'none-left') : null;

const factsOf = ({ personId, personEpoch: epoch, authMethodId, methodEpoch, atConsole }: OwedPassword) =>
  findOwedPasswordFacts({ personId, epoch, authMethodId, methodEpoch, atConsole });

/** Returns data for the page. Null if the password was replaced in the meantime, or the user was signed out. */
export async function readOwedPassword(
  owed: OwedPassword,
): Promise<{ label: string; email: string | null; locale: string | null; code: CodeAsked } | null> {
  const facts = await factsOf(owed);
  return facts && { label: facts.label, email: facts.email, locale: facts.locale, code: codeOf(facts) };
}

export type NewPasswordGiven = { password: string; code: string };

type Replaced =
  | ({ kind: 'replaced' } & CarriedSession)
  | Rejected
  /** the password need not be replaced any more, or the user cannot sign in */
  | { kind: 'gone' };

/** Ends every sign-in and token of the user, starts the session, and records the sign-in. */
export async function replaceOwedPassword(
  carrier: Carrier,
  owed: OwedPassword,
  passwordInput: NewPasswordGiven,
): Promise<Replaced> {
  const { personId, methodEpoch, account } = owed;
  const { requestId, ip } = carrier;
  const facts = await factsOf(owed);
  if (facts === null) return { kind: 'gone' };
  const { email, name, locale } = facts;
  const link = sha256(`${PURPOSE} ${personId} ${owed.personEpoch}`);
  const chosen = await withNewPassword(
    { requestId, ip, link, password: passwordInput.password, owner: { email, name } },
    async ({ typed, asking, hash }) => {
      if (await verifyPassword(openPepper(personId, facts.passwordHash), typed, asking))
        return faultyField('password', { code: 'password.same' });
      const passwordHash = await hash();
      const replace = async ({ amr, level }: { amr: string[]; level: 1 | 2 | 3 }) => {
        const personEpoch = await inOneStep(owed, passwordHash, carrier);
        return personEpoch === null
          ? ENDED
          : ({ kind: 'replaced', personEpoch, amr, acrLevel: level } as const);
      };
      if (codeOf(facts) === null) return replace({ amr: ['pwd'], level: 1 });
      const { code } = passwordInput;
      const answer = { kind: kindOfCode(code, facts), code };
      return afterProof(carrier, { personId, reader: { email, locale } }, answer, ({ amr, level }) =>
        replace({ amr: ['pwd', ...amr, 'mfa'], level }),
      );
    },
    ({ kind }) => kind === 'replaced',
  );
  if (chosen.kind === 'slow-down') return mustWait(chosen);
  if (chosen.kind === 'faulty') {
    const [fault] = chosen.faults;
    return fault ? faultyField('password', fault) : { kind: 'gone' };
  }
  const { result } = chosen;
  if (result.kind === 'ended') return { kind: 'gone' };
  if (result.kind === 'rejected') return result;
  const { personEpoch, amr, acrLevel } = result;
  const session = await startRememberedSession(carrier, {
    personId,
    personEpoch,
    methodEpoch,
    amr,
    acrLevel,
    accounts: [account],
  });
  if (session === null) return { kind: 'gone' };
  await noteSignIn(carrier, 'signed-in');
  return { kind: 'replaced', ...session };
}

const ENDED: Ended = { kind: 'ended' };

/** Returns null if the sign-ins of the user were ended since, for example because the same form was sent twice. */
const inOneStep = (
  { personId, personEpoch, authMethodId }: OwedPassword,
  passwordHash: string,
  { requestId, ip }: { requestId: string; ip: string | null },
): Promise<string | null> =>
  inTransaction(async (db) => {
    const epoch = await replacePasswordHash(db, { personId, personEpoch, passwordHash });
    if (epoch === null) return null;
    const by = { actor: personId, requestId, ip: ip ?? undefined };
    await recordEvent({ ...by, event: 'person.password_set', personId, authMethodId }, db);
    return epoch;
  });
