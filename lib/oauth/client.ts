// A client and its request: the kinds of client, the authenticated client, the limit on wrong secrets, scopes of
// groups, and the DPoP proof.
import { underLimits } from '#lib/auth-methods/attempts.ts';
import { asksGroups } from '#lib/catalogue/apis/definition.ts';
import { kindOf } from '#lib/catalogue/clients/definition.ts';
import { apiScopesOf } from '#lib/catalogue/subscriptions/definition.ts';
import { addressBlock, callerAddress } from '#lib/http/forwarding.ts';
import type { HttpRequest } from '#lib/http/message.ts';
import { type Params, readBodyParams } from '#lib/http/params.ts';
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { settings } from '#lib/settings/settings.ts';
import { spendAssertion, spendProof } from '#lib/store/hot/credentials.ts';
import { attemptLimit, callerLimits } from '#lib/store/hot/limits.ts';
import { findScopesOfGroups } from '#lib/store/hot/person-facts.ts';
import type {
  Snapshot,
  SnapshotApi,
  SnapshotClient,
  SnapshotMethod,
  SnapshotSubscription,
} from '#lib/store/snapshot.ts';
import { claimedSubject } from '#lib/tokens/client-assertion.ts';
import {
  checkProof,
  currentNonce,
  NONCE_HEALS,
  type Proof,
  proofChallenge,
  type ResourceFault,
} from '#lib/tokens/dpop.ts';
import {
  AccessDenied,
  InvalidClient,
  InvalidDpopProof,
  InvalidGrant,
  InvalidRequest,
  type OAuthError,
  type RefusalReason,
  UnauthorizedClient,
  UseDpopNonce,
} from './errors.ts';
import type { Issuer } from './issuer.ts';
import { REFRESH_TOKEN } from './rules.ts';

// The kinds of client and their rights: confidential, browser and native (specification 1.3).

/**
 * The code grant issues a refresh token, with two exceptions: unregistered clients without the refresh grant, and
 * browser clients without DPoP-bound tokens (RFC 9700 §2.2.2).
 */
export function codeGrantGivesRefreshToken(client: SnapshotClient): boolean {
  const { grantTypes, dpopBoundAccessTokens: bound } = client;
  const takesOne = kindOf(client) !== 'browser' || bound;
  return takesOne && (grantTypes.length === 0 || grantTypes.includes(REFRESH_TOKEN));
}

/**
 * Returns the approved subscription. Throws UnauthorizedClient if there is none, because the client then cannot use
 * the API.
 */
export function requireSubscription(
  api: SnapshotApi,
  client: SnapshotClient,
  description = 'This client has no approved subscription to this API.',
): SnapshotSubscription {
  const subscription = subscriptionTo(api, client);
  if (subscription?.state === 'approved') return subscription;
  const reason = subscription ? (`subscription-${subscription.state}` as const) : 'not-subscribed';
  throw new UnauthorizedClient(description, { reason });
}

/**
 * Returns the approved and trusted subscription of an authenticated client. Throws UnauthorizedClient otherwise.
 * Trusting a client_id without authentication would trust every caller.
 */
export const requireTrust = (api: SnapshotApi, client: ProvedClient, description: string) =>
  trustedSubscription(api, client, description);

/**
 * Like `requireTrust`, for grants with a user, who signs in by password or broker. Trust replaces only the
 * user’s consent (specification 4.6: public clients may use the password grant).
 */
export const requireTrustOfUser = (api: SnapshotApi, client: AuthenticatedClient, description: string) =>
  trustedSubscription(api, client, description);

function trustedSubscription(api: SnapshotApi, client: SnapshotClient, description: string) {
  const subscription = requireSubscription(api, client, description);
  if (subscription.trusted) return subscription;
  throw new UnauthorizedClient(description, { reason: 'not-trusted' });
}

export const PERSON_REFUSED = 'This person is not allowed to use this client at this API.';

/** Creates the error for a user without the claim that the subscription requires. */
export const personRefused = () => new InvalidGrant(PERSON_REFUSED, { reason: 'person-refused' });
export const personDenied = () => new AccessDenied(PERSON_REFUSED, { reason: 'person-refused' });

/** True if an approver or rule approved the client anywhere. */
export const isApprovedSomewhere = ({ subscriptions }: Pick<SnapshotClient, 'subscriptions'>): boolean =>
  subscriptions.some(({ state }) => state === 'approved');

/** Returns the client's subscription to the API, in any state. */
export function subscriptionTo(
  api: Pick<SnapshotApi, 'id'>,
  client: SnapshotClient,
): SnapshotSubscription | undefined {
  return client.subscriptions.find((subscription) => subscription.apiId === api.id);
}

/** Returns the scopes that the subscription permits, in the API's order. */
export function scopeCeiling(api: SnapshotApi, subscription: Pick<SnapshotSubscription, 'scopes'>): string[] {
  const all = api.scopes.map((scope) => scope.name);
  const named = apiScopesOf(subscription.scopes);
  return named.length === 0 ? all : all.filter((name) => named.includes(name));
}

/**
 * True if pages of this origin may read the client's responses (CORS). Native clients on localhost may use any port.
 */
export function isAllowedOrigin(client: SnapshotClient, origin: string): boolean {
  if (client.allowedOrigins.length > 0) return client.allowedOrigins.includes(origin);
  const origins = client.redirectUris
    .filter((uri) => /^https?:/i.test(uri))
    .map((uri) => new URL(uri).origin);
  if (origins.includes(origin)) return true;
  return kindOf(client) === 'native' && origins.some((allowedOrigin) => isSameMachine(allowedOrigin, origin));
}

const LOOPBACK_ORIGIN = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?$/;

function isSameMachine(allowedOrigin: string, other: string): boolean {
  const host = LOOPBACK_ORIGIN.exec(allowedOrigin)?.[1];
  return host !== undefined && host === LOOPBACK_ORIGIN.exec(other)?.[1];
}

// The two results of client authentication (RFC 6749 §3.2.1). A confidential client has proved its secret or its key. A
// public client has sent its client_id, which anybody can send. The compiler separates the two types: decisions that
// depend on the caller’s identity require a ProvedClient.

declare const proofBrand: unique symbol;

/** A confidential client, authenticated by secret or key in this request. */
export type ProvedClient = SnapshotClient & {
  readonly confidential: true;
  readonly [proofBrand]: 'by proof';
};

/** A public client that the request names without proof. Only the user, code, verifier or key identifies the sender. */
type NamedClient = SnapshotClient & { readonly confidential: false; readonly [proofBrand]: 'by name' };

export type AuthenticatedClient = ProvedClient | NamedClient;

/** Marks a client as authenticated. Only client authentication and explanations may call it. */
export const asAuthenticated = (client: SnapshotClient): AuthenticatedClient => client as AuthenticatedClient;

/**
 * Returns the client in a later snapshot; null: it was deleted, disabled, or changed between public and confidential.
 */
export function renewClient(
  before: AuthenticatedClient,
  { clients }: { clients: { get: (clientId: string) => SnapshotClient | undefined } },
): AuthenticatedClient | null {
  const client = clients.get(before.clientId);
  if (!client || client.disabled || client.confidential !== before.confidential) return null;
  return asAuthenticated(client);
}

/** Throws UnauthorizedClient for a public client. */
export function requireProvedClient(
  client: AuthenticatedClient,
  description: string,
  reason: RefusalReason,
): ProvedClient {
  if (client.confidential) return client;
  throw new UnauthorizedClient(description, { reason });
}

// A client’s request, read once for handler, CORS and rejection log. The body is parsed only when needed: a request
// with an unknown address or a wrong method reads no body. A client is identified by HTTP Basic, client_id and
// client_secret in the body (RFC 6749 §2.3), or an assertion (RFC 7521 §4.2).

export type ClientRequest = {
  http: HttpRequest;
  snapshot: Snapshot;
  /** the caller's address; null: unknown */
  ip: string | null;
  /** parameters of the body; throws UnreadableParams */
  params: () => Promise<Params>;
  /** the client's credentials; throws InvalidRequest, InvalidClient or UnreadableParams */
  credentials: () => Promise<ClientCredentials>;
  /** null: the request names no client, or is unreadable */
  namedClientId: () => Promise<string | null>;
};

export type IssuerRequest = ClientRequest & { issuer: Issuer };

export function readClientRequest(http: HttpRequest): Omit<ClientRequest, 'snapshot'> {
  const params = once(() => readBodyParams(http));
  const credentials = once(async () => readClientCredentials(http.headers['authorization'], await params()));
  const namedClientId = async () => (await credentials().catch(() => null))?.clientId ?? null;
  return { http, ip: callerAddress(http, settings().trustProxy), params, credentials, namedClientId };
}

/** Returns the client that the request names, without authentication; undefined: the client is unknown. */
export async function namedClient(request: ClientRequest): Promise<SnapshotClient | undefined> {
  return request.snapshot.clients.get((await request.namedClientId()) ?? '');
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= read();
    return result;
  };
}

export const CHALLENGE = { headers: { 'www-authenticate': 'Basic realm="Gatehouse", charset="UTF-8"' } };

/** `contradiction`: the request contains conflicting credentials; `requireCredentials` throws it. */
export type ClientCredentials = {
  clientId: string;
  secret: string | null;
  basic: boolean;
  /** the raw Basic secret if form-decoding changed it or failed; otherwise null */
  unencoded: string | null;
  /** the client's unverified JWT; null: missing */
  assertion: string | null;
  contradiction: OAuthError | null;
};

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export function readClientCredentials(header: string | undefined, { values }: Params): ClientCredentials {
  if (values.has('client_assertion') || values.has('client_assertion_type'))
    return readAssertion(values, header !== undefined || values.has('client_secret'));
  const clientId = values.get('client_id');
  const secret = values.get('client_secret') ?? null;
  if (header === undefined) {
    if (clientId === undefined) throw new InvalidRequest('client_id is missing.');
    return { clientId, secret, basic: false, unencoded: null, assertion: null, contradiction: null };
  }
  const basic = parseBasic(header);
  if (!basic) throw new InvalidClient('The Authorization header is not valid HTTP Basic.', CHALLENGE);
  const differs = clientId !== undefined && clientId !== basic.clientId;
  const contradiction =
    secret !== null
      ? new InvalidRequest('Send the client secret in the header or in the body, not in both.')
      : differs
        ? new InvalidRequest('client_id differs between the header and the body.')
        : null;
  return { ...basic, basic: true, assertion: null, contradiction };
}

/** `beside`: true if the request also contains a secret or an Authorization header. */
function readAssertion(values: Params['values'], beside: boolean): ClientCredentials {
  const assertion = values.get('client_assertion') ?? '';
  const clientId = values.get('client_id') ?? claimedSubject(assertion);
  const fault = values.get('client_assertion_type') === JWT_BEARER ? null : 'assertion-type';
  const contradiction = beside
    ? new InvalidRequest('Send a client assertion or a client secret, not both.')
    : fault && failedAssertion(fault);
  if (clientId === null) throw contradiction ?? failedAssertion('assertion-malformed');
  return { clientId, secret: null, basic: false, unencoded: null, assertion, contradiction };
}

/** Returns the error for an invalid assertion. `counted`: the failure was counted as a wrong secret. */
export function failedAssertion(reason: RefusalReason | null, counted = false): InvalidClient {
  return new InvalidClient(
    'Client authentication failed: unknown client, or its assertion is missing or not accepted.',
    { counted, reason },
  );
}

/** A text that matches no secret, because no secret contains NUL. */
const NO_SECRET = '\0';

/**
 * Parses an Authorization header. Client id and secret in the base64 text are form-encoded (RFC 6749 §2.3.1). A
 * secret that cannot be decoded is treated as wrong.
 */
function parseBasic(header: string): Pick<ClientCredentials, 'clientId' | 'secret' | 'unencoded'> | null {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header.trim())?.[1];
  if (!encoded || encoded.length % 4 === 1) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1 || text.includes('\ufffd')) return null;
  const clientId = formDecode(text.slice(0, colon));
  if (clientId === null) return null;
  const sent = text.slice(colon + 1);
  const secret = formDecode(sent) ?? NO_SECRET;
  return { clientId, secret: secret === '' ? null : secret, unencoded: secret === sent ? null : sent };
}

/** Returns null for a percent sign without two hexadecimal digits, and for bytes that are not UTF-8. */
function formDecode(part: string): string | null {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

export function requireGrantType({ values }: Params): string {
  const grantType = values.get('grant_type');
  if (grantType === undefined) throw new InvalidRequest('grant_type is missing.');
  return grantType;
}

/** Returns the body parameters. Each may occur at most once, except `repeatable`. Throws InvalidRequest. */
export async function readSingleParams(
  request: Pick<ClientRequest, 'params'>,
  repeatable: readonly string[] = [],
): Promise<Params> {
  const params = await request.params();
  const twice = [...params.repeated].find((name) => !repeatable.includes(name));
  if (twice !== undefined) throw new InvalidRequest(`The parameter '${twice.slice(0, 60)}' is repeated.`);
  return params;
}

// The limit on wrong client secrets and assertions, by client and address: 60 in five minutes. If an address has sent
// no wrong secret, the check of a correct secret runs no statement. A process remembers addresses with wrong secrets,
// and from then on counts before it checks, like every other limit. The database stores the numbers; each process
// adds at most one uncounted attempt. All unknown clients share one count, so that invented names fill no table.

const WINDOW_SECONDS = 300;
/**
 * Limits of wrong secrets and assertions. `all` limits all clients together, so that a stranger cannot use up the
 * limit of each client in turn.
 */
const SECRETS = { what: 'secrets', each: 600, windowSeconds: WINDOW_SECONDS, all: 2_000, allSeconds: 5 };
const REMEMBERED_SECONDS = 4 * WINDOW_SECONDS;
const MAX_REMEMBERED = 10_000;

const slot = processWide<Map<string, number>>('suspects');

type Caller = {
  clientId: string;
  known: boolean;
  /** snapshot version with which the secret was compared: later changes invalidate the attempt */
  version: string;
  address: string | null;
  requestId: string;
  /**
   * true: the check is expensive. After one failure, each further check from the same address block is counted before
   * it runs, whichever client it names
   */
  costly?: boolean;
};

type Check<T> = () => T | null | Promise<T | null>;

/** Runs the check of a secret or assertion; a failing check may run twice. Returns null if the check fails. */
export async function underSecretLimit<T>(caller: Caller, check: Check<T>): Promise<T | null> {
  const { clientId, known, version, address, requestId, costly = false } = caller;
  const block = address === null ? '' : addressBlock(address);
  const limit = attemptLimit('secret', `${known ? clientId : ''} ${block}`, 60, WINDOW_SECONDS);
  const suspect = costly ? `costly ${block}` : limit.key;
  slot.value ??= new Map();
  const suspects = slot.value;
  const countFailure = () => {
    if (!suspects.has(suspect) && suspects.size >= MAX_REMEMBERED)
      suspects.delete(suspects.keys().next().value ?? '');
    suspects.set(suspect, now().getTime() + REMEMBERED_SECONDS * 1000);
    // an unknown client's name can contain anything, so the audit log omits it
    const context = {
      ...(known ? { clientId } : {}),
      requestId,
      ip: address,
      reliedOn: { version, clientId },
    };
    return underLimits(
      [...callerLimits(SECRETS, address), limit],
      context,
      async () => check(),
      (result) => result === null,
    );
  };
  const until = suspects.get(suspect);
  // if addresses are unknown, a stranger's wrong secrets must not block the client's correct secret
  if (address !== null && until !== undefined && until > now().getTime()) return countFailure();
  return (await check()) ?? (await countFailure());
}

// Scopes that require a group. For an API without groups, no query runs.

/** Returns the scopes that the user may get. Null: the API or every requested scope requires other groups. */
export async function scopesOfPerson(
  { api, method }: { api: SnapshotApi; method: SnapshotMethod },
  personId: string,
  scopes: string[],
): Promise<string[] | null> {
  if (!asksGroups(api)) return scopes;
  const scopeQuery = { personId, apiId: api.id, authMethodId: method.id, scopes };
  const scopesOfGroups = await findScopesOfGroups(scopeQuery);
  return scopesOfGroups === null || (scopes.length > 0 && scopesOfGroups.length === 0)
    ? null
    : scopesOfGroups;
}

// The DPoP proof of a client’s request (RFC 9449 §5). It is checked before a code, an assertion or an attempt is used
// up. An invalid proof counts for the caller’s address like a wrong secret, because anybody can sign a proof.

const REFUSED = 'The DPoP proof is not valid for this request.';
const MISSING = 'A DPoP proof is missing: the access tokens of this client or API are bound to a key.';

type ProofApi = Pick<SnapshotApi, 'dpop' | 'dpopNonce'>;
/** `api`: null if the request names no API. */
type Place = { address: string; api: ProofApi | null };

/**
 * Returns the DPoP proof of a token request; null: the proof is optional and missing. Throws InvalidDpopProof,
 * UseDpopNonce, or SlowDown after too many invalid proofs.
 */
export async function readProof(request: ClientRequest, place: Place): Promise<Proof | null> {
  const proof = await optionalProof(request, place);
  if (proof !== null) return proof;
  const client = await namedClient(request);
  requireProof(null, { client, api: place.api });
  return null;
}

/** Like `readProof`, but a missing proof is not an error, because the client can prove its key in a later request. */
export async function optionalProof(request: ClientRequest, place: Place): Promise<Proof | null> {
  const text = request.http.headers['dpop'];
  return text === undefined ? null : proofAt(request, text, place);
}

/**
 * Throws if the proof is missing although the client or API requires DPoP, so that no bearer token is issued
 * (RFC 9449 §5.2).
 */
export function requireProof(
  proof: Proof | null,
  {
    client,
    api,
  }: { client: Pick<SnapshotClient, 'dpopBoundAccessTokens'> | undefined; api: ProofApi | null },
): void {
  const isAsked = api?.dpop === 'required' || client?.dpopBoundAccessTokens === true;
  if (proof === null && isAsked) throw proofError('proof-missing');
  if (proof?.nonce === null && api?.dpopNonce === 'required') throw proofError('proof-nonce');
}

async function proofAt(request: ClientRequest, text: string, { address, api }: Place): Promise<Proof> {
  const { http, ip, snapshot } = request;
  const { secrets } = settings();
  const expected = {
    method: http.method,
    addresses: [address],
    nonce: api?.dpopNonce ?? 'off',
    accessToken: null,
    secrets,
  };
  let checkedProof: ReturnType<typeof checkProof> | undefined;
  const check = () => {
    checkedProof ??= checkProof(text, expected);
    // an attempt that only lacks a valid nonce is not counted as invalid, because Gatehouse requests a retry
    return checkedProof.proof ?? (NONCE_HEALS.has(checkedProof.fault) ? 'again' : null);
  };
  const caller = {
    clientId: '',
    known: false,
    version: snapshot.version,
    address: ip,
    requestId: http.requestId,
    costly: true,
  };
  const proof = await underSecretLimit(caller, check);
  if (proof !== null && proof !== 'again') return proof;
  throw proofError(checkedProof?.fault ?? null);
}

/** `challenge`: returns the 401 challenge of a protected resource (RFC 9449 §7.1, §9). */
export function proofError(
  fault: Exclude<ResourceFault, 'token'> | null,
  resource?: { status: 401; challenge: string },
): OAuthError {
  const { error, nonce } = proofChallenge(fault, settings().secrets);
  const why = {
    status: resource?.status ?? (400 as const),
    headers: resourceHeaders(resource && `${resource.challenge}, error="${error}"`),
    reason: fault satisfies RefusalReason | null,
  };
  if (nonce !== null) return new UseDpopNonce(nonce, why);
  return new InvalidDpopProof(fault === 'proof-missing' ? MISSING : REFUSED, why);
}

const resourceHeaders = (challenge: string | undefined): Record<string, string> =>
  challenge === undefined ? {} : { 'www-authenticate': challenge };

/** Sends a newer nonce to a client whose nonce expires soon (RFC 9449 §8.2). */
export const nonceHeader = (proof: Proof | null): Record<string, string> =>
  proof?.nonce === 'before' ? { 'dpop-nonce': currentNonce(settings().secrets) } : {};

// One-time use of assertions, and of DPoP proofs of confidential clients. If the registry changes during a request,
// Gatehouse repeats the request with the same assertion and proof.

/** Keyed by hash, because one request can contain assertions for client and person. */
const uses = new WeakMap<HttpRequest, Map<string, Promise<boolean>>>();

/**
 * True for the first use of an assertion. `idHash`: SHA-256 of the assertion's identity; `seconds`: time until
 * its row can be deleted.
 */
export const isFirstUse = (http: HttpRequest, used: Used): Promise<boolean> =>
  spendOnce(http, used, spendAssertion);

/** Seconds for which a used proof is remembered: the lifetime of a nonce, which limits the validity of a proof. */
const PROOF_SECONDS = 180;

/**
 * Throws InvalidDpopProof for a replayed proof, across processes (RFC 9449 §11.1). Proofs of public clients are not
 * stored, because anybody can send their client_id with new keys. Proofs with one-time grants are not stored either.
 */
export async function requireFirstProof(
  http: HttpRequest,
  client: AuthenticatedClient,
  proof: Proof | null,
): Promise<void> {
  if (proof === null || !client.confidential) return;
  const used = { idHash: Buffer.from(proof.id, 'base64'), seconds: PROOF_SECONDS };
  if (!(await spendOnce(http, used, spendProof))) throw proofError('proof-used');
}

type Used = { idHash: Buffer; seconds: number };

function spendOnce(http: HttpRequest, used: Used, spend: (used: Used) => Promise<boolean>): Promise<boolean> {
  const ofRequest = uses.get(http) ?? new Map<string, Promise<boolean>>();
  uses.set(http, ofRequest);
  const name = used.idHash.toString('base64');
  const use = ofRequest.get(name) ?? spend(used);
  ofRequest.set(name, use);
  return use;
}
