// Steps after the first proof of a sign-in, shared by hosted pages and the console: second factor, new factor,
// replacing the password.

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
import { type FactorContext, type FactorProof, TOTP_PROOF, withoutGaps } from '#lib/factors/factor.ts';
import { type PasskeyRefused, provePasskey, registerPasskey } from '#lib/factors/passkeys.ts';
import {
  codeFault,
  enrollTotp,
  makeRecoveryCodes,
  openPendingTotp,
  proveRecoveryCode,
  proveTotp,
} from '#lib/factors/totp.ts';
import { now } from '#lib/kit/clock.ts';
import { verifyPassword } from '#lib/kit/password-hash.ts';
import { sha256 } from '#lib/kit/random.ts';
import { sealJson, unsealJson } from '#lib/kit/seal.ts';
import { readTypedPassword } from '#lib/kit/typed-password.ts';
import type { Message } from '#lib/language/message.ts';
import { tellOfAdoption, tellOfFactor } from '#lib/mail/send.ts';
import { countSignIn, type SignInOutcome } from '#lib/observability/metrics.ts';
import { methodCan } from '#lib/registry/methods/questions.ts';
import { findKnownDevice } from '#lib/sessions/known-device.ts';
import { isFreshProof } from '#lib/sessions/page-state.ts';
import type { SessionStart } from '#lib/sessions/session-rows.ts';
import { settings } from '#lib/settings/settings.ts';
import { countRecoveryCodes, removePasskey, removeTotp } from '#lib/store/factors.ts';
import { findOwedPasswordFacts, type OwedPasswordFacts, openPepper } from '#lib/store/hot/credentials.ts';
import { replacePasswordHash } from '#lib/store/people.ts';
import { database, inTransaction } from '#lib/store/prisma.ts';
import { recordRefusal } from '#lib/store/refusals.ts';
import { recentSnapshot, type SnapshotMethod } from '#lib/store/snapshot.ts';

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

/** Returns the message for a wrong name or password. */
export const wrongSignIn = (method: { type: string }, snapshot: { usernames: boolean }) =>
  signInNames(method, snapshot) === 'email-or-username' ? 'sign_in.wrong_name' : 'sign_in.wrong';

/** Normalizes a name, for comparison and for displaying it again. */
export const typedName = (username: string): string => username.trim().slice(0, 320);

/**
 * Checks a password without starting a session, for a signed-in user or only to identify a user. Returns null if the
 * method checks no passwords.
 */
export const checkPassword = (attempt: PasswordAttempt): Promise<Proved | NotProved | null> =>
  verify(attempt, null);

/**
 * Checks a password and starts a session. `start`: starts the session, takes the attempts with the keys `attempts` off
 * their limits in the same statement, and returns null under the same conditions as `startSession`. Returns null if
 * the method checks no passwords.
 */
export async function signInByPassword<Session>(
  attempt: PasswordAttempt,
  start: (proved: Proved & { authMethodId: string; amr: string[] }) => Promise<Session | null>,
): Promise<
  | { kind: 'signed-in'; session: Session; proved: Proved }
  /** `proved`: the password was correct, but starts no session because it must be replaced */
  | { kind: 'owes-password'; proved: Proved }
  | { kind: 'refused' | 'must-change'; told?: string }
  | { kind: 'not-let-in' | 'unavailable' | 'empty' }
  | { kind: 'slow-down'; waitSeconds: number }
  | null
> {
  const step = refusalStep(attempt.method);
  const proved = await verify(attempt, step);
  if (proved?.kind !== 'identity') return proved;
  if (proved.owesPassword && proved.letIn !== false) return { kind: 'owes-password', proved };
  const session = proved.owesPassword
    ? null
    : await start({ ...proved, authMethodId: attempt.method.id, amr: ['pwd'] });
  if (session !== null) return { kind: 'signed-in', session, proved };
  await step.delayRefusal();
  return { kind: proved.letIn === false ? 'not-let-in' : 'refused' };
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

/** The place of a sign-in, for metrics and events. `at`: sign-in to the console; missing: an authorization request. */
export type SignInPlace = {
  authMethodId: string;
  apiId?: string;
  at?: 'console';
  requestId: string;
  ip: string | null;
};

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

type PasskeyProved = Extract<Awaited<ReturnType<typeof provePasskey>>, { kind: 'proved' }>;
/** The parts of a first proof that are needed to start a session. */
type FirstProof = Pick<
  SessionStart,
  'authMethodId' | 'personId' | 'personEpoch' | 'methodEpoch' | 'acrLevel'
> & {
  amr: string[];
};

/**
 * `personId`: the user who must own the passkey; null: the passkey identifies the user. `start`: returns null under
 * the same conditions as `startSession`.
 */
export async function signInByPasskey<Session>(
  input: {
    method: SnapshotMethod;
    browser: string;
    state: string;
    response: string;
    personId: string | null;
    where: Omit<SignInPlace, 'authMethodId'>;
  },
  start: (proved: FirstProof) => Promise<Session | null>,
): Promise<
  | { kind: 'signed-in'; session: Session; proved: PasskeyProved }
  | { kind: 'refused' | 'slow-down'; told: Message }
  /** no session was started for this person */
  | { kind: 'not-started'; personId: string }
> {
  const { method, where, ...answer } = input;
  const note = (outcome: 'signed-in' | 'refused' | 'slow-down') =>
    noteSignIn({ ...where, authMethodId: method.id }, outcome, 'passkey');
  const { requestId, ip } = where;
  const proved = await provePasskey({ ...answer, context: { requestId, ip } });
  if (proved.kind === 'slow-down') {
    await note('slow-down');
    const values = { seconds: proved.waitSeconds };
    return { kind: 'slow-down', told: { code: 'second_step.wait', values } };
  }
  if (proved.kind === 'refused') {
    await note('refused');
    return { kind: 'refused', told: { code: proved.code } };
  }
  const { personId, personEpoch, proof } = proved;
  const { level: acrLevel, amr } = proof;
  const session = await start({
    ...{ authMethodId: method.id, methodEpoch: method.epoch },
    ...{ personId, personEpoch, acrLevel, amr },
  });
  await note(session === null ? 'refused' : 'signed-in');
  return session === null ? { kind: 'not-started', personId } : { kind: 'signed-in', session, proved };
}

/** The user who takes a step. Mails about the step are sent to this user. */
export type StepTaker = {
  personId: string;
  reader: Parameters<typeof tellOfFactor>[0];
  context: FactorContext;
};

export type StepAnswer =
  | { kind: 'totp' | 'recovery_code'; code: string }
  /** `browser`: the browser to which the challenge was bound. `response`: the response of the browser (JSON) */
  | { kind: 'passkey'; browser: string; state: string; response: string };

export type StepTaken<Raised> =
  | { kind: 'raised'; raised: Raised; proof: FactorProof }
  /** `raise` returned null */
  | { kind: 'ended' }
  | Unproved;

type Unproved =
  | { kind: 'wrong' | 'used-up' }
  | { kind: 'slow-down'; waitSeconds: number }
  /** the code is malformed, so no attempt was counted */
  | { kind: 'faulty'; code: NonNullable<ReturnType<typeof codeFault>> }
  /** rejections of a passkey */
  | Extract<PasskeyRefused, { kind: 'refused' }>;

/** `raise`: returns null if the session has ended in the meantime. */
export async function takeSecondStep<Raised>(
  taker: StepTaker,
  answer: StepAnswer,
  raise: (proof: FactorProof) => Promise<Raised | null>,
): Promise<StepTaken<Raised>> {
  const proof = await prove(taker, answer);
  if (!('level' in proof)) return proof;
  const raised = await raise(proof);
  if (raised === null) return { kind: 'ended' };
  if (proof.kind === 'recovery_code') tellOfFactor(taker.reader, 'code-used');
  return { kind: 'raised', raised, proof };
}

async function prove(
  { personId, reader, context }: StepTaker,
  answer: StepAnswer,
): Promise<FactorProof | Unproved> {
  if (answer.kind === 'passkey') {
    const { browser, state, response } = answer;
    const proved = await provePasskey({ browser, state, response, personId, context });
    return proved.kind === 'proved' ? proved.proof : proved;
  }
  const { kind, code } = answer;
  // a malformed code is not counted as an attempt
  if (kind === 'recovery_code' && code.trim() === '') return { kind: 'wrong' };
  const fault = kind === 'totp' ? codeFault(code) : null;
  if (fault !== null) return { kind: 'faulty', code: fault };
  const tell = (news: 'codes-guessed' | 'codes-ended') => tellOfFactor(reader, news);
  const proofInput = { personId, code, context };
  const proved = await (kind === 'totp' ? proveTotp({ ...proofInput, tell }) : proveRecoveryCode(proofInput));
  return typeof proved === 'string' ? { kind: proved } : proved;
}

// A new factor is also a proof, so it raises the level of the session. With the first factor, recovery codes are
// created. If the session has ended in the meantime (reset, signed out everywhere), the new factor is removed again.

/** Input for adding an app. `sealed`: the secret that the page shows. `name`: the name that the user gave the app. */
export type TotpSetUp = { sealed: string; code: string; name?: string };
/** Input for adding a passkey. `response`: the response of the browser (JSON). */
export type PasskeySetUp = { state: string; response: string; name: string };

export type FactorAdded<Raised> =
  /** `codes`: recovery codes, shown once; null if the user already has some */
  | { kind: 'added'; raised: Raised; codes: string[] | null }
  /** `raise` returned null */
  | { kind: 'ended' }
  /** rejections of an app's code; `expired`: the secret on the page has expired */
  | { kind: 'wrong' | 'exists' | 'full' | 'expired' }
  | { kind: 'slow-down'; waitSeconds: number }
  /** rejections of a new passkey */
  | Extract<Awaited<ReturnType<typeof registerPasskey>>, { kind: 'refused' }>;

/**
 * `another`: the session proved a factor, so the user may add another app. `browser`: the browser to which a
 * passkey's challenge was bound. `raise`: returns null if the session has ended in the meantime.
 */
export async function addFactor<Raised>(
  taker: StepTaker,
  factorSetUp: (TotpSetUp & { another: boolean }) | (PasskeySetUp & { browser: string }),
  raise: (proof: FactorProof) => Promise<Raised | null>,
): Promise<FactorAdded<Raised>> {
  const { personId, reader, context } = taker;
  const enrolment = await ('sealed' in factorSetUp
    ? enrol(taker, factorSetUp)
    : register(taker, factorSetUp));
  if ('kind' in enrolment) return enrolment;
  const raised = await raise(enrolment.proof).catch(async (error: unknown) => {
    await enrolment.takeBack();
    throw error;
  });
  if (raised === null) {
    await enrolment.takeBack();
    return { kind: 'ended' };
  }
  tellOfFactor(reader, enrolment.name === null ? 'app-added' : 'passkey-added', enrolment.name ?? '');
  const codes =
    (await countRecoveryCodes(personId)) > 0 ? null : await makeRecoveryCodes(personId, undefined, context);
  return { kind: 'added', raised, codes };
}

/** Result of adding a factor. `takeBack`: removes it again. `name`: the name of a passkey. */
type Made = { proof: FactorProof; takeBack: () => Promise<unknown>; name: string | null };
type NotMade = Exclude<FactorAdded<never>, { kind: 'added' | 'ended' }>;

async function enrol(
  { personId, context }: StepTaker,
  { sealed, ...given }: TotpSetUp & { another: boolean },
): Promise<Made | NotMade> {
  const pendingTotp = openPendingTotp(personId, sealed);
  if (pendingTotp === null) return { kind: 'expired' };
  const outcome = await enrollTotp({ personId, ...pendingTotp, ...given, ...context });
  if (typeof outcome !== 'string') return outcome;
  if (outcome !== 'enrolled') return { kind: outcome };
  return {
    proof: TOTP_PROOF,
    takeBack: async () => removeTotp(await database(), personId, pendingTotp.id),
    name: null,
  };
}

async function register(
  { personId, context }: StepTaker,
  passkeySetUp: PasskeySetUp & { browser: string },
): Promise<Made | NotMade> {
  const passkeyRegistered = await registerPasskey({ ...passkeySetUp, personId, context });
  if (passkeyRegistered.kind === 'refused') return passkeyRegistered;
  const { credentialId, name } = passkeyRegistered.passkey;
  const takeBack = async () => removePasskey(await database(), personId, credentialId.toString('base64url'));
  return { proof: passkeyRegistered.proof, takeBack, name };
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
});
type OwedPassword = z.infer<typeof shape>;

const PURPOSE = 'owed password';

export function sealOwedPassword(
  { personId, personEpoch, methodEpoch, account }: Proved,
  { authMethodId, holder }: Pick<OwedPassword, 'authMethodId' | 'holder'>,
): string {
  const owed: OwedPassword = {
    ...{ holder, authMethodId, personId, personEpoch, methodEpoch, account },
    at: now().getTime(),
  };
  return sealJson(owed, PURPOSE, settings().secrets);
}

/** Returns null if the value was sealed for another browser, is invalid or has expired. */
export function openOwedPassword(sealed: string | undefined, holder: string | null): OwedPassword | null {
  const owed = sealed === undefined ? null : unsealJson(shape, sealed, PURPOSE, settings().secrets);
  return owed !== null && owed.holder === holder && isFreshProof(owed.at) ? owed : null;
}

/**
 * The kind of code that proves the second factor. `none-left`: the user has only passkeys, with which they can sign
 * in without a code.
 */
export type CodeAsked = 'app' | 'app or recovery code' | 'recovery code' | 'none-left' | null;

function codeOf({ hasFactor, hasTotp, recoveryCodes }: OwedPasswordFacts): CodeAsked {
  if (!hasFactor) return null;
  if (hasTotp) return recoveryCodes > 0 ? 'app or recovery code' : 'app';
  return recoveryCodes > 0 ? 'recovery code' : 'none-left';
}

const factsOf = ({ personId, personEpoch: epoch, authMethodId, methodEpoch }: OwedPassword) =>
  findOwedPasswordFacts({ personId, epoch, authMethodId, methodEpoch });

/** Returns data for the page. Null if the password was replaced in the meantime, or the user was signed out. */
export async function readOwedPassword(
  owed: OwedPassword,
): Promise<{ label: string; email: string | null; locale: string | null; code: CodeAsked } | null> {
  const facts = await factsOf(owed);
  return facts && { label: facts.label, email: facts.email, locale: facts.locale, code: codeOf(facts) };
}

export type NewPasswordGiven = { password: string; code: string };

type Replaced<Session> =
  | { kind: 'replaced'; session: Session; personId: string; personEpoch: string; account: string }
  | { kind: 'faulty'; field: 'password' | 'code'; told: Message }
  | { kind: 'slow-down'; waitSeconds: number }
  /** the password need not be replaced any more, or the user cannot sign in */
  | { kind: 'gone' };

type Started = Pick<
  SessionStart,
  'authMethodId' | 'personId' | 'personEpoch' | 'methodEpoch' | 'amr' | 'acrLevel'
>;

/**
 * Ends every sign-in and token of the user, and starts the session. `start`: returns null under the same conditions
 * as `startSession`.
 */
export async function replaceOwedPassword<Session>(
  owed: OwedPassword,
  passwordInput: NewPasswordGiven,
  from: { requestId: string; ip: string | null },
  start: (started: Started) => Promise<Session | null>,
): Promise<Replaced<Session>> {
  const { personId, authMethodId, methodEpoch, account } = owed;
  const facts = await factsOf(owed);
  if (facts === null) return { kind: 'gone' };
  const { email, name } = facts;
  const link = sha256(`${PURPOSE} ${personId} ${owed.personEpoch}`);
  const chosen = await withNewPassword(
    { ...from, link, password: passwordInput.password, owner: { email, name } },
    async ({ typed, asking, hash }) => {
      if (await verifyPassword(openPepper(personId, facts.passwordHash), typed, asking))
        return { kind: 'faulty', field: 'password', told: { code: 'password.same' } } as const;
      const passwordHash = await hash();
      const replace = () => inOneStep(owed, passwordHash, from);
      return codeOf(facts) === null
        ? plainly(await replace())
        : proveFactor(owed, facts, passwordInput.code, from, replace);
    },
    ({ kind }) => kind === 'replaced',
  );
  if (chosen.kind === 'slow-down') return chosen;
  if (chosen.kind === 'faulty') {
    const [fault] = chosen.faults;
    return fault ? { kind: 'faulty', field: 'password', told: fault } : { kind: 'gone' };
  }
  if (chosen.result.kind !== 'replaced') return chosen.result;
  const { personEpoch, amr, acrLevel } = chosen.result;
  const session = await start({ authMethodId, personId, personEpoch, methodEpoch, amr, acrLevel });
  return session === null ? { kind: 'gone' } : { kind: 'replaced', session, personId, personEpoch, account };
}

type InStore =
  | { kind: 'replaced'; personEpoch: string; amr: string[]; acrLevel: 1 | 2 | 3 }
  | Exclude<Replaced<never>, { kind: 'replaced' }>;

const plainly = (personEpoch: string | null): InStore =>
  personEpoch === null ? { kind: 'gone' } : { kind: 'replaced', personEpoch, amr: ['pwd'], acrLevel: 1 };

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

const WRONG = {
  totp: 'factor.wrong_code',
  recovery_code: 'factor.wrong_recovery',
} as const;

/**
 * Proves a second factor by a code. If the user has an app, digits are a code of the app. Any other text is a recovery
 * code.
 */
async function proveFactor(
  { personId }: OwedPassword,
  { email, locale, hasTotp }: OwedPasswordFacts,
  code: string,
  context: { requestId: string; ip: string | null },
  replace: () => Promise<string | null>,
): Promise<InStore> {
  const kind = hasTotp && /^\p{Nd}*$/u.test(withoutGaps(code)) ? 'totp' : 'recovery_code';
  const secondStep = await takeSecondStep(
    { personId, reader: { email, locale }, context },
    { kind, code },
    replace,
  );
  switch (secondStep.kind) {
    case 'raised': {
      const { raised: personEpoch, proof } = secondStep;
      return { kind: 'replaced', personEpoch, amr: ['pwd', ...proof.amr, 'mfa'], acrLevel: proof.level };
    }
    case 'ended':
      return { kind: 'gone' };
    case 'slow-down':
      return secondStep;
    case 'used-up':
      return { kind: 'faulty', field: 'code', told: { code: 'factor.used_up' } };
    case 'faulty':
      return { kind: 'faulty', field: 'code', told: { code: secondStep.code } };
    default:
      return { kind: 'faulty', field: 'code', told: { code: WRONG[kind] } };
  }
}
