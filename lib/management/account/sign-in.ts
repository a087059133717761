// Signing in to the console: the methods, limits and messages of the hosted sign-in page, and a session of its own. There is no
// actor before.

import {
  accountName,
  authMethodOf,
  passwordLimits,
  TooManyAttempts,
  underLimits,
  type Verdict,
} from '#lib/auth-methods/index.ts';
import type { Message } from '#lib/language/index.ts';
import { countSignIn } from '#lib/observability/index.ts';
import type { DisplayText } from '#lib/registry/index.ts';
import { findKnownDevice, startConsoleSession } from '#lib/sessions/index.ts';
import type { Language } from '#lib/settings/index.ts';
import { currentSnapshot, recordRefusal, type SnapshotMethod } from '#lib/store/index.ts';
import { Refused } from '../core/index.ts';

/** The browser that a request came from. */
export type Browser = {
  cookieHeader: string | undefined;
  ip: string | null;
  userAgent: string | null;
  requestId: string;
  /** of the page */
  pageLanguage?: Language;
};

export type SignInResult =
  | { kind: 'signed-in'; cookie: string }
  | { kind: 'refused' | 'unavailable' | 'slow-down'; told: Message };

const CODES = {
  refused: { code: 'sign_in.wrong' },
  unavailable: { code: 'sign_in.unavailable' },
  'slow-down': { code: 'sign_in.too_many' },
} as const;

export type ConsoleMethod = { id: string; name: DisplayText; type: 'local' | 'external' | 'broker' };

/** Every method that somebody can sign in to the console with. */
export async function listConsoleMethods(): Promise<ConsoleMethod[]> {
  const { methods } = await currentSnapshot();
  return [...methods.values()].map(({ id, name, type }) => ({ id, name, type }));
}

export async function signInToConsole(
  input: Browser & { authMethodId: string; username: string; password: string },
): Promise<SignInResult> {
  const { authMethodId, ip, requestId } = input;
  const verdict = await checkPassword(input);
  // over a limit the password was not checked; the limit has its own event
  if (verdict.kind === 'slow-down') {
    countSignIn({ authMethodId }, 'limited');
    return { kind: verdict.kind, told: CODES[verdict.kind] };
  }
  const session = verdict.kind === 'identity' ? await startConsoleSession({ ...input, ...verdict }) : null;
  if (session === null) {
    const kind = verdict.kind === 'identity' ? 'refused' : verdict.kind;
    const facts = { clientId: null, apiId: null, authMethodId, requestId, ip };
    const details = { reason: kind, kind: 'console' };
    countSignIn({ authMethodId }, kind);
    await recordRefusal({ event: 'sign_in.refused', ...facts, details });
    return { kind, told: CODES[kind] };
  }
  countSignIn({ authMethodId }, 'succeeded');
  return { kind: 'signed-in', cookie: session.cookie };
}

/** `methodEpoch`: the method's when it was asked. */
type Checked =
  | (Extract<Verdict, { kind: 'identity' }> & { methodEpoch: string })
  | Exclude<Verdict, { kind: 'identity' }>
  | { kind: 'slow-down'; waitSeconds: number };

/** Checks a password under the limits of the sign-in pages. */
export async function checkPassword(
  input: Pick<Browser, 'cookieHeader' | 'ip' | 'requestId'> & {
    authMethodId: string;
    username: string;
    password: string;
  },
): Promise<Checked> {
  const { method, verify } = passwordMethod((await currentSnapshot()).methods.get(input.authMethodId));
  const username = input.username.trim().slice(0, 320);
  if (username === '' || input.password === '') return { kind: 'refused' };
  const { authMethodId, ip, requestId } = input;
  const account = accountName(method, username);
  const device = await findKnownDevice(input.cookieHeader, account);
  const from = { account, address: ip, confidentialClientId: null, device };
  try {
    const verdict = await underLimits(
      passwordLimits(from),
      { authMethodId, requestId, ip },
      () => verify(username, input.password, device === null ? 'stranger' : 'known'),
      (result) => result.kind === 'refused',
    );
    return verdict.kind === 'identity' ? { ...verdict, methodEpoch: method.epoch } : verdict;
  } catch (error) {
    if (error instanceof TooManyAttempts) return { kind: 'slow-down', waitSeconds: error.waitSeconds };
    throw error;
  }
}

function passwordMethod(method: SnapshotMethod | undefined) {
  const verify = method && authMethodOf(method).verifyPassword;
  if (!verify) throw new Refused('method.without_password');
  return { method, verify };
}
