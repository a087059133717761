// The authorize request: its checks, and the way back to the client.

import { type Answer, html, redirect } from '#lib/http/message.ts';
import { renderPage } from '#lib/http/page.ts';
import type { Params } from '#lib/http/params.ts';
import { randomToken } from '#lib/kit/random.ts';
import { languageOfUiLocales } from '#lib/language/negotiate.ts';
import type { Words } from '#lib/language/words.ts';
import { OPENID_SCOPE_NAMES } from '#lib/registry/claims.ts';
import { settings } from '#lib/settings/settings.ts';
import type { OpenIdRequest } from '#lib/store/hot/person-facts.ts';
import type { SnapshotClient } from '#lib/store/snapshot.ts';
import { unchecked } from '#lib/tokens/jws.ts';
import { scopeCeiling } from '../client.ts';
import {
  InvalidRequest,
  InvalidScope,
  type OAuthError,
  RegistrationNotSupported,
  RequestNotSupported,
  RequestUriNotSupported,
  UnidentifiedRequest,
  UnsupportedResponseType,
} from '../errors.ts';
import { atHost, type Issuer } from '../issuer.ts';
import { expectedSubOf, readOpenIdRequest, scopesOfClaims } from '../openid.ts';
import {
  appendParameters,
  codeChallengeOf,
  isRegisteredRedirectUri,
  type Prompt,
  parseMaxAge,
  parsePrompt,
  parseScope,
  pkceDemandedBy,
  RESOURCE,
  requireOwnResource,
  requireProfiledClient,
  withoutOfflineAccess,
} from '../rules.ts';
import { consentSince, standingOf, UnregisteredClientRefused } from '../unregistered.ts';
import { AUTHORIZE_PARAMETERS, MAX_STATE_BYTES } from './declaration.ts';
import { type NeededStrength, strengthOfRequest } from './interaction.ts';

// The authorize request, checked in two stages. `identify` finds the client and its redirect address; until then
// nothing may redirect. `validate` needs the result of `identify` (RFC 6749 §4.1.2.1).

/** The client and the address that the answer goes to. Redirecting takes one of these. */
export type Recipient = {
  issuer: Issuer;
  client: SnapshotClient;
  redirectUri: string;
  state: string | null;
  /** how the answer goes there (OAuth 2.0 Form Post Response Mode §2) */
  responseMode: 'query' | 'form_post';
};

export type AuthorizeRequest = Recipient & {
  scopes: string[];
  /** they are those that were asked for: the answer need not name them (RFC 6749 §5.1) */
  scopeAsked: boolean;
  /** scope came at all */
  scopeNamed: boolean;
  trusted: boolean;
  /** it is for people with a certain claim */
  restricted: boolean;
  /** nothing of it is for the person, by their groups */
  shutOut: boolean;
  /** an unregistered client without approval: its person is told so, and asks for it */
  waits: boolean;
  /** a consent from before does not count any more; null: each does */
  consentSince: Date | null;
  codeChallenge: string | null;
  /** the thumbprint of the key that must redeem the code (RFC 9449 §10); null: any */
  dpopJkt: Uint8Array | null;
  prompt: ReadonlySet<Prompt>;
  maxAgeSeconds: number | null;
  /** of the sign-in */
  strength: NeededStrength;
  acrValues: string | undefined;
  loginHint: string | null;
  /** null: without the scope `openid` */
  openid: OpenIdRequest | null;
  /** what the person agrees to: the scopes, and those of claims asked for one by one */
  consentScopes: string[];
  /** of the id_token_hint or in claims, as the client knows the person (lib/oauth/issuer.ts); null: any person */
  expectedSub: string | null;
};

const MAX_KEPT_CHARACTERS = 8_192;

/** The request as it is kept while its person is away: what is read of it and no more, or InvalidRequest. */
export function keptQuery({ values }: Params): string {
  const kept = new URLSearchParams();
  const language = languageOfUiLocales(values.get('ui_locales') ?? '');
  for (const name of AUTHORIZE_PARAMETERS) {
    const value = name === 'ui_locales' ? language : values.get(name);
    if (value !== undefined && value !== null) kept.set(name, value);
  }
  const query = kept.toString();
  if (query.length > MAX_KEPT_CHARACTERS) throw new InvalidRequest('The request is too long.');
  return query;
}

/**
 * `called`: the issuer by its path address, where browsers are; the answer's is the one that the request began at.
 * `ownReturn`: where the browser goes afterwards, if that is a page of ours; null: to the client.
 */
export function identify(called: Issuer, params: Params, ownReturn: string | null = null): Recipient {
  const { values, repeated } = params;
  const issuer = atHost(called, values.get('issuer_host'));
  if (repeated.has('client_id')) {
    throw new UnidentifiedRequest('errors.two_applications', 'client_id is repeated.');
  }
  if (repeated.has('redirect_uri')) {
    throw new UnidentifiedRequest('errors.two_returns', 'redirect_uri is repeated.');
  }
  const clientId = values.get('client_id');
  if (clientId === undefined) {
    throw new UnidentifiedRequest('errors.unnamed_application', 'client_id is missing or empty.');
  }
  const client = issuer.snapshot.clients.get(clientId);
  if (client?.disabled && client.origin !== null) throw new UnregisteredClientRefused('blocked');
  if (!client || client.disabled) {
    throw new UnidentifiedRequest(
      'errors.unknown_application',
      'client_id names no client that may be used.',
    );
  }
  const redirectUri = ownReturn ?? redirectUriOf(issuer, client, values.get('redirect_uri'));
  // an app that is opened by its own scheme gets an address, and no form
  const posted = isOpenId(params) && responseModeOf(values) === 'form_post' && /^https?:/i.test(redirectUri);
  return {
    issuer,
    client,
    redirectUri,
    state: stateOf(params),
    responseMode: posted ? 'form_post' : 'query',
  };
}

/** Longer ones come in no address. */
const MAX_REQUEST_OBJECT = 16_384;

/**
 * A request object is refused, and its `response_mode` says how the client hears of it (OpenID Connect Core §6.1).
 * Nothing else of the unverified object counts.
 */
function responseModeOf(values: Params['values']): unknown {
  const sent = values.get('response_mode');
  if (sent !== undefined) return sent;
  return unchecked(values.get('request') ?? '', MAX_REQUEST_OBJECT)?.claims['response_mode'];
}

function redirectUriOf(issuer: Issuer, client: SnapshotClient, sent: string | undefined): string {
  if (sent === undefined) {
    const [only, ...more] = client.redirectUris;
    if (issuer.api.requireRedirectUri) throw noReturn('this API requires it');
    if (only === undefined || more.length > 0)
      throw noReturn('the client has not exactly one to fall back on');
    return only;
  }
  if (!isRegisteredRedirectUri(client, sent)) {
    throw new UnidentifiedRequest(
      'errors.unregistered_return',
      'redirect_uri must be exactly one of those that the client has registered. The console shows under Requests of the client what came.',
    );
  }
  return sent;
}

function noReturn(why: string): UnidentifiedRequest {
  const forDeveloper = `redirect_uri is missing or empty, and ${why}.`;
  return new UnidentifiedRequest('errors.no_return', forDeveloper);
}

/** A state that cannot be returned untouched is not returned. */
function stateOf(params: Params): string | null {
  const state = params.values.get('state');
  return state === undefined || !isReturnableState(state) || params.repeated.has('state') ? null : state;
}

function isReturnableState(state: string): boolean {
  return Buffer.byteLength(state) <= MAX_STATE_BYTES && !state.includes('\u0000') && state.isWellFormed();
}

/** Without `openid` the request is plain OAuth 2.0, and unknown parameters are ignored. */
function isOpenId({ values }: Params): boolean {
  return values.get('scope')?.split(' ').includes('openid') ?? false;
}

export function validate(recipient: Recipient, params: Params): AuthorizeRequest {
  const { values, repeated } = params;
  const { issuer, client } = recipient;
  const twice = [...repeated].find((name) => name !== RESOURCE);
  if (twice !== undefined) throw new InvalidRequest(`The parameter '${twice.slice(0, 60)}' is repeated.`);
  const scope = values.get('scope');
  const asksOpenId = isOpenId(params);
  if (asksOpenId) refuseRequestObjects(params);
  const state = values.get('state');
  if (state !== undefined && !isReturnableState(state)) {
    throw new InvalidRequest(
      `state is longer than ${MAX_STATE_BYTES} bytes or holds a character that can not be returned.`,
    );
  }
  const responseType = values.get('response_type');
  if (responseType === undefined) throw new InvalidRequest('response_type is missing.');
  if (responseType !== 'code') throw new UnsupportedResponseType("response_type must be 'code'.");
  const responseMode = values.get('response_mode');
  if (responseMode !== undefined && responseMode !== recipient.responseMode) {
    throw new InvalidRequest(
      "response_mode must be 'query' or, with the scope 'openid' and for an address of the web, 'form_post'.",
    );
  }
  const codeChallenge = codeChallengeOf(params, pkceDemandedBy(issuer.api, recipient));
  const prompt = parsePrompt(values.get('prompt'));
  const maxAgeSeconds = parseMaxAge(values.get('max_age'));
  requireOwnResource(issuer.api, params);
  // before a rule lets it in, and a person is asked
  requireProfiledClient(issuer.api, client);
  const subscription = standingOf(issuer.api, client, prompt);
  if (scope === undefined && issuer.api.requireScope)
    throw new InvalidScope('scope is missing; this API requires it.');
  const waits = subscription === null;
  const ceiling = scopeCeiling(issuer.api, subscription ?? { scopes: [] });
  const allowed = asksOpenId ? [...OPENID_SCOPE_NAMES, ...ceiling] : ceiling;
  const meant = scope === undefined || asksOpenId ? scope : withoutOfflineAccess(scope);
  const scopes = meant === undefined ? ceiling : parseScope(meant, allowed);
  const { openid, demanded } = asksOpenId ? readOpenIdRequest(params) : { openid: null, demanded: {} };
  const acrValues = values.get('acr_values');
  return {
    ...recipient,
    scopes,
    scopeAsked: scope !== undefined && scope === meant,
    scopeNamed: scope !== undefined,
    trusted: subscription?.trusted ?? false,
    restricted: subscription?.restricted ?? false,
    shutOut: false,
    waits,
    consentSince: consentSince(client, subscription),
    codeChallenge,
    dpopJkt: thumbprintOf(values.get('dpop_jkt')),
    prompt,
    maxAgeSeconds,
    strength: strengthOfRequest(recipient, { scopes, acrValues, openid }),
    acrValues,
    loginHint: values.get('login_hint')?.slice(0, 320) ?? null,
    openid,
    consentScopes: openid ? [...new Set([...scopes, ...scopesOfClaims(openid)])] : scopes,
    expectedSub: openid && expectedSubOf(recipient, values.get('id_token_hint'), demanded),
  };
}

/** OpenID Connect Core §6: to ignore one would be to answer another request than the client's. */
function refuseRequestObjects({ values }: Params): void {
  if (values.has('request')) throw new RequestNotSupported('Request objects are not supported.');
  if (values.has('request_uri'))
    throw new RequestUriNotSupported('Request objects by reference are not supported.');
  if (values.has('registration'))
    throw new RegistrationNotSupported('Clients do not register themselves in a request.');
}

/** RFC 9449 §10: a SHA-256 thumbprint (RFC 7638), base64url. */
function thumbprintOf(sent: string | undefined): Uint8Array | null {
  if (sent === undefined) return null;
  if (/^[\w-]{43}$/.test(sent)) return Buffer.from(sent, 'base64url');
  throw new InvalidRequest('dpop_jkt must be a SHA-256 thumbprint: 43 base64url characters.');
}

// What an authorize request is refused with, and the way back to the client: a redirect, or a form that our page posts;
// `state` untouched, `iss` always (RFC 6749 §4.1.2, RFC 9207 §2, OAuth 2.0 Form Post Response Mode §2).

/** A refused authorize request; `cause` is why. Without a recipient nothing may redirect. */
export class AuthorizeRefused extends Error {
  override name = 'AuthorizeRefused';
  readonly params: Params;
  readonly recipient: Recipient | null;
  constructor(params: Params, recipient: Recipient | null, cause: unknown) {
    super('the authorize request is refused', { cause });
    this.params = params;
    this.recipient = recipient;
  }

  get clientId(): string | null {
    return this.params.values.get('client_id') ?? null;
  }
}

/** `words`: of the page that posts, asked for where there is one. */
export function codeRedirect(recipient: Recipient, code: string, words: () => Words): Answer {
  return toClient(recipient, [['code', code]], words);
}

export function errorRedirect(recipient: Recipient, error: OAuthError, words: () => Words): Answer {
  const told: [string, string][] = [
    ['error', error.code],
    ['error_description', error.message],
  ];
  const answer = toClient(recipient, told, words);
  return { ...answer, error: error.code };
}

function toClient(
  { redirectUri, state, issuer, responseMode }: Recipient,
  parameters: [string, string][],
  words: () => Words,
): Answer {
  if (state !== null) parameters.push(['state', state]);
  parameters.push(['iss', issuer.url]);
  if (responseMode === 'form_post') return formPost(redirectUri, parameters, words());
  return redirect(302, appendParameters(redirectUri, parameters));
}

function formPost(action: string, fields: [string, string][], words: Words): Answer {
  const nonce = randomToken('');
  const page = renderPage(
    {
      title: 'frame.one_moment',
      heading: 'frame.one_moment',
      message: 'frame.on_the_way',
      post: { action, fields, nonce },
    },
    words,
  );
  return html(200, page, { https: settings().secureCookies, words, nonce, postsToClient: true });
}
