// The pages after the first factor: the user proves or sets up a second factor, or sets a new password.

import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { hasPasskeyHere, passkeyChallenge, passkeyRegistration } from '#lib/factors/passkeys.ts';
import { openPendingTotp } from '#lib/factors/totp.ts';
import { type Answer, type HttpRequest, html, redirect } from '#lib/http/message.ts';
import { renderPage } from '#lib/http/page.ts';
import { randomToken } from '#lib/kit/random.ts';
import type { Plain, Told } from '#lib/language/message.ts';
import type { Words } from '#lib/language/words.ts';
import { tellOfFactor } from '#lib/mail/send.ts';
import { isFreshProof } from '#lib/sessions/page-state.ts';
import { readSessionHash } from '#lib/sessions/sign-in.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  addFactor,
  type CodeAsked,
  type OfferedTotp,
  offerTotp,
  openOwedPassword,
  readOwedPassword,
  replaceOwedPassword,
  type StepAnswer,
  takeSecondStep,
  WRONG_CODE,
} from '#lib/sign-in/steps.ts';
import {
  beginGrace,
  findSecondFactorFacts,
  isSameSignIn,
  noteOffered,
  type SecondFactorFacts,
} from '#lib/store/hot/sessions.ts';
import { recentSnapshot } from '#lib/store/snapshot.ts';
import { type Interaction, sealInteraction } from '../authorize/interaction.ts';
import { type AuthorizeRequest, onRegistryOf } from '../authorize/request.ts';
import { ForgedForm } from '../errors.ts';
import {
  type ApiView,
  addRejection,
  alertOf,
  apiView,
  type ClientView,
  carrierOf,
  clientView,
  continueLocation,
  isFieldWrong,
  NOT_WORKING,
  openHostedPage,
  type PageInput,
  pageWords,
  passkeyAnswer,
  readHostedForm,
  type Unusable,
} from './frame.ts';
import { newPasswordAddress } from './sign-in.ts';

// Code that /confirm and /set-up share: they find the session whose level must be raised, and facts about its user.

type AskedSession = {
  kind: 'asked';
  session: string;
  facts: SecondFactorFacts;
  /** true: the user has a passkey for this domain */
  passkey: boolean;
  level: 2 | 3;
  why: 'required' | 'grace' | 'offer' | undefined;
};
/** Result if the session needs no further step. The request then continues at `location`. */
type Elsewhere = { kind: 'elsewhere'; because: 'done' | 'ended'; location: string };

/** Returns null if the authorize endpoint did not redirect this interaction to this page. */
async function askedOf(
  interaction: Interaction,
  cookie: string | undefined,
): Promise<AskedSession | Elsewhere | null> {
  const { asked, secondFactor, authMethodId } = interaction;
  if (asked === undefined || secondFactor === undefined) return null;
  const idHash = await readSessionHash(cookie, authMethodId);
  if (!idHash) return signedOut(interaction);
  const here = { idHash, authMethodId, idleSeconds: settings().sessionIdleSeconds };
  const facts = await findSecondFactorFacts(here);
  if (!facts) return signedOut(interaction);
  const session = idHash.toString('base64url');
  if (session === asked) {
    const passkey = facts.factorLevel === 3 && (await hasPasskeyHere(facts.personId));
    return { kind: 'asked', session, facts, passkey, why: secondFactor.why, level: secondFactor.level };
  }
  // another tab or a repeated form was faster, or another user signed in, so the authorize endpoint decides the next
  // step
  const same = await isSameSignIn(Buffer.from(asked, 'base64url'), here);
  const next = same ? followSession(interaction, session) : onward(interaction);
  return { kind: 'elsewhere', because: 'done', location: continueLocation(next) };
}

/** Removes from the interaction the members that belong only to this page. */
function onward(interaction: Interaction): Interaction {
  const { asked, secondFactor, alert, alertAt, pendingTotp, ...rest } = interaction;
  return rest;
}

/** Replaces the session id in the interaction by the new id. */
function followSession(interaction: Interaction, session: string): Interaction {
  const { signedIn, ...rest } = onward(interaction);
  return signedIn !== undefined && signedIn === interaction.asked
    ? { ...rest, signedIn: session }
    : onward(interaction);
}

/** Returns the next address after a proof of a second factor. `session`: the new id of the raised session. */
const provedLocation = (interaction: Interaction, session: string): string =>
  continueLocation({ ...followSession(interaction, session), proved: session });

/**
 * Returns the next address for a session that ended while its page was open: the user signed out, was disabled or
 * signed out everywhere, or another form raised the session first.
 */
async function signedOut(interaction: Interaction): Promise<Elsewhere> {
  const { signedIn, proved, postponed, ...rest } = onward(interaction);
  const location = (await asksBroker(rest.authMethodId))
    ? continueLocation({ ...rest, switching: true })
    : `${settings().authUrl}/login?interaction=${sealInteraction({ ...rest, alert: 'sign_in.ended' })}`;
  return { kind: 'elsewhere', because: 'ended', location };
}

/**
 * True if the method redirects to a broker. After a form post, redirects must stay on this origin (CSP
 * form-action), so a redirect to a broker starts from a page.
 */
export async function asksBroker(authMethodId: string): Promise<boolean> {
  const method = (await recentSnapshot()).methods.get(authMethodId);
  return method !== undefined && authMethodOf(method).startSignIn !== undefined;
}

/**
 * Returns the proofs that reach the level. If there are none, returns the user's other proofs, which permit adding a
 * stronger factor.
 */
function proofsFor({ facts, passkey, level }: AskedSession): {
  passkey: boolean;
  totp: boolean;
  recovery: boolean;
} {
  const others = !(passkey && level === 3);
  return { passkey, totp: others && facts.hasTotp, recovery: others && facts.recoveryCodes > 0 };
}

/**
 * Adding a factor requires a recent proof: the password for the first factor, otherwise an existing factor. An old
 * session may be stolen, so it cannot add factors. A broker session with an old sign-in cannot add factors,
 * either.
 */
function mayAddFactor({ signedIn, proved }: Interaction, { session, facts }: AskedSession): boolean {
  const here = proved === session || (signedIn === session && isFreshProof(facts.authTime.getTime()));
  return here && (facts.factorLevel === 0 || facts.level >= 2);
}

// Contents of /confirm: the user and the usable factors.

/** Content of a page that has no form, only a link with which the user continues. */
type Onward = { kind: 'onward'; heading: Plain; message: Plain; href: string };

export type ConfirmView =
  | {
      kind: 'ready';
      client: ClientView;
      api: ApiView;
      /** label of the user on pages */
      label: string;
      /** language in the user's profile */
      locale: string | null;
      alert: Told | null;
      /** true: the alert concerns the field */
      wrong: boolean;
      /** the shown field; null: none */
      field: 'code' | 'recovery code' | null;
      /** address of the page with the field for the other kind of code; null: none */
      other: string | null;
      /** passkey options for the browser, plus the state to return */
      passkey: { options: string; state: string } | null;
      /** number of days for which this browser may skip the page; null: not allowed */
      spareDays: number | null;
      interaction: string;
      antiForgery: string;
    }
  | Onward
  | Unusable;

const DONE = {
  heading: 'factor.done_before',
  message: 'factor.done_elsewhere',
} as const;
const SIGNED_OUT = {
  heading: 'sign_out.done',
  message: 'factor.ended',
} as const;

/** Returns the contents of the page if another form or tab completed the step, or the session ended. */
const passedBy = ({ because, location: href }: { because: 'done' | 'ended'; location: string }): Onward => ({
  kind: 'onward',
  ...(because === 'done' ? DONE : SIGNED_OUT),
  href,
});

/** True if the user may let this browser skip the page. False if the request itself requires this strength. */
const maySpare = ({ strength }: AuthorizeRequest): boolean =>
  settings().trustedBrowserDays > 0 && (strength.level === null || strength.level === 1);

export async function viewConfirm(input: PageInput & { with?: string | undefined }): Promise<ConfirmView> {
  const page = await openHostedPage(input);
  if ('kind' in page) return page;
  const { request, interaction, browser, sealed, antiForgery } = page;
  const askedSession = await askedOf(interaction, input.cookie);
  if (askedSession === null) return NOT_WORKING;
  if (askedSession.kind === 'elsewhere') return passedBy(askedSession);
  const { personId, label, locale } = askedSession.facts;
  const { passkey, totp, recovery } = proofsFor(askedSession);
  const byRecovery = recovery && (input.with === 'recovery' || !(totp || passkey));
  // an alert about one kind of code is not shown on the page for the other kind
  const { alert, ...unsaid } = interaction;
  const fresh = alert === undefined ? sealed : sealInteraction(unsaid);
  const here = `${settings().authUrl}/confirm?interaction=${fresh}`;
  return {
    kind: 'ready',
    client: clientView(request),
    api: apiView(request.issuer.api),
    label,
    locale,
    alert: alert ?? null,
    wrong: isFieldWrong(interaction),
    field: byRecovery ? 'recovery code' : totp ? 'code' : null,
    other: byRecovery ? (totp || passkey ? here : null) : recovery ? `${here}&with=recovery` : null,
    passkey: passkey ? await passkeyChallenge({ browser, personId }) : null,
    spareDays: maySpare(request) ? settings().trustedBrowserDays : null,
    interaction: sealed,
    antiForgery,
  };
}

// POST /confirm/submit: a code, a recovery code or a passkey of the signed-in user raises the session
// (docs/project/decisions/0023). Every fault of a code causes the same message.

export async function handleConfirm(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  if (fields.has('cancel')) return redirect(303, continueLocation({ ...interaction, denied: true }));
  const cookie = request.headers['cookie'];
  const askedSession = await askedOf(interaction, cookie);
  if (askedSession === null) throw new ForgedForm('the session was not asked to confirm anything');
  if (askedSession.kind === 'elsewhere') return redirect(303, askedSession.location);
  const { personId, email, locale } = askedSession.facts;
  const reader = { email, locale };
  const answer = answerOf(fields);
  const trust = async () =>
    fields.has('trust') && (await onRegistryOf(interaction, async (asking) => maySpare(asking)));
  const taken = isOffered(askedSession, answer.kind)
    ? await takeSecondStep(carrierOf(request, interaction, { trust }), { personId, reader }, answer)
    : ({ kind: 'rejected', told: { code: WRONG_CODE[answer.kind] } } as const);
  if (taken.kind === 'ended') return redirect(303, (await signedOut(interaction)).location);
  if (taken.kind === 'rejected') {
    // the same form was sent twice, and the first request used the code
    const now = await askedOf(interaction, cookie);
    if (now?.kind === 'elsewhere') return redirect(303, now.location);
    const rejected = addRejection(interaction, taken.told, answer.kind === 'passkey');
    return again(rejected, fields.has('recovery_code'));
  }
  if (taken.cookies.length > 1) tellOfFactor(reader, 'browser-trusted');
  const location = provedLocation(interaction, taken.idHash.toString('base64url'));
  return redirect(303, location, { 'set-cookie': taken.cookies });
}

function answerOf(fields: ReadonlyMap<string, string>): StepAnswer {
  if (fields.get('credential')) return { kind: 'passkey', ...passkeyAnswer(fields) };
  const kind = fields.has('recovery_code') ? 'recovery_code' : 'totp';
  return { kind, code: fields.get(kind === 'totp' ? 'code' : kind)?.slice(0, 100) ?? '' };
}

/** True if the page offered this kind of proof; other proofs are rejected. */
function isOffered(askedSession: AskedSession, kind: StepAnswer['kind']): boolean {
  const { passkey, totp, recovery } = proofsFor(askedSession);
  return { passkey, totp, recovery_code: recovery }[kind];
}

function again(interaction: Interaction, recovery: boolean): Answer {
  const sealed = sealInteraction(interaction);
  const page = recovery ? '&with=recovery' : '';
  return redirect(303, `${settings().authUrl}/confirm?interaction=${sealed}${page}`);
}

// Contents of /set-up: a passkey or authenticator app, and the option to postpone.

export type SetUpView =
  | {
      kind: 'ready';
      client: ClientView;
      api: ApiView;
      label: string;
      /** language in the user's profile */
      locale: string | null;
      alert: Told | null;
      /** true: the alert concerns the code of the app */
      wrong: boolean;
      /** true: an offer; false: required */
      offer: boolean;
      passkey: { options: string; state: string };
      /** authenticator app to set up; null: the user has one, or an app does not reach the required level */
      totp: OfferedTotp | null;
      /** option to postpone; `until`: the deadline, or null without one; null: no such option */
      later: { until: Date | null } | null;
      interaction: string;
      antiForgery: string;
    }
  | Onward
  | Unusable;

/**
 * Returns the date until which the step can be postponed; null: it cannot be postponed. The grace period starts when
 * the page is first shown.
 */
async function laterFor({ why, facts }: AskedSession): Promise<{ until: Date | null } | null> {
  if (why === 'offer') return { until: null };
  const days = settings().secondFactorGraceDays;
  if (why !== 'grace' || days === 0) return null;
  const grace = await beginGrace(facts.personId, days);
  return grace?.lasts ? { until: grace.until } : null;
}

/** True if the page offers an authenticator app, which reaches level 2. Users add further apps on the account page. */
const mayAddTotp = ({ level, facts }: AskedSession): boolean => level === 2 && !facts.hasTotp;

/** Returns the address for users without a recent proof: the sign-in page, or the page for an existing factor. */
function proofFirst(interaction: Interaction, { facts }: AskedSession): string {
  const { proved, ...next } = onward(interaction);
  return continueLocation(facts.factorLevel === 0 || facts.level >= 2 ? { ...next, switching: true } : next);
}

const SIGN_IN_FIRST = {
  heading: 'factor.sign_in_first',
  message: 'factor.sign_in_first_lead',
} as const;

export async function viewSetUp(input: PageInput): Promise<SetUpView> {
  const page = await openHostedPage(input);
  if ('kind' in page) return page;
  const { request, interaction, browser, sealed, antiForgery } = page;
  const askedSession = await askedOf(interaction, input.cookie);
  if (askedSession === null) return NOT_WORKING;
  if (askedSession.kind === 'elsewhere') return passedBy(askedSession);
  if (!mayAddFactor(interaction, askedSession))
    return { kind: 'onward', ...SIGN_IN_FIRST, href: proofFirst(interaction, askedSession) };
  const { personId, label, locale } = askedSession.facts;
  return {
    kind: 'ready',
    client: clientView(request),
    api: apiView(request.issuer.api),
    label,
    locale,
    alert: interaction.alert ?? null,
    wrong: isFieldWrong(interaction),
    offer: askedSession.why === 'offer',
    passkey: await passkeyRegistration({ personId, label, name: label, browser }),
    totp: mayAddTotp(askedSession)
      ? await offerTotp({ personId, holder: browser }, label, { shown: interaction.pendingTotp })
      : null,
    later: await laterFor(askedSession),
    interaction: sealed,
    antiForgery,
  };
}

// POST /set-up/submit: adds a passkey or authenticator app, which also raises the level of the session. Only this
// response shows the recovery codes (docs/project/decisions/0023).

export async function handleSetUp(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  if (fields.has('cancel')) return redirect(303, continueLocation({ ...interaction, denied: true }));
  const cookie = request.headers['cookie'];
  const askedSession = await askedOf(interaction, cookie);
  if (askedSession === null) throw new ForgedForm('the session was not asked to set anything up');
  if (askedSession.kind === 'elsewhere') return redirect(303, askedSession.location);
  if (fields.has('later')) return postpone(interaction, askedSession);
  if (!mayAddFactor(interaction, askedSession)) return redirect(303, proofFirst(interaction, askedSession));
  const { personId, email, locale } = askedSession.facts;
  const words = pageWords(request.headers, fields.get('interaction'), locale);
  const reader = { email, locale, pageLanguage: words.language };
  // an existing factor was proved before (`mayAddFactor`)
  const factorInput = givenIn(fields, askedSession.facts.factorLevel > 0);
  const added =
    'sealed' in factorInput && !mayAddTotp(askedSession)
      ? ({ kind: 'rejected', told: { code: 'factor.app_exists' } } as const)
      : await addFactor(carrierOf(request, interaction), { personId, reader }, factorInput);
  if (added.kind === 'ended') return redirect(303, (await signedOut(interaction)).location);
  if (added.kind === 'rejected') {
    // the same app secret for the repeated page; a secret that has expired is not shown again
    const shown = fields.get('pending') ?? '';
    const owner = { personId, holder: interaction.browser };
    const pendingTotp = openPendingTotp(owner, shown) === null ? {} : { pendingTotp: shown };
    const byPasskey = !('sealed' in factorInput);
    const sealed = sealInteraction({ ...addRejection(interaction, added.told, byPasskey), ...pendingTotp });
    return redirect(303, `${settings().authUrl}/set-up?interaction=${sealed}`);
  }
  const location = provedLocation(interaction, added.idHash.toString('base64url'));
  const headers = { 'set-cookie': added.cookies };
  return added.codes
    ? showRecoveryCodes(added.codes, words, location, headers)
    : redirect(303, location, headers);
}

function givenIn(fields: ReadonlyMap<string, string>, another: boolean) {
  if (fields.get('credential')) return { ...passkeyAnswer(fields), name: '' };
  const code = fields.get('code')?.slice(0, 100) ?? '';
  return { sealed: fields.get('pending') ?? '', code, another };
}

async function postpone(interaction: Interaction, askedSession: AskedSession): Promise<Answer> {
  const later = await laterFor(askedSession);
  if (askedSession.why === 'offer') await noteOffered(askedSession.facts.personId);
  // if the grace period is over, the authorize endpoint requires the setup again
  const next = onward(interaction);
  return redirect(303, continueLocation(later ? { ...next, postponed: askedSession.session } : next));
}

function showRecoveryCodes(
  codes: readonly string[],
  words: Words,
  href: string,
  headers: Record<string, string[]>,
): Answer {
  const nonce = randomToken('');
  const page = renderPage(
    {
      title: 'factor.recovery_codes',
      heading: 'factor.keep_codes',
      message: 'factor.keep_codes_lead',
      codes: { label: 'factor.recovery_codes', values: codes, nonce },
      link: { href, label: 'frame.continue' },
    },
    words,
  );
  return html(200, page, { https: settings().secureCookies, words, nonce, headers });
}

// Page /new-password and its form, for passwords that must be replaced before sign-in.

export type NewPasswordView =
  | {
      kind: 'ready';
      client: ClientView;
      api: ApiView;
      /** label of the user on pages */
      label: string;
      /** language in the user's profile */
      locale: string | null;
      alert: Told | null;
      /** field to which the alert belongs */
      wrong: 'password' | 'code' | null;
      code: CodeAsked;
      minLength: number;
      interaction: string;
      antiForgery: string;
    }
  | Onward
  | Unusable;

export async function viewNewPassword(
  input: PageInput & { wrong?: string | undefined },
): Promise<NewPasswordView> {
  const page = await openHostedPage(input);
  if ('kind' in page) return page;
  const { request, interaction, sealed, antiForgery } = page;
  const owed = owedIn(interaction);
  if (owed === null) return NOT_WORKING;
  const read = await readOwedPassword(owed);
  if (read === null)
    return passedBy({ because: 'done', location: continueLocation(afterPassword(interaction)) });
  const { alert = null } = interaction;
  return {
    kind: 'ready',
    client: clientView(request),
    api: apiView(request.issuer.api),
    label: read.label,
    locale: read.locale,
    alert,
    wrong: alert === null ? null : input.wrong === 'code' ? 'code' : 'password',
    code: read.code,
    minLength: settings().passwordMinLength,
    interaction: sealed,
    antiForgery,
  };
}

/**
 * Returns the proved password of a user who must replace it. Null: no sign-in led to this page, or the proof expired.
 */
function owedIn({ owedPassword, browser, authMethodId }: Interaction) {
  const owed = openOwedPassword(owedPassword, browser);
  return owed?.authMethodId === authMethodId ? owed : null;
}

/** Removes the proved password from the interaction. */
function afterPassword({ owedPassword: _, alert: __, ...rest }: Interaction): Interaction {
  return rest;
}

export async function handleNewPassword(request: HttpRequest): Promise<Answer> {
  const { fields, interaction } = await readHostedForm(request);
  const rest = afterPassword(interaction);
  if (fields.has('cancel')) return redirect(303, continueLocation({ ...rest, denied: true }));
  const owed = owedIn(interaction);
  if (owed === null) throw new ForgedForm('no password of this browser is to be replaced');
  const passwordInput = {
    password: fields.get('password') ?? '',
    code: fields.get('code')?.slice(0, 100) ?? '',
  };
  const replaced = await replaceOwedPassword(carrierOf(request, interaction), owed, passwordInput);
  switch (replaced.kind) {
    case 'rejected': {
      const { field, told } = replaced;
      const page = newPasswordAddress({ ...interaction, alert: alertOf(told) });
      return redirect(303, field === undefined ? page : `${page}&wrong=${field}`);
    }
    // the authorize endpoint decides the next step
    case 'gone':
      return redirect(303, continueLocation(rest));
    case 'replaced': {
      const signedIn = replaced.idHash.toString('base64url');
      return redirect(303, continueLocation({ ...rest, signedIn }), { 'set-cookie': replaced.cookies });
    }
  }
}
