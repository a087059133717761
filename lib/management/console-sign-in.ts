// Console sign-in: it uses the methods, limits and messages of the hosted sign-in page, but a separate session. There
// is no actor before the sign-in.

import { type PresetName, presetName } from '#lib/catalogue/methods/broker/presets.ts';
import type { AuthMethodType } from '#lib/catalogue/methods/kinds.ts';
import { personLabel } from '#lib/catalogue/people/definition.ts';
import { hasPasskeys, passkeyChallenge, passkeyRegistration, takesPasskeys } from '#lib/factors/passkeys.ts';
import { totpToReplace } from '#lib/factors/totp.ts';
import type { Message } from '#lib/language/message.ts';
import { wordsOf } from '#lib/language/words.ts';
import type { DisplayText } from '#lib/registry/display-text.ts';
import {
  type ConsoleActor,
  formHolder,
  raiseConsoleSession,
  startConsoleSession,
  type UnfinishedSignIn,
} from '#lib/sessions/console.ts';
import { findInBrowser, RECENT_SECONDS, storeInBrowser } from '#lib/sessions/page-state.ts';
import { readBrowser } from '#lib/sessions/transaction.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  addFactor,
  type CarriedSession,
  type Carrier,
  checkPassword,
  codesOf,
  kindOfCode,
  type OfferedTotp,
  offerTotp,
  openOwedPassword,
  type PasskeyAnswer,
  type PasskeySetUp,
  type Rejected,
  readOwedPassword,
  replaceOwedPassword,
  type SignInNames,
  type StepAnswer,
  signInByPasskey,
  signInByPassword,
  signInNames,
  startRememberedSession,
  type TotpSetUp,
  takeSecondStep,
} from '#lib/sign-in/steps.ts';
import { listFactors } from '#lib/store/factors.ts';
import { beginGrace } from '#lib/store/hot/sessions.ts';
import { currentSnapshot, type SnapshotMethod } from '#lib/store/snapshot.ts';
import { readerOf } from './policy.ts';
import { faulty, Refused } from './refused.ts';

/** The browser that sent a request. */
export type Browser = {
  cookieHeader: string | undefined;
  ip: string | null;
  userAgent: string | null;
  requestId: string;
  /** language of the page */
  pageLanguage?: Language;
};

/** `device`: Set-Cookie value by which later sign-ins recognize the browser; empty: none. */
export type SessionCookies = { cookie: string; device: string[] };
type SignInResult =
  | ({ kind: 'signed-in' } & SessionCookies)
  | { kind: 'refused' | 'must-change' | 'unavailable' | 'slow-down'; told: Message };

const sessionCookies = ({ cookies: [cookie = '', ...device] }: CarriedSession): SessionCookies => ({
  cookie,
  device,
});

/**
 * The password is correct, but must be replaced first. `owed`: reference that the page for the new password needs; it
 * is valid only in the browser with `cookie`.
 */
type OwesPassword = { kind: 'owes-password'; owed: string; cookie: string | null };

const OWED = { kind: 'owed password' } as const;

/** Keeps a sign-in in the console session. */
const carrierOf = (
  { cookieHeader, ip, userAgent, requestId }: Browser,
  authMethodId: string,
  holder: string,
): Carrier => ({
  ...{ cookieHeader, ip, userAgent, requestId, authMethodId, holder, at: 'console' },
  start: startConsoleSession,
  raise: async (input) => {
    const raised = await raiseConsoleSession(input);
    return raised && { cookies: [raised.cookie], idHash: raised.idHash };
  },
});

/** Throws the rejection of a step as an error of the form. */
function refuse(step: Rejected): never {
  const { field, told, retryAfterSeconds } = step;
  if (retryAfterSeconds !== undefined) throw new Refused('sign_in.too_many', {}, { retryAfterSeconds });
  if (field !== undefined) throw faulty([{ field, ...told, message: wordsOf('en').told(told) }]);
  throw new Refused(told.code);
}

/** `preset`: the well-known service that the method uses; null: another service, or none */
export type ConsoleMethod = {
  id: string;
  name: DisplayText;
  type: AuthMethodType;
  preset: PresetName | null;
  /** the kind of user name that the method uses */
  names: SignInNames;
};

/** Every method with which users can sign in to the console. */
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
  const { authMethodId, cookieHeader } = input;
  const method = await passwordMethod(authMethodId);
  const holder = (await formHolder(cookieHeader)) ?? '';
  const { username, password } = input;
  const outcome = await signInByPassword(carrierOf(input, authMethodId, holder), {
    method,
    username,
    password,
  });
  if (outcome === null) throw withoutPassword();
  if (outcome.kind === 'signed-in') return { kind: outcome.kind, ...sessionCookies(outcome) };
  if (outcome.kind === 'owes-password') {
    const stored = storeInBrowser(OWED, { sealed: outcome.owed }, cookieHeader);
    return { kind: outcome.kind, owed: stored?.id ?? '', cookie: stored?.cookie ?? null };
  }
  const { kind, told } = outcome;
  return { kind: kind === 'not-let-in' ? 'refused' : kind, told };
}

async function openOwedOfBrowser(owed: string, cookieHeader: string | undefined) {
  const stored = findInBrowser<{ sealed: string }>(owed, OWED, cookieHeader);
  return openOwedPassword(stored?.sealed, await formHolder(cookieHeader));
}

/**
 * Returns the data for the page of the new password. `null`: the reference belongs to another browser or has expired, or
 * the password was already replaced.
 */
export async function viewOwedPassword(
  owed: string,
  cookieHeader: string | undefined,
): ReturnType<typeof readOwedPassword> {
  const open = await openOwedOfBrowser(owed, cookieHeader);
  return open && readOwedPassword(open);
}

/** Sets the new password and starts the session. */
export async function signInByNewPassword(
  input: Browser & { owed: string; password: string; code: string },
): Promise<SessionCookies> {
  const owed = await openOwedOfBrowser(input.owed, input.cookieHeader);
  if (owed === null) throw new Refused('own_account.signed_out');
  const replaced = await replaceOwedPassword(carrierOf(input, owed.authMethodId, owed.holder), owed, input);
  if (replaced.kind === 'rejected') refuse(replaced);
  if (replaced.kind === 'gone') throw new Refused('own_account.signed_out');
  return sessionCookies(replaced);
}

/** Starts the session of this browser anew, after a change of the password ended it. Null: the user was disabled meanwhile. */
export async function restartSession(
  { authMethodId }: Pick<ConsoleActor['session'], 'authMethodId'>,
  proved: Parameters<typeof startRememberedSession>[1],
  browser: Browser,
): Promise<SessionCookies | null> {
  const session = await startRememberedSession(carrierOf(browser, authMethodId, ''), proved);
  return session && sessionCookies(session);
}

/** Verifies the password of a signed-in user again. An empty password is treated as wrong. */
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

// Adds a new factor in the console.

/**
 * `cookie`: cookie with which the session continues. `codes`: recovery codes to show once; `null` if the user already
 * has codes.
 */
export type Added = { cookie: string; codes: string[] | null };

type Who = ConsoleActor | UnfinishedSignIn;

/** Returns a text that binds passkey challenges and secrets of new apps to the session of the page. */
export const sessionHolder = ({ session }: Pick<Who, 'session'>): string =>
  `console ${session.idHash.toString('base64url')}`;

const takerOf = (who: Who) => ({ personId: who.id, reader: readerOf(who) });
const inSession = (who: Pick<Who, 'session'>, browser: Browser) =>
  carrierOf(browser, who.session.authMethodId, sessionHolder(who));

export async function setUpFactor(
  who: Who,
  factorSetUp: TotpSetUp | PasskeySetUp,
  browser: Browser,
): Promise<Added> {
  const proved = who.session.level > 1 || settings().consoleSecondFactor === 'off';
  const factorInput =
    'sealed' in factorSetUp ? { ...factorSetUp, another: who.kind === 'person' && proved } : factorSetUp;
  const added = await addFactor(inSession(who, browser), takerOf(who), factorInput);
  if (added.kind === 'rejected') refuse(added);
  if (added.kind === 'ended') throw new Refused('own_account.signed_out');
  return { ...sessionCookies(added), codes: added.codes };
}

// Second step of the console sign-in: the user proves a factor, or sets up the first factor. Until then the session
// permits nothing else. The console requires the second step even in a trusted browser.

type Holder = Pick<ConsoleActor | UnfinishedSignIn, 'id' | 'session' | 'signedInAt'>;

type SecondStepView = {
  /** the kinds of codes that are accepted; `null`: the user has no app and no recovery codes */
  code: ReturnType<typeof codesOf>;
  passkey: { options: string; state: string } | null;
};

/** The factors that this user can use at the present host. */
export async function viewSecondStep(holder: Holder): Promise<SecondStepView> {
  const { totps, passkeys, recoveryCodes } = await listFactors(holder.id);
  const here = passkeys.some(({ rpId }) => rpId === settings().passkeyRpId) && hasPasskeys();
  const passkey = here
    ? await passkeyChallenge({ browser: sessionHolder(holder), personId: holder.id })
    : null;
  return { code: codesOf({ hasTotp: totps.length > 0, recoveryCodes }), passkey };
}

/** `code`: a code of an app or a recovery code. */
type Proof = { code: string } | PasskeyAnswer;

/** Proves the second factor. Returns the cookie of the raised session. */
export async function confirmSignIn(
  unfinishedSignIn: UnfinishedSignIn,
  proof: Proof,
  browser: Browser,
): Promise<string> {
  const answer: StepAnswer =
    'code' in proof ? await codeAnswer(unfinishedSignIn.id, proof.code) : { kind: 'passkey', ...proof };
  const taken = await takeSecondStep(inSession(unfinishedSignIn, browser), takerOf(unfinishedSignIn), answer);
  if (taken.kind === 'rejected') refuse(taken);
  if (taken.kind === 'ended') throw new Refused('own_account.signed_out');
  return sessionCookies(taken).cookie;
}

async function codeAnswer(personId: string, code: string): Promise<StepAnswer> {
  const { totps } = await listFactors(personId);
  return { kind: kindOfCode(code, { hasTotp: totps.length > 0 }), code };
}

/** Data for the page that sets up a factor. */
type NewFactorView = {
  /** `null`: the maximum number of apps is reached */
  totp: OfferedTotp | null;
  /** `null`: this address cannot use passkeys */
  passkey: { options: string; state: string } | null;
};

/** `shown`: see `offerTotp`. */
export async function viewNewFactor(
  who: Holder & Parameters<typeof personLabel>[0] & { name: string },
  { totp = true, shown }: { totp?: boolean; shown?: string } = {},
): Promise<NewFactorView> {
  const label = personLabel(who);
  const passkeyRequest = { personId: who.id, label, name: who.name, browser: sessionHolder(who) };
  return {
    totp: totp ? await offerTotp({ personId: who.id, holder: sessionHolder(who) }, label, { shown }) : null,
    passkey: hasPasskeys() ? await passkeyRegistration(passkeyRequest) : null,
  };
}

/** Returns a secret for an app that will replace the app `id`. `null`: no app has this id. `shown`: see `offerTotp`. */
export async function viewReplacement(
  who: Holder & Parameters<typeof personLabel>[0],
  id: string,
  shown?: string,
): Promise<NewFactorView['totp']> {
  const replaces = await totpToReplace(who.id, id);
  const owner = { personId: who.id, holder: sessionHolder(who) };
  return replaces && offerTotp(owner, personLabel(who), { shown, replaces });
}

/**
 * True if the sign-in is recent enough to set up the first factor. If it is not, the page asks for the password
 * again.
 */
export const maySetUpNow = ({ signedInAt }: Holder, now: Date): boolean =>
  now.getTime() - signedInAt.getTime() <= RECENT_SECONDS * 1000;

/**
 * Returns the number of days for which `Later` postpones the setup, if the person sees the question for the first
 * time. `null`: a factor must be set up now.
 */
export function graceOf({ graceFrom }: UnfinishedSignIn): number | null {
  const days = settings().secondFactorGraceDays;
  return graceFrom === null && days > 0 ? days : null;
}

/** Starts the period in which setup can be postponed. The session is valid until the period ends. */
export async function putOffSetUp(unfinishedSignIn: UnfinishedSignIn): Promise<void> {
  if (unfinishedSignIn.owes !== 'set-up' || graceOf(unfinishedSignIn) === null)
    throw new Refused('second_step.due');
  await beginGrace(unfinishedSignIn.id, settings().secondFactorGraceDays);
}

/** Sets up the first factor and raises the level of the session. Returns its cookie and the recovery codes. */
export async function setUpFirst(
  unfinishedSignIn: UnfinishedSignIn,
  factorSetUp: TotpSetUp | PasskeySetUp,
  browser: Browser,
  now: Date,
): Promise<Added> {
  if (unfinishedSignIn.owes !== 'set-up' || !maySetUpNow(unfinishedSignIn, now))
    throw new Refused('own_account.signed_out');
  return setUpFactor(unfinishedSignIn, factorSetUp, browser);
}

// Passkey sign-in to the console without a password: session level 3, for users of local methods. In an existing
// session, using a passkey is treated as a recent sign-in, too.

async function passkeyMethod(authMethodId: string) {
  const method = (await currentSnapshot()).methods.get(authMethodId);
  return method && takesPasskeys(method) ? method : null;
}

type Asked = { options: string; state: string };

/** Passkey challenge for the sign-in page. `null`: users cannot sign in with a passkey. */
export async function askConsolePasskey(
  authMethodId: string,
  cookieHeader: string | undefined,
): Promise<Asked | null> {
  const browser = await readBrowser(cookieHeader);
  if (browser === null || !(await passkeyMethod(authMethodId))) return null;
  return passkeyChallenge({ browser, personId: null });
}

/** Passkey challenge for a signed-in user who must authenticate again. */
export async function askPasskeyAgain(actor: ConsoleActor): Promise<Asked | null> {
  if (!(await passkeyMethod(actor.session.authMethodId))) return null;
  const { passkeys } = await listFactors(actor.id);
  if (!passkeys.some(({ rpId }) => rpId === settings().passkeyRpId)) return null;
  return passkeyChallenge({ browser: sessionHolder(actor), personId: actor.id });
}

const ENDED: SignInResult = { kind: 'refused', told: { code: 'own_account.signed_out' } };

/** `again`: the user to whom the passkey must belong. */
export async function signInToConsoleByPasskey(
  input: Browser & PasskeyAnswer & { authMethodId: string; again?: ConsoleActor },
): Promise<SignInResult> {
  const { authMethodId, again, cookieHeader, state, response } = input;
  const method = await passkeyMethod(authMethodId);
  const holder = again ? sessionHolder(again) : await readBrowser(cookieHeader);
  if (!method || holder === null) return ENDED;
  const outcome = await signInByPasskey(carrierOf(input, authMethodId, holder), {
    ...{ method, state, response },
    personId: again?.id ?? null,
  });
  if (outcome.kind === 'signed-in') return { kind: outcome.kind, ...sessionCookies(outcome) };
  return outcome.kind === 'not-started' ? ENDED : outcome;
}
