// Signing in to the console: the methods, limits and messages of the hosted sign-in page, and a session of its own.
// There is no actor before.

import type { Message } from '#lib/language/message.ts';
import { tooManyAttempts } from '#lib/language/too-many.ts';
import { wordsOf } from '#lib/language/words.ts';
import type { DisplayText } from '#lib/registry/fields/display-text.ts';
import { type PresetName, presetName } from '#lib/registry/methods/broker/presets.ts';
import type { AuthMethodType } from '#lib/registry/methods/kinds.ts';
import { formHolder, startConsoleSession } from '#lib/sessions/console.ts';
import { findInBrowser, storeInBrowser } from '#lib/sessions/page-state.ts';
import type { Language } from '#lib/settings/languages.ts';
import { noteSignIn } from '#lib/sign-in/note.ts';
import {
  openOwedPassword,
  readOwedPassword,
  replaceOwedPassword,
  sealOwedPassword,
} from '#lib/sign-in/owed-password.ts';
import {
  checkPassword,
  type SignInNames,
  signInByPassword,
  signInNames,
  wrongSignIn,
} from '#lib/sign-in/password.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import { faulty, Refused } from '../core/refused.ts';

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
  | { kind: 'refused' | 'must-change' | 'unavailable' | 'slow-down'; told: Message };

/**
 * The right password, which has to be replaced first. `owed`: names it to the page that asks for a new one, in the
 * browser that keeps `cookie`.
 */
type OwesPassword = { kind: 'owes-password'; owed: string; cookie: string | null };

const OWED = { kind: 'owed password' } as const;

const CODES = {
  refused: { code: 'sign_in.wrong' },
  'must-change': { code: 'sign_in.must_change' },
  unavailable: { code: 'sign_in.unavailable' },
} as const;

/** `preset`: the service that it leads to, where that is known by name */
export type ConsoleMethod = {
  id: string;
  name: DisplayText;
  type: AuthMethodType;
  preset: PresetName | null;
  /** by what its people are named */
  names: SignInNames;
};

/** Every method that signs people in to the console. */
export async function listConsoleMethods(): Promise<ConsoleMethod[]> {
  const snapshot = await currentSnapshot();
  return [...snapshot.methods.values()].map(({ id, name, type, config }) => ({
    ...{ id, name, type },
    preset: presetName(config),
    names: signInNames({ type }, snapshot),
  }));
}

export async function signInToConsole(
  input: Browser & { authMethodId: string; username: string; password: string },
): Promise<SignInResult | OwesPassword> {
  const { authMethodId, ip, requestId } = input;
  const method = await passwordMethod(authMethodId);
  const outcome = await signInByPassword({ ...input, method }, (proved) =>
    startConsoleSession({ ...input, ...proved }),
  );
  if (outcome === null) throw withoutPassword();
  const where = { authMethodId, at: 'console', requestId, ip } as const;
  if (outcome.kind === 'signed-in') {
    await noteSignIn(where, outcome.kind);
    return { kind: outcome.kind, cookie: outcome.session.cookie };
  }
  if (outcome.kind === 'owes-password') {
    await noteSignIn(where, 'refused', outcome.kind);
    const holder = (await formHolder(input.cookieHeader)) ?? '';
    const sealed = sealOwedPassword(outcome.proved, { authMethodId, holder });
    const stored = storeInBrowser(OWED, { sealed }, input.cookieHeader);
    return { kind: outcome.kind, owed: stored?.id ?? '', cookie: stored?.cookie ?? null };
  }
  if (outcome.kind === 'slow-down') {
    await noteSignIn(where, outcome.kind);
    return { kind: outcome.kind, told: tooManyAttempts(outcome.waitSeconds) };
  }
  const kind = outcome.kind === 'empty' || outcome.kind === 'not-let-in' ? 'refused' : outcome.kind;
  await noteSignIn(where, kind, kind, 'told' in outcome ? outcome.told : undefined);
  return {
    kind,
    told: kind === 'refused' ? { code: wrongSignIn(method, await currentSnapshot()) } : CODES[kind],
  };
}

async function opened(owed: string, cookieHeader: string | undefined) {
  const stored = findInBrowser<{ sealed: string }>(owed, OWED, cookieHeader);
  return openOwedPassword(stored?.sealed, await formHolder(cookieHeader));
}

/** Null: it is not of this browser, too old, or the password was replaced meanwhile. */
export async function viewOwedPassword(
  owed: string,
  cookieHeader: string | undefined,
): ReturnType<typeof readOwedPassword> {
  const open = await opened(owed, cookieHeader);
  return open && readOwedPassword(open);
}

/** The new password, which starts the session. Gives the cookie. */
export async function signInByNewPassword(
  input: Browser & { owed: string; password: string; code: string },
): Promise<string> {
  const { ip, requestId, cookieHeader, userAgent } = input;
  const owed = await opened(input.owed, cookieHeader);
  if (owed === null) throw new Refused('own_account.signed_out');
  const replaced = await replaceOwedPassword(owed, input, { ip, requestId }, (started) =>
    startConsoleSession({ ...started, cookieHeader, ip, userAgent, requestId }),
  );
  if (replaced.kind === 'faulty') {
    const { field, told } = replaced;
    throw faulty([{ field, ...told, message: wordsOf('en').told(told) }]);
  }
  if (replaced.kind === 'slow-down')
    throw new Refused('sign_in.too_many', {}, { retryAfterSeconds: replaced.waitSeconds });
  if (replaced.kind === 'gone') throw new Refused('own_account.signed_out');
  await noteSignIn({ authMethodId: owed.authMethodId, at: 'console', requestId, ip }, 'signed-in');
  return replaced.session.cookie;
}

/** The password of a person who is signed in, once more; an empty one is refused as a wrong one. */
export async function proveOnce(
  input: Pick<Browser, 'cookieHeader' | 'ip' | 'requestId'> & {
    authMethodId: string;
    username: string;
    password: string;
  },
) {
  const checked = await checkPassword({ ...input, method: await passwordMethod(input.authMethodId) });
  if (checked === null) throw withoutPassword();
  return checked.kind === 'empty' ? ({ kind: 'refused' } as const) : checked;
}

const withoutPassword = () => new Refused('method.without_password');

async function passwordMethod(authMethodId: string): Promise<SnapshotMethod> {
  const method = (await currentSnapshot()).methods.get(authMethodId);
  if (!method) throw withoutPassword();
  return method;
}
