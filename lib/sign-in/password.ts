// A name and a password of a method that checks passwords, under the limits on guessing. A browser that the account
// signed in with before has limits of its own.
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
import { refusalStep } from '#lib/auth-methods/former-service.ts';
import type { PasswordVerdict } from '#lib/auth-methods/method.ts';
import { readTypedPassword } from '#lib/kit/typed-password.ts';
import { tellOfAdoption } from '#lib/mail/tell-account.ts';
import { methodCan } from '#lib/registry/methods/questions.ts';
import { findKnownDevice } from '#lib/sessions/known-device.ts';
import type { SessionStart } from '#lib/sessions/session-rows.ts';
import { recentSnapshot } from '#lib/store/registry/snapshot.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';

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
  /** `proved`: the right password, by which nothing begins; see owed-password.ts */
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
