// What the hosted pages show: plain data, made from the sealed interaction and the registry.
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import type { Plain, Told } from '#lib/language/message.ts';
import type { DisplayText } from '#lib/registry/fields/display-text.ts';
import type { AuthMethodType } from '#lib/registry/methods/kinds.ts';
import { isOpenToAll, methodCan } from '#lib/registry/methods/questions.ts';
import { readSessionHash } from '#lib/sessions/sign-in.ts';
import { antiForgeryToken, readBrowser } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { type SignInNames, signInNames } from '#lib/sign-in/password.ts';
import { findSignedInLabel } from '#lib/store/tokens/sessions.ts';
import { forSession } from '../authorize-request/for-person.ts';
import { type Interaction, openInteraction, sealInteraction } from '../authorize-request/interaction.ts';
import { shownRequest } from '../authorize-request/interrupted-request.ts';
import type { AuthorizeRequest } from '../authorize-request/request.ts';
import { OAuthError, UnknownIssuer } from '../errors/errors.ts';
import { UnidentifiedRequest } from '../errors/unidentified.ts';
import {
  type ApiView,
  apiView,
  type ClientView,
  type ConsentShown,
  clientView,
  consentShown,
  digestOf,
} from '../pages/consent-shown.ts';
import { UnregisteredClientRefused } from '../unregistered/client-refused.ts';
import { forgottenPasswordAddress, PASSWORD_RESET } from './forgotten-password.ts';
import { askForPasskey } from './passkey-sign-in.ts';
import { MUST_CHANGE } from './sign-in.ts';

export type PageInput = { interaction: string | undefined; cookie: string | undefined };
type SignInInput = PageInput & { done?: string | undefined };
export type Unusable = { kind: 'unusable'; heading: Plain; message: Plain };

export type SignInView =
  | {
      kind: 'ready';
      client: ClientView;
      api: ApiView;
      method: { id: string; name: DisplayText; type: AuthMethodType };
      /** by what people of the method are named */
      names: SignInNames;
      username: string;
      notice: Plain | null;
      alert: Told | null;
      /** where a password that is not taken any more is changed; null: it is not about that, or nowhere is said */
      changeAt: string | null;
      /** the address to ask for a new password; null: the method has none */
      forgotten: string | null;
      /** the address to make an account; null: registration is off here */
      register: string | null;
      /** what a browser that knows passkeys is asked; null: passkeys do not sign in here */
      passkey: { options: string; state: string } | null;
      interaction: string;
      antiForgery: string;
    }
  | { kind: 'elsewhere'; heading: Plain; message: Plain }
  | Unusable;

export type ConsentView =
  | (ConsentShown & {
      kind: 'ready';
      /** the language of the person's profile */
      locale: string | null;
      alert: Told | null;
      interaction: string;
      antiForgery: string;
    })
  | Unusable;

export const NOT_WORKING: Unusable = {
  kind: 'unusable',
  heading: 'errors.link',
  message: 'errors.another_browser',
};
const NO_COOKIE: Unusable = {
  kind: 'unusable',
  heading: 'errors.link',
  message: 'errors.no_cookies',
};
const EXPIRED: Unusable = {
  kind: 'unusable',
  heading: 'errors.expired',
  message: 'errors.expired_lead',
};
/** After a reset: the mailed link was opened in another browser, or the interaction has expired meanwhile. */
const RESET_ELSEWHERE = {
  kind: 'elsewhere',
  heading: 'sign_in.changed',
  message: 'sign_in.changed_elsewhere',
} as const;

type HostedPage = {
  request: AuthorizeRequest;
  interaction: Interaction;
  browser: string;
  sealed: string;
  antiForgery: string;
};

/** The interrupted request that a page belongs to, and what binds its forms. */
export async function openHostedPage({
  interaction: sealed,
  cookie,
}: PageInput): Promise<HostedPage | Unusable> {
  const browser = readBrowser(cookie);
  const interaction = openInteraction(sealed, browser);
  if (interaction === 'expired') return EXPIRED;
  if (browser === null && sealed !== undefined) return NO_COOKIE;
  if (interaction === null || browser === null || sealed === undefined) return NOT_WORKING;
  try {
    const request = await shownRequest(interaction);
    return { request, interaction, browser, sealed, antiForgery: antiForgeryToken(browser, sealed) };
  } catch (error) {
    const known =
      error instanceof OAuthError || error instanceof UnknownIssuer || error instanceof UnidentifiedRequest;
    if (known) return NOT_WORKING;
    if (error instanceof UnregisteredClientRefused)
      return { kind: 'unusable', heading: error.heading, message: error.told };
    throw error;
  }
}

export async function viewSignIn(input: SignInInput): Promise<SignInView> {
  const reset = input.done === PASSWORD_RESET;
  const opened = await openHostedPage(input);
  if ('kind' in opened) return reset ? RESET_ELSEWHERE : opened;
  const { request, interaction, browser, sealed, antiForgery } = opened;
  const { id, name, type, config } = request.issuer.method;
  const changeAt = config['password_change_url'];
  // people sign in on the broker's page, not on ours
  if (authMethodOf(request.issuer.method).startSignIn) return NOT_WORKING;
  return {
    kind: 'ready',
    client: clientView(request),
    api: apiView(request.issuer.api),
    method: { id, name, type },
    names: signInNames({ type }, request.issuer.snapshot),
    username: interaction.username ?? request.loginHint ?? '',
    notice: reset ? 'sign_in.changed_here' : null,
    alert: reset ? null : (interaction.alert ?? null),
    changeAt: interaction.alert === MUST_CHANGE && typeof changeAt === 'string' ? changeAt : null,
    forgotten: methodCan({ type }, 'hasAccounts') ? forgottenPasswordAddress(sealed) : null,
    register: isOpenToAll(request.issuer.method)
      ? `${settings().authUrl}/register?interaction=${sealed}`
      : null,
    passkey: await askForPasskey(request.issuer.method, browser),
    interaction: sealed,
    antiForgery,
  };
}

export async function viewConsent(input: PageInput): Promise<ConsentView> {
  const opened = await openHostedPage(input);
  if ('kind' in opened) return opened;
  const { request, interaction, browser } = opened;
  const { method } = request.issuer;
  const session = await readSessionHash(input.cookie, method.id);
  if (!session || session.toString('base64url') !== interaction.asked) return NOT_WORKING;
  const idleSeconds = settings().sessionIdleSeconds;
  const known = await findSignedInLabel({ idHash: session, authMethodId: method.id, idleSeconds });
  if (known === null) return NOT_WORKING;
  const { label, locale } = known;
  const shown = consentShown(await forSession(request, session), label);
  const { alert = null, ...rest } = interaction;
  const sealed = sealInteraction({ ...rest, shown: { label, digest: digestOf(shown) } });
  return {
    kind: 'ready',
    ...shown,
    locale,
    alert,
    interaction: sealed,
    antiForgery: antiForgeryToken(browser, sealed),
  };
}
