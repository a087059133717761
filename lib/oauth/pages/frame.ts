// Common parts of hosted pages: language, checks of the form, protection against frames, the shown client and brand,
// and the authorize request of the page.

import { returnHost } from '#lib/catalogue/clients/definition.ts';
import { callerAddress } from '#lib/http/forwarding.ts';
import { type Answer, type HttpRequest, html, redirect } from '#lib/http/message.ts';
import { NOT_IN_A_FRAME, whyForeignPost } from '#lib/http/navigation.ts';
import { renderPage } from '#lib/http/page.ts';
import { readBodyParams } from '#lib/http/params.ts';
import { sha256 } from '#lib/kit/random.ts';
import type { Message, Plain, Shown, Told } from '#lib/language/message.ts';
import { languageOf } from '#lib/language/negotiate.ts';
import { type Words, withOwnTexts, wordsOf } from '#lib/language/words.ts';
import { type BrandColours, brandColours, shownBrand, type Wearer } from '#lib/registry/brand.ts';
import { OPENID_SCOPES } from '#lib/registry/claims.ts';
import type { DisplayText } from '#lib/registry/display-text.ts';
import { textsShown } from '#lib/registry/own-texts.ts';
import { documentHost, returnsToLoopbackOnly } from '#lib/registry/unregistered.ts';
import { inTheme, readLanguage } from '#lib/sessions/choices.ts';
import { raiseSession, startSession } from '#lib/sessions/sign-in.ts';
import { antiForgeryToken, isAntiForgeryToken, readBrowser } from '#lib/sessions/transaction.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import type { Carrier } from '#lib/sign-in/steps.ts';
import {
  knownSnapshot,
  recentSnapshot,
  type Snapshot,
  type SnapshotApi,
  type SnapshotClient,
} from '#lib/store/snapshot.ts';
import { type Interaction, openInteraction, sealInteraction } from '../authorize/interaction.ts';
import { type AuthorizeRequest, shownRequest } from '../authorize/request.ts';
import { logoAddress } from '../client-logo.ts';
import { ForgedForm, OAuthError, UnidentifiedRequest, UnknownIssuer } from '../errors.ts';
import { openSignOut } from '../sign-out-request.ts';
import { UnregisteredClientRefused } from '../unregistered.ts';

// Language of pages during sign-in and sign-out.

type Headers = HttpRequest['headers'];
/** The request to which a page belongs. `at`: API and client of that request. */
type Behind = {
  uiLocales: string | null;
  startedAt: number;
  at?: { apiId: string; clientId: string | null };
};

/**
 * Language of a page, by the first known value: request (`ui_locales`), user's choice, profile, header,
 * DEFAULT_LANGUAGE. A choice that the user made on a page of this request is newer than `ui_locales` and comes first.
 * `sealed`: interaction of the page. `profile`: language of a known user. `chosen`: language from the page's address.
 * Texts of APIs and clients come from this process's registry.
 */
export function pageWords(
  headers: Headers,
  sealed?: string,
  profile: string | null = null,
  chosen: Language | null = null,
): Words {
  const pendingRequest = sealed === undefined ? null : askedBy(headers['cookie'], sealed);
  return wordsFor(headers, pendingRequest, { profile, chosen });
}

/**
 * Loads the registry, which contains texts of sign-in pages. If the database is unavailable, the page reports the error
 * itself.
 */
export const readTexts = (): Promise<unknown> => recentSnapshot().catch(() => null);

/** Like `pageWords`, for an opened interaction. */
export const interactionWords = (headers: Headers, interaction: Interaction | null): Words =>
  wordsFor(headers, interaction && behind(interaction));

/** Returns the texts for the response to a request that contains its interaction or `ui_locales`. */
export function requestWords({ headers, query }: Pick<HttpRequest, 'headers' | 'query'>): Words {
  const searchParams = new URLSearchParams(query);
  const sealed = searchParams.get('interaction');
  if (sealed !== null) return pageWords(headers, sealed);
  return wordsFor(headers, {
    uiLocales: searchParams.get('ui_locales'),
    startedAt: Number.POSITIVE_INFINITY,
  });
}

type Known = { profile?: string | null; chosen?: Language | null };

function wordsFor(
  headers: Headers,
  pendingRequest: Behind | null,
  { profile = null, chosen = null }: Known = {},
): Words {
  const storedLanguage = readLanguage(headers['cookie']);
  const younger =
    storedLanguage !== null && pendingRequest !== null && storedLanguage.at > pendingRequest.startedAt;
  const language =
    chosen ??
    languageOf(
      {
        uiLocales: younger ? null : pendingRequest?.uiLocales,
        chosen: storedLanguage?.language,
        profile,
        acceptLanguage: headers['accept-language'],
      },
      settings().defaultLanguage,
    );
  const words = inTheme(wordsOf(language), headers['cookie']);
  return pendingRequest?.at ? inTheirTexts(words, pendingRequest.at) : words;
}

/** Applies the texts that the API and the client configured. Every sign-in page gets its texts from this function. */
function inTheirTexts(words: Words, { apiId, clientId }: NonNullable<Behind['at']>): Words {
  const snapshot = knownSnapshot();
  const api = snapshot?.apis.get(apiId);
  if (!api) return words;
  const client = (clientId !== null && snapshot?.clients.get(clientId)) || null;
  return withOwnTexts(words, textsShown(words.language, api, client));
}

function askedBy(cookie: string | undefined, sealed: string): Behind | null {
  const browser = readBrowser(cookie);
  const interaction = openInteraction(sealed, browser);
  if (interaction !== null && interaction !== 'expired') return behind(interaction);
  const signOut = openSignOut(sealed, browser);
  if (signOut === null || signOut === 'expired') return null;
  return { uiLocales: signOut.uiLocales ?? null, startedAt: signOut.startedAt };
}

function behind({ query, startedAt, apiId }: Interaction): Behind {
  const searchParams = new URLSearchParams(query);
  return {
    uiLocales: searchParams.get('ui_locales'),
    startedAt,
    at: { apiId, clientId: searchParams.get('client_id') },
  };
}

// Checks of every hosted form: a Gatehouse page must have posted it, in the browser of that page, with its anti-forgery
// token.

/** Error for a page or form older than ten minutes. */
export class ExpiredInteraction extends Error {
  override name = 'ExpiredInteraction';
}

export type HostedForm = { fields: ReadonlyMap<string, string>; interaction: Interaction };

export async function readHostedForm(request: HttpRequest): Promise<HostedForm> {
  const fields = await readOwnForm(request);
  const browser = readBrowser(request.headers['cookie']);
  const sealed = fields.get('interaction');
  const interaction = openInteraction(sealed, browser);
  if (interaction === 'expired') throw new ExpiredInteraction('the interaction is older than ten minutes');
  if (interaction === null || !isAntiForgeryToken(fields.get('anti_forgery'), browser, sealed ?? '')) {
    throw new ForgedForm('the form is not one of ours, or of another browser');
  }
  return { fields, interaction };
}

/** Reads the fields of a form that a Gatehouse page posted. */
export async function readOwnForm(request: HttpRequest): Promise<ReadonlyMap<string, string>> {
  const why = whyForeignPost(request, settings().authUrl);
  if (why !== null) throw new ForgedForm(`the form was posted from elsewhere: ${why}`);
  const { values, repeated } = await readBodyParams(request);
  if (repeated.size > 0) throw new ForgedForm('a field is repeated');
  return values;
}

/**
 * Keeps a sign-in in the interaction of an application. `trust`: called after the proof of a second factor; true makes
 * the browser trusted.
 */
export function carrierOf(
  request: HttpRequest,
  { authMethodId, apiId, browser: holder }: Interaction,
  { trust = async () => false }: { trust?: () => Promise<boolean> } = {},
): Carrier {
  const { requestId, headers } = request;
  return {
    ...{ authMethodId, apiId, holder, requestId, ip: callerAddress(request, settings().trustProxy) },
    ...{ cookieHeader: headers['cookie'], userAgent: headers['user-agent'] ?? null },
    start: startSession,
    raise: async (input) => raiseSession({ ...input, trust: await trust() }),
  };
}

/** Fields of a passkey form. */
export const passkeyAnswer = (fields: ReadonlyMap<string, string>) => ({
  state: fields.get('passkey_state') ?? '',
  response: fields.get('credential') ?? '',
});

/** Alert of a page, without the English text of a fault. A message without values is its code. */
export const alertOf = ({ code, values }: Message): Told =>
  (values ? ({ code, values } as Message) : code) as Told;

/** Interaction with the alert of a rejected form. `byPasskey`: the form contained a passkey without typed fields. */
export function addRejection(
  { alertAt: _, ...interaction }: Interaction,
  told: Message,
  byPasskey: boolean,
): Interaction {
  return { ...interaction, alert: alertOf(told), ...(byPasskey && { alertAt: 'passkey' }) };
}

/** True if the alert concerns form fields. */
export const isFieldWrong = ({ alert, alertAt }: Interaction): boolean =>
  alert !== undefined && alertAt !== 'passkey';

/** Shows the sign-in page again, with an alert. `username`: as typed; missing: the form contained a passkey. */
export function signInAgain(interaction: Interaction, told: Message, username?: string): Answer {
  const rejected = addRejection(interaction, told, username === undefined);
  const sealed = sealInteraction({ ...rejected, ...(username !== undefined && { username }) });
  return redirect(303, `${settings().authUrl}/login?interaction=${sealed}`);
}

/**
 * Address of the page that redirects automatically. Chromium applies CSP form-action to every redirect after a form
 * post, so the redirect to the client must start from a page.
 */
export function continueLocation(interaction: Interaction): string {
  return `${settings().authUrl}/continue?interaction=${sealInteraction(interaction)}`;
}

// Browsers block Gatehouse pages in frames. For a page in a frame, Gatehouse therefore sends an error page
// without a form.

export function notInAFrame(http: HttpRequest): Answer {
  const words = requestWords(http);
  const page = renderPage({ ...NOT_IN_A_FRAME, requestId: http.requestId }, words);
  return html(403, page, { https: settings().secureCookies, words });
}

// Data about client, API and brand for pages.

// The brand of a page during a sign-in: the client's own if the client is approved, otherwise the API's, otherwise that
// of Gatehouse. Every page shows the names of the service and of the client's host.

/** Returns null for the default colours of Gatehouse. */
export function pageColours(
  client: Wearer | null,
  api: Pick<SnapshotApi, 'id' | 'brand'>,
): BrandColours | null {
  const brands = [client && shownBrand(client, api.id), api.brand];
  const { accent, accent_dark: accentDark = null } = brands.find((brand) => brand?.accent) ?? {};
  return accent ? brandColours({ accent, accentDark }) : null;
}

/**
 * Returns the style sheet of a page. It applies only to the card of the page, and the service name keeps its default
 * style.
 */
export function brandStyle(colours: BrandColours | null): string | undefined {
  if (colours === null) return undefined;
  const rule = (card: string, { accent, strong, ink }: BrandColours['light']) =>
    `${card}{--accent:${accent};--accent-strong:${strong};--on-accent:${ink};--tint:var(--sunk)}`;
  return [
    rule('.card', colours.light),
    `@media (prefers-color-scheme:dark){${rule(':root:not([data-theme=light]) .card', colours.dark)}}`,
    rule('[data-theme=dark] .card', colours.dark),
  ].join('');
}

/** Style of a page with the brands of API and client, which the snapshot contains under these ids. */
export function styleFor(
  snapshot: Snapshot | null,
  apiId: string,
  clientId: string | null,
): string | undefined {
  const api = snapshot?.apis.get(apiId);
  const client = (clientId !== null && snapshot?.clients.get(clientId)) || null;
  return api && brandStyle(pageColours(client, api));
}

// The content of the consent page. Its form contains a digest of the whole content, so the approval applies to the
// text that the user read.

export type ClientView = {
  clientId: string;
  name: DisplayText;
  logoUri: string | null;
  /** host of the client's document; null: a registered client */
  host: string | null;
  tosUri: string | null;
  policyUri: string | null;
  contactUri: null;
  /** colours of the page; null: the default colours of Gatehouse */
  colours: BrandColours | null;
};

/** Information links and logo of the API. */
export type ApiView = Pick<SnapshotApi, 'id' | 'name' | 'contactUri' | 'tosUri' | 'policyUri'> & {
  logo: string | null;
};

/** A scope on a page. `code`: message of a scope that Gatehouse defines, which exists in every language. */
export type ScopeShown = { name: string; description: DisplayText; code?: Plain };

export type ConsentShown = {
  client: ClientView;
  api: ApiView;
  scopes: ScopeShown[];
  person: { label: string };
  /** host or scheme of the redirect URI, as shown */
  returnTo: string;
  /** true: all redirect URIs are loopback, so any local program may receive the response */
  onlyHere: boolean;
};

/** `label`: label of the user on the page. */
export function consentShown(request: AuthorizeRequest, label: string): ConsentShown {
  const { api } = request.issuer;
  return {
    client: clientView(request),
    api: apiView(api),
    scopes: scopesShown(request),
    person: { label },
    returnTo: returnHost(request.redirectUri),
    onlyHere: request.client.origin !== null && returnsToLoopbackOnly(request.client.redirectUris),
  };
}

/** Returns the requested scopes with the descriptions that users see. */
export const scopesShown = ({
  issuer: { api },
  consentScopes,
}: {
  issuer: { api: Pick<SnapshotApi, 'scopes'> };
  consentScopes: readonly string[];
}): ConsentShown['scopes'] =>
  [...OPENID_SCOPES.map((scope) => ({ ...scope, code: CODES[scope.name] })), ...api.scopes]
    .filter((scope) => consentScopes.includes(scope.name))
    .map(({ name, description, ...own }) => ({
      name,
      description,
      ...('code' in own && { code: own.code }),
    }));

const CODES = {
  openid: 'consent.scope_openid',
  profile: 'consent.scope_profile',
  email: 'consent.scope_email',
  address: 'consent.scope_address',
  phone: 'consent.scope_phone',
  offline_access: 'consent.scope_offline_access',
} as const satisfies Record<(typeof OPENID_SCOPES)[number]['name'], Plain>;

/** Returns the text of a scope for a page. */
export function scopeText({ name, description, code }: ScopeShown, words: Words): Shown {
  if (code !== undefined) return { text: words.t(code) };
  const descriptionText = words.shown(description);
  return { ...descriptionText, text: descriptionText.text || name };
}

export function digestOf(consentShown: ConsentShown): string {
  return sha256(JSON.stringify(consentShown)).toString('base64url');
}

type Asking = {
  client: Wearer & Pick<SnapshotClient, 'clientId' | 'name' | 'logoUri' | 'tosUri' | 'policyUri' | 'origin'>;
  issuer: { api: Pick<SnapshotApi, 'id' | 'brand'> };
};

export function clientView({ client, issuer: { api } }: Asking): ClientView {
  const { clientId, name, tosUri, policyUri } = client;
  return {
    clientId,
    name,
    logoUri: shownBrand(client, api.id)?.logo ?? logoAddress(client),
    host: documentHost(client),
    tosUri,
    policyUri,
    contactUri: null,
    colours: pageColours(client, api),
  };
}

export function apiView({
  id,
  name,
  contactUri,
  tosUri,
  policyUri,
  brand,
}: Pick<SnapshotApi, Exclude<keyof ApiView, 'logo'> | 'brand'>): ApiView {
  return { id, name, contactUri, tosUri, policyUri, logo: brand?.logo ?? null };
}

// The interrupted authorize request of a page, from its sealed interaction.

export type PageInput = { interaction: string | undefined; cookie: string | undefined };

export type Unusable = { kind: 'unusable'; heading: Plain; message: Plain };

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

type HostedPage = {
  request: AuthorizeRequest;
  interaction: Interaction;
  browser: string;
  sealed: string;
  antiForgery: string;
};

/** Returns the interrupted request of a page, and the values that bind its forms. */
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
    const isRefusal =
      error instanceof OAuthError || error instanceof UnknownIssuer || error instanceof UnidentifiedRequest;
    if (isRefusal) return NOT_WORKING;
    if (error instanceof UnregisteredClientRefused)
      return { kind: 'unusable', heading: error.heading, message: error.told };
    throw error;
  }
}
