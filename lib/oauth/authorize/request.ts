// The authorize request: its validation, its next step for the signed-in user, and the return to the client.

import { asksGroups } from '#lib/catalogue/apis/definition.ts';
import { isPrivateUse, kindOf } from '#lib/catalogue/clients/definition.ts';
import { type Answer, html, redirect } from '#lib/http/message.ts';
import { renderPage } from '#lib/http/page.ts';
import { type Params, parseForm } from '#lib/http/params.ts';
import { randomToken } from '#lib/kit/random.ts';
import { languageOfUiLocales } from '#lib/language/negotiate.ts';
import type { Words } from '#lib/language/words.ts';
import { OPENID_SCOPE_NAMES } from '#lib/registry/claims.ts';
import { settings } from '#lib/settings/settings.ts';
import type { Authorized } from '#lib/store/hot/authorize.ts';
import type { OpenIdRequest } from '#lib/store/hot/person-facts.ts';
import { findSignInSession } from '#lib/store/hot/sessions.ts';
import {
  catchUp,
  hasChanged,
  RegistryChanged,
  recentSnapshot,
  type Snapshot,
  type SnapshotClient,
  watchedSnapshot,
} from '#lib/store/snapshot.ts';
import { decodeUnchecked } from '#lib/tokens/jws.ts';
import { personDenied, scopeCeiling, scopesOfPerson } from '../client.ts';
import {
  AccessDenied,
  ConsentRequired,
  InteractionRequired,
  InvalidClient,
  InvalidDpopProof,
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  InvalidTarget,
  InvalidToken,
  LoginRequired,
  OAuthError,
  RegistrationNotSupported,
  RequestNotSupported,
  RequestUriNotSupported,
  TemporarilyUnavailable,
  UnauthorizedClient,
  UnidentifiedRequest,
  UnknownIssuer,
  UnsupportedGrantType,
  UnsupportedResponseType,
  UseDpopNonce,
} from '../errors.ts';
import { atHost, findIssuer, type Issuer } from '../issuer.ts';
import { expectedSubOf, readOpenIdRequest, scopesOfClaims } from '../openid.ts';
import {
  appendParameters,
  codeChallengeOf,
  isRegisteredRedirectUri,
  NO_AUTH_TIME,
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
import {
  consentSince,
  standingOf,
  UnregisteredClientRefused,
  withUnregisteredClient,
} from '../unregistered.ts';
import { AUTHORIZE_PARAMETERS, MAX_STATE_BYTES } from './declaration.ts';
import {
  type Asking,
  allowance,
  type Interaction,
  type NeededStrength,
  ownReturnOf,
  type SecondFactorStep,
  secondFactorStep,
  strengthOfRequest,
} from './interaction.ts';

// The authorize request, checked in two stages. `identify` finds the client and its redirect address; before that, no
// error may redirect. `validate` requires the result of `identify` (RFC 6749 §4.1.2.1).

/** The client and redirect URI for the response. No redirect is possible without a recipient. */
export type Recipient = {
  issuer: Issuer;
  client: SnapshotClient;
  redirectUri: string;
  state: string | null;
  /** how the response reaches the redirect URI (OAuth 2.0 Form Post Response Mode §2) */
  responseMode: 'query' | 'form_post';
};

export type AuthorizeRequest = Recipient & {
  scopes: string[];
  /** true if the granted scopes equal the requested ones, so that the response may omit them (RFC 6749 §5.1) */
  scopeAsked: boolean;
  /** true: the request contains a scope parameter */
  scopeNamed: boolean;
  trusted: boolean;
  /** true: the subscription requires a certain claim */
  restricted: boolean;
  /** true: the user’s groups permit no scope */
  shutOut: boolean;
  /** true: an unregistered client without approval, so the user sees a waiting page and requests approval */
  waits: boolean;
  /** consents before this time are invalid; null: every consent is valid */
  consentSince: Date | null;
  codeChallenge: string | null;
  /** thumbprint of the DPoP key that must redeem the code (RFC 9449 §10); null: any key */
  dpopJkt: Uint8Array | null;
  prompt: ReadonlySet<Prompt>;
  maxAgeSeconds: number | null;
  /** required strength of the sign-in */
  strength: NeededStrength;
  acrValues: string | undefined;
  loginHint: string | null;
  /** null: the request has no scope `openid` */
  openid: OpenIdRequest | null;
  /** items that the user’s consent must cover: scopes, and scopes of individually requested claims */
  consentScopes: string[];
  /**
   * the `sub` of the id_token_hint or of claims, as the client knows the user (lib/oauth/issuer.ts); null for any
   * user
   */
  expectedSub: string | null;
};

const MAX_KEPT_CHARACTERS = 8_192;

/**
 * The authorize request in the form in which it is stored while the user is on other pages. It contains only the
 * parameters that the server reads. Throws InvalidRequest if it is too long.
 */
export function keptQuery({ values }: Params): string {
  const searchParams = new URLSearchParams();
  const language = languageOfUiLocales(values.get('ui_locales') ?? '');
  for (const name of AUTHORIZE_PARAMETERS) {
    const value = name === 'ui_locales' ? language : values.get(name);
    if (value !== undefined && value !== null) searchParams.set(name, value);
  }
  const query = searchParams.toString();
  if (query.length > MAX_KEPT_CHARACTERS) throw new InvalidRequest('The request is too long.');
  return query;
}

/**
 * `called`: the issuer at its address under `AUTH_URL`, which browsers use. The response contains the issuer address
 * that received the request. `ownReturn`: the Gatehouse page that receives the result, or null for the client.
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
      'client_id is not the id of an enabled client.',
    );
  }
  const redirectUri = ownReturn ?? redirectUriOf(issuer, client, values.get('redirect_uri'));
  // an app with a private-use scheme receives a redirect, because a form cannot open the app
  const posted = isOpenId(params) && responseModeOf(values) === 'form_post' && /^https?:/i.test(redirectUri);
  return {
    issuer,
    client,
    redirectUri,
    state: stateOf(params),
    responseMode: posted ? 'form_post' : 'query',
  };
}

/** Maximum length of a request object; a longer one does not fit into an address. */
const MAX_REQUEST_OBJECT = 16_384;

/**
 * Reads `response_mode` of a request object for the error response (OpenID Connect Core §6.1). Gatehouse rejects
 * request objects, and ignores the other members of the unverified object.
 */
function responseModeOf(values: Params['values']): unknown {
  const sent = values.get('response_mode');
  if (sent !== undefined) return sent;
  return decodeUnchecked(values.get('request') ?? '', MAX_REQUEST_OBJECT)?.claims['response_mode'];
}

function redirectUriOf(issuer: Issuer, client: SnapshotClient, sent: string | undefined): string {
  if (sent === undefined) {
    const [only, ...more] = client.redirectUris;
    if (issuer.api.requireRedirectUri) throw noReturn('this API requires it');
    if (only === undefined || more.length > 0)
      throw noReturn('the client does not have exactly one registered');
    return only;
  }
  if (!isRegisteredRedirectUri(client, sent)) {
    throw new UnidentifiedRequest(
      'errors.unregistered_return',
      'redirect_uri must be exactly one of the registered redirect addresses of the client. The Requests page of the client in the console shows the value that was sent.',
    );
  }
  return sent;
}

function noReturn(why: string): UnidentifiedRequest {
  const forDeveloper = `redirect_uri is missing or empty, and ${why}.`;
  return new UnidentifiedRequest('errors.no_return', forDeveloper);
}

/** Returns the request's state for the response. A state that cannot be returned unchanged is omitted. */
function stateOf(params: Params): string | null {
  const state = params.values.get('state');
  return state === undefined || !isReturnableState(state) || params.repeated.has('state') ? null : state;
}

function isReturnableState(state: string): boolean {
  return Buffer.byteLength(state) <= MAX_STATE_BYTES && !state.includes('\u0000') && state.isWellFormed();
}

/**
 * True if the scope contains `openid`. Otherwise the request is plain OAuth 2.0, and unknown parameters are
 * ignored.
 */
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
      `state is longer than ${MAX_STATE_BYTES} bytes or contains a character that cannot be returned.`,
    );
  }
  const responseType = values.get('response_type');
  if (responseType === undefined) throw new InvalidRequest('response_type is missing.');
  if (responseType !== 'code') throw new UnsupportedResponseType("response_type must be 'code'.");
  const responseMode = values.get('response_mode');
  if (responseMode !== undefined && responseMode !== recipient.responseMode) {
    throw new InvalidRequest(
      "response_mode must be 'query' or, with the scope 'openid' and an http or https redirect_uri, 'form_post'.",
    );
  }
  const codeChallenge = codeChallengeOf(params, pkceDemandedBy(issuer.api, recipient));
  const prompt = parsePrompt(values.get('prompt'));
  const maxAgeSeconds = parseMaxAge(values.get('max_age'));
  requireOwnResource(issuer.api, params);
  // checked before a rule approves the client and before any page is shown
  requireProfiledClient(issuer.api, client);
  const subscription = standingOf(issuer.api, client, prompt);
  if (scope === undefined && issuer.api.requireScope)
    throw new InvalidScope('scope is missing. This API requires it.');
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

/** Throws for request objects, because ignoring one would process a different request (OpenID Connect Core §6). */
function refuseRequestObjects({ values }: Params): void {
  if (values.has('request')) throw new RequestNotSupported('Request objects are not supported.');
  if (values.has('request_uri'))
    throw new RequestUriNotSupported('Request objects sent by reference are not supported.');
  if (values.has('registration'))
    throw new RegistrationNotSupported('Registration within a request is not supported.');
}

/** Parses a SHA-256 thumbprint (RFC 7638) in base64url (RFC 9449 §10). */
function thumbprintOf(sent: string | undefined): Uint8Array | null {
  if (sent === undefined) return null;
  if (/^[\w-]{43}$/.test(sent)) return Buffer.from(sent, 'base64url');
  throw new InvalidRequest('dpop_jkt must be a SHA-256 thumbprint: 43 base64url characters.');
}

// Errors of an authorize request, and their return to the client. The error returns by a redirect, or by a form that a
// Gatehouse page posts. It always contains `iss` and the unchanged `state` (RFC 6749 §4.1.2, RFC 9207 §2, OAuth 2.0
// Form Post Response Mode §2).

/**
 * Thrown if an authorize request is rejected. `cause` is the reason. If `recipient` is null, the response must
 * not be a redirect.
 */
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

/** `words`: texts of the form-post page, loaded only for that page. */
export function codeRedirect(recipient: Recipient, code: string, words: () => Words): Answer {
  return toClient(recipient, [['code', code]], words);
}

export function errorRedirect(recipient: Recipient, error: OAuthError, words: () => Words): Answer {
  const parameters: [string, string][] = [
    ['error', error.code],
    ['error_description', error.message],
  ];
  const answer = toClient(recipient, parameters, words);
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

// Decides the next step of a valid authorize request, with the current registry and for the signed-in user.

// The next step of a valid request: sign-in, second factor, consent, a code, or an error. The decision depends only on
// its arguments. Each step that shows a page has an error that replaces it for prompt=none.

export type AuthorizeDecision =
  | { kind: 'login' }
  | SecondFactorStep
  | { kind: 'approval' }
  | { kind: 'refused' }
  | { kind: 'consent' }
  | { kind: 'issue' }
  | { kind: 'error'; error: OAuthError };

export type AuthorizeQuestion = {
  request: AuthorizeRequest;
  /** this browser's session, in the form used by interactions; null if there is none */
  session: string | null;
  interaction: Interaction | null;
  /** the user that the request names; null: any user */
  expectedPersonId: string | null;
  /** value of SECOND_FACTOR_GRACE_DAYS */
  graceDays: number;
};

/** True if the user signed in for this request: prompt=login and max_age are then satisfied. */
export function signedInHere({ session, interaction }: AuthorizeQuestion): boolean {
  return session !== null && interaction?.signedIn === session;
}

/** Returns the basis of the code if the facts of the session allow a code. Null if the user must interact. */
export function codeBasis(authorizeQuestion: AuthorizeQuestion): 'consent' | 'trust' | null {
  const { request, session, interaction } = authorizeQuestion;
  const refused =
    interaction?.denied || interaction?.refused || interaction?.unavailable || interaction?.untimed;
  if (session === null || refused || request.waits || asksToSignIn(authorizeQuestion)) return null;
  if (request.trusted) return needsAct(request) ? null : 'trust';
  const asksAgain = request.prompt.has('consent') || isAnybodys(request);
  return !asksAgain || interaction?.allowed === allowance(session, request.consentScopes) ? 'consent' : null;
}

/** Returns the data on which the decision about a second factor depends. */
export function askingOf(authorizeQuestion: AuthorizeQuestion): Asking {
  const { request, session, interaction, graceDays } = authorizeQuestion;
  return {
    strength: request.strength,
    silent: request.prompt.has('none'),
    here: signedInHere(authorizeQuestion),
    postponed: session !== null && interaction?.postponed === session,
    graceDays,
  };
}

export function decideAuthorize(
  authorizeQuestion: AuthorizeQuestion,
  facts: Authorized['facts'],
  now: Date,
): AuthorizeDecision {
  const { request, interaction, expectedPersonId } = authorizeQuestion;
  const silent = request.prompt.has('none');
  if (interaction?.denied) return { kind: 'error', error: new AccessDenied('The person denied access.') };
  if (interaction?.refused) return { kind: 'error', error: personDenied() };
  if (interaction?.untimed)
    return { kind: 'error', error: new AccessDenied(NO_AUTH_TIME, { reason: 'no-auth-time' }) };
  if (interaction?.unavailable) {
    return { kind: 'error', error: new TemporarilyUnavailable('The sign-in service is not responding.') };
  }
  const other = facts !== null && expectedPersonId !== null && facts.personId !== expectedPersonId;
  if (other && signedInHere(authorizeQuestion))
    return {
      kind: 'error',
      error: new LoginRequired('The person who signed in is not the one that the request names.'),
    };
  if (
    !facts ||
    other ||
    asksToSignIn(authorizeQuestion) ||
    (isTooOld(request, facts, now) && !signedInHere(authorizeQuestion))
  ) {
    if (silent)
      return { kind: 'error', error: new LoginRequired('No one is signed in, or the sign-in is too old.') };
    return { kind: 'login' };
  }
  const step = secondFactorStep(askingOf(authorizeQuestion), facts);
  if (step) return step;
  if (request.waits)
    return silent
      ? {
          kind: 'error',
          error: new ConsentRequired('The person must sign in with this client once without prompt=none.'),
        }
      : { kind: 'approval' };
  if (!facts.mayUse || request.shutOut)
    return silent ? { kind: 'error', error: personDenied() } : { kind: 'refused' };
  const basis = codeBasis(authorizeQuestion);
  const { consented } = facts;
  const covered = consented !== null && request.consentScopes.every((scope) => consented.includes(scope));
  if (basis === 'trust' || (basis === 'consent' && covered)) return { kind: 'issue' };
  if (silent && request.trusted) return { kind: 'error', error: new InteractionRequired(NEEDS_ACT) };
  if (silent) return { kind: 'error', error: new ConsentRequired('The person must consent first.') };
  return { kind: 'consent' };
}

/**
 * True if an application on the device receives the response: a native client, or a private-use scheme of a
 * confidential client.
 */
const goesToDevice = ({ client, redirectUri }: AuthorizeRequest): boolean =>
  kindOf(client) === 'native' || isPrivateUse(redirectUri);

/**
 * True if another program on the device can also use the redirect URI (RFC 8252 §8.6), so the user must consent again.
 * Only document clients with an https redirect URI skip the page.
 */
function isAnybodys(request: AuthorizeRequest): boolean {
  const { client, redirectUri } = request;
  return goesToDevice(request) && !(client.origin === 'document' && /^https:/i.test(redirectUri));
}

const NEEDS_ACT =
  'Any program on the machine can receive a response at this redirect_uri, so prompt=none returns no code. Use the refresh token, or omit prompt.';

/**
 * True if prompt=none must not issue a code, because another program can claim the private-use scheme or local port
 * (RFC 8252 §8.6). The client's trust proves nothing about the requesting program.
 */
function needsAct(request: AuthorizeRequest): boolean {
  return request.prompt.has('none') && goesToDevice(request) && !/^https:/i.test(request.redirectUri);
}

/**
 * Values of `prompt` that the sign-in page and the sign-in at a broker both handle: users can switch accounts
 * on both.
 */
export const ASKING = ['login', 'select_account', 'create'] as const;

function asksToSignIn(authorizeQuestion: AuthorizeQuestion): boolean {
  const { prompt } = authorizeQuestion.request;
  const wanted =
    ASKING.some((value) => prompt.has(value)) || authorizeQuestion.interaction?.switching === true;
  return wanted && !signedInHere(authorizeQuestion);
}

function isTooOld({ maxAgeSeconds }: AuthorizeRequest, { authTime }: { authTime: Date }, now: Date): boolean {
  return maxAgeSeconds !== null && now.getTime() - authTime.getTime() > maxAgeSeconds * 1000;
}

// The authorize request for the signed-in user, without scopes that the user's groups do not permit.

export async function forPerson(request: AuthorizeRequest, personId: string): Promise<AuthorizeRequest> {
  const { issuer, scopes, consentScopes } = request;
  const allowed = await scopesOfPerson(issuer, personId, scopes);
  if (allowed === null) return { ...request, shutOut: true };
  if (allowed.length === scopes.length) return request;
  const isLeft = (name: string) => allowed.includes(name) || !scopes.includes(name);
  // removed scopes require no stronger sign-in; the token response lists the remaining scopes
  const strength = strengthOfRequest(request, { ...request, scopes: allowed });
  const left = { scopes: allowed, scopeAsked: false, consentScopes: consentScopes.filter(isLeft), strength };
  return { ...request, ...left };
}

/**
 * The request for this session's user, whose groups may permit fewer scopes. Without a session, the request is
 * unchanged.
 */
export async function forSession(
  request: AuthorizeRequest,
  idHash: Uint8Array | null,
): Promise<AuthorizeRequest> {
  const { api, method } = request.issuer;
  if (idHash === null || !asksGroups(api)) return request;
  const session = await findSignInSession(idHash, method.id);
  return session ? forPerson(request, session.personId) : request;
}

// A request uses a snapshot of the registry, but its response must match the current registry. An SQL statement that
// writes also checks that the relevant entries are unchanged. If a rejection runs no statement, this module checks the
// entries before the response. If they have changed, nothing was written, and the request is repeated
// (docs/project/decisions/0004).

/** Maximum time of retries in milliseconds, if relevant entries continue to change after the first registry change. */
const GIVE_UP_MS = 3_000;
const REFUSALS = [
  UnregisteredClientRefused,
  AuthorizeRefused,
  InvalidClient,
  InvalidDpopProof,
  InvalidGrant,
  InvalidScope,
  InvalidTarget,
  InvalidToken,
  UnauthorizedClient,
  UnidentifiedRequest,
  UnknownIssuer,
  UnsupportedGrantType,
  UseDpopNonce,
];

/**
 * Called before a rejection or a response without a statement, such as "unknown token". Throws RegistryChanged if the
 * shared registry (for example its keys) or this client has changed since the snapshot; a null client checks the shared
 * registry only. `since`: start of the request (performance.now()).
 */
export async function requireCurrent(
  snapshot: Snapshot,
  clientId: string | null,
  since: number,
): Promise<void> {
  if (await hasChanged(snapshot, clientId, since)) throw new RegistryChanged('the registry has changed');
}

type RegistryUse = {
  /**
   * `recentSnapshot` if the writing statement confirms the snapshot; otherwise `currentSnapshot`, which queries the
   * database first
   */
  read: () => Promise<Snapshot>;
  /** the client whose registry entries caused this rejection; null if there is none */
  clientId: (error: unknown) => Promise<string | null>;
};

export async function onCurrentRegistry<T>(
  { read, clientId }: RegistryUse,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  // the time limit starts at the first registry change, because a queued password check can take longer than
  // the limit
  let end = Number.POSITIVE_INFINITY;
  while (performance.now() < end) {
    const since = performance.now();
    const snapshot = await read();
    try {
      return await work(snapshot);
    } catch (error) {
      if (error instanceof OAuthError && error.counted) throw error;
      const again =
        error instanceof RegistryChanged ||
        (REFUSALS.some((kind) => error instanceof kind) &&
          (await hasChanged(snapshot, await clientId(error), since)));
      if (!again) throw error;
    }
    end = Math.min(end, performance.now() + GIVE_UP_MS);
    await catchUp(end - performance.now());
  }
  throw new TemporarilyUnavailable('The configuration is being changed. Try again in a moment.');
}

// The interrupted authorize request of an interaction. It is validated again, because the client or scopes may have
// been removed since the interaction was sealed.

/** Throws UnknownIssuer, UnidentifiedRequest, UnregisteredClientRefused, or an OAuthError. */
export async function interruptedRequest(
  interaction: Interaction,
  snapshot: Snapshot,
): Promise<AuthorizeRequest> {
  const params = parseForm(interaction.query);
  const issuer = findIssuer(snapshot, interaction);
  const extendedIssuer = await withUnregisteredClient(issuer, params.values.get('client_id'), {
    address: null,
    requestId: '',
  });
  return validate(identify(extendedIssuer, params, ownReturnOf(interaction)), params);
}

/**
 * The interrupted request for a page whose data no statement confirms. Reads the watched snapshot, so that all
 * processes show the same state.
 */
export const shownRequest = (interaction: Interaction): Promise<AuthorizeRequest> =>
  onRegistryOf(interaction, async (request) => request, watchedSnapshot);

/** Runs `work` with the interrupted request and retries after a relevant registry change. */
export function onRegistryOf<T>(
  interaction: Interaction,
  work: (request: AuthorizeRequest) => Promise<T>,
  read = recentSnapshot,
): Promise<T> {
  const clientId = async () => parseForm(interaction.query).values.get('client_id') ?? null;
  return onCurrentRegistry({ read, clientId }, async (snapshot) =>
    work(await interruptedRequest(interaction, snapshot)),
  );
}
