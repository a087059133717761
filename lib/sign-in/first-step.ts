// The first proof of a sign-in: a name and a password under the limits on guessing, or a passkey.
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
import { provePasskey } from '#lib/factors/passkeys.ts';
import { readTypedPassword } from '#lib/kit/typed-password.ts';
import type { Message } from '#lib/language/message.ts';
import { tellOfAdoption } from '#lib/mail/send.ts';
import { countSignIn, type SignInOutcome } from '#lib/observability/metrics.ts';
import { methodCan } from '#lib/registry/methods/questions.ts';
import { findKnownDevice } from '#lib/sessions/known-device.ts';
import type { SessionStart } from '#lib/sessions/session-rows.ts';
import { recordRefusal } from '#lib/store/refusals.ts';
import { recentSnapshot, type SnapshotMethod } from '#lib/store/snapshot.ts';

export type PasswordAttempt = Pick<AttemptContext, 'apiId' | 'reliedOn'> &
  Pick<SessionStart, 'cookieHeader' | 'ip' | 'requestId'> & {
    method: SnapshotMethod;
    username: string;
    /** as it came, of any length */
    password: string;
  };

type Identity = Extract<PasswordVerdict, { kind: 'identity' }>;
/** `methodEpoch`: the method's when it was asked. */
export type Proved = Identity & { methodEpoch: string; account: string; attempts: string[] };
type NotProved =
  | Exclude<PasswordVerdict, Identity>
  /** nothing was typed, and nothing counted */
  | { kind: 'empty' }
  | { kind: 'slow-down'; waitSeconds: number };

/** What the field of the name is called: accounts of the service have an address, and user names once there are any. */
export type SignInNames = 'email' | 'email-or-username' | 'username';

export function signInNames(method: { type: string }, { usernames }: { usernames: boolean }): SignInNames {
  if (!methodCan(method, 'hasAccounts')) return 'username';
  return usernames ? 'email-or-username' : 'email';
}

/** What a wrong attempt is told. */
export const wrongSignIn = (method: { type: string }, snapshot: { usernames: boolean }) =>
  signInNames(method, snapshot) === 'email-or-username' ? 'sign_in.wrong_name' : 'sign_in.wrong';

/** As it is compared, and shown again. */
export const typedName = (username: string): string => username.trim().slice(0, 320);

/** For one who is signed in already, or is to be known only. Null: the method checks no passwords. */
export const checkPassword = (attempt: PasswordAttempt): Promise<Proved | NotProved | null> =>
  verify(attempt, null);

/**
 * `start`: takes `attempts` back in the statement that starts the session; null as for `startSession`. Null: the method
 * checks no passwords.
 */
export async function signInByPassword<Session>(
  attempt: PasswordAttempt,
  start: (proved: Proved & { authMethodId: string; amr: string[] }) => Promise<Session | null>,
): Promise<
  | { kind: 'signed-in'; session: Session; proved: Proved }
  /** `proved`: the right password, by which nothing begins; see steps.ts */
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
  await step.refused();
  return { kind: proved.letIn === false ? 'not-let-in' : 'refused' };
}

async function verify(
  { method, username, password, cookieHeader, apiId, reliedOn, requestId, ip }: PasswordAttempt,
  /** null: no session is to begin */
  step: ReturnType<typeof refusalStep> | null,
): Promise<Proved | NotProved | null> {
  const { verifyPassword } = authMethodOf(method);
  if (!verifyPassword) return null;
  const name = typedName(username);
  if (name === '' || password === '') return { kind: 'empty' };
  const typed = readTypedPassword(password);
  if (typed === null) return { kind: 'refused' };
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
        return verifyPassword(name, typed, {
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

// What the counts and the audit log have of a sign-in.

/** `at`: of the console; left out: of an authorize request. */
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
 * `reason`, `because`: for the audit log; `because` is what another service said. Over a limit nothing was checked, and
 * the limit has an event of its own.
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

// A passkey names its person and proves them, without a password. Only for people of local methods: those of brokers
// and verifiers are asked there each time.

type PasskeyProved = Extract<Awaited<ReturnType<typeof provePasskey>>, { kind: 'proved' }>;
/** What starts a session of it. */
type Started = Pick<
  SessionStart,
  'authMethodId' | 'personId' | 'personEpoch' | 'methodEpoch' | 'acrLevel'
> & {
  amr: string[];
};

/** `personId`: who it must be; null: the passkey says. `start`: null as for `startSession`. */
export async function signInByPasskey<Session>(
  asked: {
    method: SnapshotMethod;
    browser: string;
    state: string;
    response: string;
    personId: string | null;
    where: Omit<SignInPlace, 'authMethodId'>;
  },
  start: (proved: Started) => Promise<Session | null>,
): Promise<
  | { kind: 'signed-in'; session: Session; proved: PasskeyProved }
  | { kind: 'refused' | 'slow-down'; told: Message }
  /** no session starts for this person */
  | { kind: 'not-started'; personId: string }
> {
  const { method, where, ...answer } = asked;
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
