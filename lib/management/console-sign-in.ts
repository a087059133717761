// Console sign-in: it uses the methods, limits and messages of the hosted sign-in page, but a separate session. There
// is no actor before the sign-in.

import { accountName } from '#lib/auth-methods/attempts.ts';
import { withoutGaps } from '#lib/factors/factor.ts';
import { hasPasskeys, passkeyChallenge, passkeyRegistration, takesPasskeys } from '#lib/factors/passkeys.ts';
import { codeFault, newTotp, sealPendingTotp, totpToReplace } from '#lib/factors/totp.ts';
import { type Message, tooManyAttempts } from '#lib/language/message.ts';
import { wordsOf } from '#lib/language/words.ts';
import type { DisplayText } from '#lib/registry/display-text.ts';
import { type PresetName, presetName } from '#lib/registry/methods/broker/presets.ts';
import type { AuthMethodType } from '#lib/registry/methods/kinds.ts';
import { personLabel } from '#lib/registry/person.ts';
import {
  type ConsoleActor,
  formHolder,
  raiseConsoleSession,
  startConsoleSession,
  type UnfinishedSignIn,
} from '#lib/sessions/console.ts';
import { rememberDevice } from '#lib/sessions/known-device.ts';
import { findInBrowser, RECENT_SECONDS, storeInBrowser } from '#lib/sessions/page-state.ts';
import { readBrowser } from '#lib/sessions/transaction.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  addFactor,
  checkPassword,
  noteSignIn,
  openOwedPassword,
  type PasskeySetUp,
  readOwedPassword,
  replaceOwedPassword,
  type SignInNames,
  sealOwedPassword,
  signInByPasskey,
  signInByPassword,
  signInNames,
  type TotpSetUp,
  takeSecondStep,
  wrongSignIn,
} from '#lib/sign-in/steps.ts';
import { listFactors } from '#lib/store/factors.ts';
import { beginGrace } from '#lib/store/hot/sessions.ts';
import { currentSnapshot, type SnapshotMethod } from '#lib/store/snapshot.ts';
import { readerOf } from './policy.ts';
import { faultAt, faulty, Refused } from './refused.ts';

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
type SignedIn = { cookie: string; device: string[] };
type SignInResult =
  | ({ kind: 'signed-in' } & SignedIn)
  | { kind: 'refused' | 'must-change' | 'unavailable' | 'slow-down'; told: Message };

/**
 * The password is correct, but must be replaced first. `owed`: reference that the page for the new password needs; it
 * is valid only in the browser with `cookie`.
 */
type OwesPassword = { kind: 'owes-password'; owed: string; cookie: string | null };

const OWED = { kind: 'owed password' } as const;

const CODES = {
  refused: { code: 'sign_in.wrong' },
  'must-change': { code: 'sign_in.must_change' },
  unavailable: { code: 'sign_in.unavailable' },
} as const;

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
  const { authMethodId, ip, requestId } = input;
  const method = await passwordMethod(authMethodId);
  const outcome = await signInByPassword({ ...input, method }, (proved) =>
    startConsoleSession({ ...input, ...proved }),
  );
  if (outcome === null) throw withoutPassword();
  const where = { authMethodId, at: 'console', requestId, ip } as const;
  if (outcome.kind === 'signed-in') {
    await noteSignIn(where, outcome.kind);
    const device = rememberDevice(input.cookieHeader, outcome.proved.account, outcome.proved);
    return { kind: outcome.kind, cookie: outcome.session.cookie, device: [device] };
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
  if (outcome.kind !== 'empty')
    await noteSignIn(where, kind, kind, 'told' in outcome ? outcome.told : undefined);
  return {
    kind,
    told: kind === 'refused' ? { code: wrongSignIn(method, await currentSnapshot()) } : CODES[kind],
  };
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
): Promise<SignedIn> {
  const { ip, requestId, cookieHeader, userAgent } = input;
  const owed = await openOwedOfBrowser(input.owed, cookieHeader);
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
  return {
    cookie: replaced.session.cookie,
    device: [rememberDevice(cookieHeader, replaced.account, replaced)],
  };
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

/** Returns a text that binds passkey challenges to the session of the page. */
const browserOf = ({ session }: Pick<Who, 'session'>): string =>
  `console ${session.idHash.toString('base64url')}`;

const takerOf = (who: Who, { requestId, ip }: Browser) => ({
  personId: who.id,
  reader: readerOf(who),
  context: { requestId, ip },
});

/** Raises the level of the session after a proof. Returns null if the session has ended. */
const raiserOf =
  ({ id: personId, session: { authMethodId } }: Who, browser: Browser) =>
  (proof: Parameters<typeof raiseConsoleSession>[0]['proof']) =>
    raiseConsoleSession({ ...browser, authMethodId, personId, proof });

export async function setUpFactor(
  who: Who,
  factorSetUp: TotpSetUp | PasskeySetUp,
  browser: Browser,
): Promise<Added> {
  const proved = who.session.level > 1 || settings().consoleSecondFactor === 'off';
  const factorInput =
    'sealed' in factorSetUp
      ? { ...factorSetUp, another: who.kind === 'person' && proved }
      : { ...factorSetUp, browser: browserOf(who) };
  const added = await addFactor(takerOf(who, browser), factorInput, raiserOf(who, browser));
  if (added.kind === 'added') return { cookie: added.raised.cookie, codes: added.codes };
  if (added.kind === 'refused') throw new Refused(added.code);
  if (added.kind === 'wrong') {
    const fault = 'sealed' in factorSetUp ? codeFault(factorSetUp.code) : null;
    throw faulty([faultAt('code', fault ?? 'second_step.app_code')]);
  }
  if (added.kind === 'slow-down')
    throw new Refused('sign_in.too_many', {}, { retryAfterSeconds: added.waitSeconds });
  throw new Refused(NOT_ADDED[added.kind]);
}

const NOT_ADDED = {
  ended: 'own_account.signed_out',
  expired: 'second_step.too_long',
  exists: 'second_step.app_exists',
  full: 'second_step.apps_full',
} as const;

// Second step of the console sign-in: the user proves a factor, or sets up the first factor. Until then the session
// permits nothing else. The console requires the second step even in a trusted browser.

type Holder = Pick<ConsoleActor | UnfinishedSignIn, 'id' | 'session' | 'signedInAt'>;

type SecondStepView = {
  /** the kinds of codes that are accepted; `null`: the user has no app and no recovery codes */
  code: 'app' | 'app or recovery code' | 'recovery code' | null;
  passkey: { options: string; state: string } | null;
};

/** The factors that this user can use at the present host. */
export async function viewSecondStep(holder: Holder): Promise<SecondStepView> {
  const { totps, passkeys, recoveryCodes } = await listFactors(holder.id);
  const here = passkeys.some(({ rpId }) => rpId === settings().passkeyRpId) && hasPasskeys();
  const spare = recoveryCodes > 0;
  const code = totps.length > 0 ? (spare ? 'app or recovery code' : 'app') : spare ? 'recovery code' : null;
  const passkey = here ? await passkeyChallenge({ browser: browserOf(holder), personId: holder.id }) : null;
  return { code, passkey };
}

/** Digits are a code of the user's app; any other text is a recovery code. */
export async function confirmByCode(
  unfinishedSignIn: UnfinishedSignIn,
  code: string,
  browser: Browser,
): Promise<string> {
  const kind = unfinishedSignIn.hasTotp && /^\p{Nd}*$/u.test(withoutGaps(code)) ? 'totp' : 'recovery_code';
  const secondStep = await takeSecondStep(
    takerOf(unfinishedSignIn, browser),
    { kind, code },
    raiserOf(unfinishedSignIn, browser),
  );
  if (secondStep.kind === 'raised') return secondStep.raised.cookie;
  if (secondStep.kind === 'faulty') throw faulty([faultAt('code', secondStep.code)]);
  if (secondStep.kind === 'wrong') throw faulty([faultAt('code', 'second_step.code_wrong')]);
  if (secondStep.kind === 'used-up') throw faulty([faultAt('code', 'factor.used_up')]);
  if (secondStep.kind === 'slow-down')
    throw new Refused('sign_in.too_many', {}, { retryAfterSeconds: secondStep.waitSeconds });
  throw new Refused('own_account.signed_out');
}

export async function confirmByPasskey(
  unfinishedSignIn: UnfinishedSignIn,
  assertion: { state: string; response: string },
  browser: Browser,
): Promise<string> {
  const answer = { kind: 'passkey', ...assertion, browser: browserOf(unfinishedSignIn) } as const;
  const secondStep = await takeSecondStep(
    takerOf(unfinishedSignIn, browser),
    answer,
    raiserOf(unfinishedSignIn, browser),
  );
  if (secondStep.kind === 'raised') return secondStep.raised.cookie;
  if (secondStep.kind === 'refused') throw new Refused(secondStep.code);
  if (secondStep.kind === 'slow-down')
    throw new Refused('second_step.wait', { seconds: secondStep.waitSeconds });
  throw new Refused('own_account.signed_out');
}

/** Data for the page that sets up a factor. */
type NewFactorView = {
  /** `null`: the maximum number of apps is reached */
  totp: { svg: string; spelled: string; sealed: string } | null;
  /** `null`: this address cannot use passkeys */
  passkey: { options: string; state: string } | null;
};

export async function viewNewFactor(
  who: Holder & Parameters<typeof personLabel>[0] & { name: string },
  { totp = true }: { totp?: boolean } = {},
): Promise<NewFactorView> {
  const label = personLabel(who);
  const pendingTotp = totp ? await newTotp({ label }) : null;
  const passkeyRequest = { personId: who.id, label, name: who.name, browser: browserOf(who) };
  return {
    totp: pendingTotp && {
      svg: pendingTotp.svg,
      spelled: pendingTotp.spelled,
      sealed: sealPendingTotp(who.id, pendingTotp.secret),
    },
    passkey: hasPasskeys() ? await passkeyRegistration(passkeyRequest) : null,
  };
}

/** Returns a secret for an app that will replace the app `id`. `null`: no app has this id. */
export async function viewReplacement(
  who: Holder & Parameters<typeof personLabel>[0],
  id: string,
): Promise<NewFactorView['totp']> {
  const replacedTotp = await totpToReplace(who.id, id);
  if (replacedTotp === null) return null;
  const { svg, spelled, secret } = await newTotp({ label: personLabel(who) });
  return { svg, spelled, sealed: sealPendingTotp(who.id, secret, replacedTotp) };
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
  return passkeyChallenge({ browser: browserOf(actor), personId: actor.id });
}

const ENDED: SignInResult = { kind: 'refused', told: { code: 'own_account.signed_out' } };

/** `again`: the user to whom the passkey must belong. */
export async function signInToConsoleByPasskey(
  input: Browser & { authMethodId: string; state: string; response: string; again?: ConsoleActor },
): Promise<SignInResult> {
  const { authMethodId, again, ip, requestId, cookieHeader, userAgent, state, response } = input;
  const method = await passkeyMethod(authMethodId);
  const browser = again ? browserOf(again) : await readBrowser(cookieHeader);
  if (!method || browser === null) return ENDED;
  const where = { at: 'console', requestId, ip } as const;
  const signInRequest = { method, browser, state, response, personId: again?.id ?? null, where };
  const outcome = await signInByPasskey(signInRequest, (firstProof) =>
    startConsoleSession({ ...firstProof, cookieHeader, ip, userAgent, requestId }),
  );
  if (outcome.kind === 'signed-in') {
    const { session, proved } = outcome;
    const device = proved.email
      ? [rememberDevice(cookieHeader, accountName(method, proved.email), proved)]
      : [];
    return { kind: outcome.kind, cookie: session.cookie, device };
  }
  return outcome.kind === 'not-started' ? ENDED : outcome;
}
