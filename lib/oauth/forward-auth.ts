// Forward auth for gateways: token requirements, DPoP proofs, and the limit on unknown tokens.

import { z } from 'zod';
import { countAttempt, TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import { addressBlock, callerAddress } from '#lib/http/forwarding.ts';
import { type Answer, empty, type HttpRequest } from '#lib/http/message.ts';
import { parseForm } from '#lib/http/params.ts';
import { now, nowSeconds } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { countRefusal } from '#lib/observability/metrics.ts';
import { optional } from '#lib/openapi/document.ts';
import { ACR_VALUES, type AcrLevel, levelOf } from '#lib/registry/claims.ts';
import { settings } from '#lib/settings/settings.ts';
import type { LockedToken } from '#lib/store/hot/access-tokens.ts';
import { callerLimits } from '#lib/store/hot/limits.ts';
import { recentSnapshot, type Snapshot, type SnapshotApi } from '#lib/store/snapshot.ts';
import { whyUnread } from '#lib/tokens/access-token.ts';
import { checkPresented, DPOP_ALGS, type PresentedToken } from '#lib/tokens/dpop.ts';
import { onCurrentRegistry, requireCurrent } from './authorize/request.ts';
import { proofError } from './client.ts';
import {
  broken,
  type Declaration,
  InsufficientScope,
  InvalidDpopProof,
  InvalidRequest,
  InvalidToken,
  identifier,
  type OAuthError,
  refuses,
  SlowDown,
  UnknownIssuer,
  UseDpopNonce,
  unavailable,
  WeakSignIn,
} from './errors.ts';
import { type Living, livingToken, recognise } from './introspection.ts';
import { resourceDocumentAddress } from './metadata.ts';
import { jsonError } from './refusals.ts';
import { isScope, parseMaxAge } from './rules.ts';

// Token requirements in the query of a forward auth request. Invalid values are rejected, so that a configuration
// mistake admits no caller.

type TokenNeeds = {
  scopes: readonly string[];
  acr: { name: string; level: AcrLevel } | null;
  /** maximum age of the sign-in in seconds; null: any age */
  maxAge: number | null;
  /** true: CORS preflights need no token */
  allowsPreflight: boolean;
};

/** Throws UnreadableParams or InvalidRequest. */
function readTokenNeeds(query: string): TokenNeeds {
  const { values, repeated, more } = parseForm(query);
  const searchParams = new URLSearchParams(query);
  for (const name of ['acr', 'max_age', 'preflight']) {
    if (repeated.has(name)) throw new InvalidRequest(`The parameter '${name}' is repeated.`);
    // a parameter with an empty value is rejected, because ignoring it would remove the requirement
    if (!values.has(name) && searchParams.has(name))
      throw new InvalidRequest(`The parameter '${name}' is empty.`);
  }
  const scope = [values.get('scope') ?? '', ...(more?.get('scope') ?? [])].join(' ');
  if (!isScope(scope)) throw new InvalidRequest('scope contains a character that is not allowed in a scope.');
  return {
    scopes: [...new Set(scope.split(' ').filter(Boolean))],
    acr: readAcr(values.get('acr')),
    maxAge: parseMaxAge(values.get('max_age')),
    allowsPreflight: readPreflight(values.get('preflight')),
  };
}

function readAcr(name: string | undefined): TokenNeeds['acr'] {
  if (name === undefined) return null;
  const level = levelOf(name);
  if (level === null) throw new InvalidRequest('acr is not a supported value.');
  return { name, level };
}

function readPreflight(value: string | undefined): boolean {
  if (value !== undefined && value !== 'allow') throw new InvalidRequest("preflight must be 'allow'.");
  return value === 'allow';
}

// Limit on unknown tokens at the forward auth endpoint, per caller address. Processes reserve 50 attempts at a time
// from the database limit and count them in memory. A flood therefore writes one row per 50 requests. Valid tokens are
// never counted or limited.

const OF_SHARE = 50;
const WINDOW_SECONDS = 600;
/**
 * Two windows can overlap in ten minutes, and four processes can hold earlier reservations. One address can therefore
 * send at most 3,000 unknown tokens.
 */
const SHARES = { what: 'tokens', each: 28, windowSeconds: WINDOW_SECONDS, all: 2_000, allSeconds: 5 };
const MAX_PLACES = 10_000;

/**
 * `left`: attempts that remain in the reservation before `until`. `usedUpUntil`: end of a rejection by the limit.
 * Times are milliseconds since 1970.
 */
type Place = { left: number; until: number; usedUpUntil: number; taking: Promise<void> | null };
type Asker = { ip: string | null; apiId: string; requestId: string };

const slot = processWide<Map<string, Place>>('unknown-tokens');

function placeOf(ip: string | null): Place {
  slot.value ??= new Map();
  const places = slot.value;
  const name = ip === null ? '' : addressBlock(ip);
  let place = places.get(name);
  if (!place) {
    if (places.size >= MAX_PLACES) places.delete(places.keys().next().value ?? '');
    place = { left: 0, until: 0, usedUpUntil: 0, taking: null };
    places.set(name, place);
  }
  return place;
}

const isUsedUp = ({ usedUpUntil }: Place) => usedUpUntil > now().getTime();

/** True if an address sent too many unknown tokens. Further tokens are rejected without database access. */
const isOverTokenLimit = (ip: string | null): boolean => isUsedUp(placeOf(ip));

/** Counts an unknown token, or throws TooManyAttempts. */
async function countUnknownToken(asker: Asker): Promise<void> {
  const place = placeOf(asker.ip);
  while (place.left === 0 || place.until <= now().getTime()) {
    if (isUsedUp(place)) throw tooMany(place);
    place.taking ??= take(place, asker).finally(() => {
      place.taking = null;
    });
    await place.taking;
  }
  place.left -= 1;
}

const tooMany = ({ usedUpUntil }: Place) =>
  new TooManyAttempts(Math.max(1, Math.ceil((usedUpUntil - now().getTime()) / 1000)));

async function take(place: Place, { ip, apiId, requestId }: Asker): Promise<void> {
  try {
    await countAttempt(callerLimits(SHARES, ip), { ip, apiId, requestId });
    place.left = OF_SHARE;
    place.until = now().getTime() + WINDOW_SECONDS * 1000;
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    place.usedUpUntil = now().getTime() + error.waitSeconds * 1000;
  }
}

// DPoP proof at a gateway (RFC 9449 §7). The proof covers the client's original request, so a trusted gateway must
// forward its method and URL.

type Sent = Pick<PresentedToken, 'scheme' | 'token'>;

/** Checks a token at a gateway, like `checkPresented`: `fault` is null for a correctly presented token. */
function checkAtGateway(
  jkt: string | null,
  sent: Sent,
  { http, api }: { http: HttpRequest; api: SnapshotApi },
): ReturnType<typeof checkPresented> {
  const original = originalRequest(http);
  const isOfApi = original !== null && isUnder(original.address, api.url);
  const presented = {
    ...sent,
    proof: http.headers['dpop'],
    method: original?.method ?? '',
    addresses: isOfApi ? [original.address] : [],
    nonce: api.dpopNonce,
    secrets: settings().secrets,
    request: http,
  };
  return checkPresented(presented, jkt);
}

type Original = { method: string; address: string };

/**
 * The client's original request, from a trusted gateway's headers `X-Forwarded-Method`, `-Proto`, `-Host` and `-Uri`,
 * or `X-Original-Method` and `-URL`. Returns null if both sets are incomplete. Returns null also if two headers
 * disagree, because the caller may have sent one of them.
 */
function originalRequest({ headers }: HttpRequest): Original | null {
  if (settings().trustProxy === 0) return null;
  const { 'x-forwarded-proto': proto, 'x-forwarded-host': host, 'x-forwarded-uri': uri } = headers;
  const sets = [
    { method: headers['x-forwarded-method'], address: proto && host && uri && `${proto}://${host}${uri}` },
    { method: headers['x-original-method'], address: headers['x-original-url'] },
  ];
  const [first] = sets.flatMap(({ method, address }) => (method && address ? [{ method, address }] : []));
  const agree = sets.every(
    ({ method, address }) =>
      (!method || method === first?.method) && (!address || address === first?.address),
  );
  return agree ? (first ?? null) : null;
}

/** True if the address equals the API's address or lies below it. */
function isUnder(address: string, base: string): boolean {
  const [url, api] = [URL.parse(address), URL.parse(base)];
  if (!url || url.origin !== api?.origin) return false;
  const path = api.pathname.replace(/\/$/, '');
  return url.pathname === path || url.pathname.startsWith(`${path}/`);
}

// {base_url}/verify/API: before a gateway forwards a request, it asks whether the request's token is valid (contract
// section 9). The token is the only proof. The lookup shares a batch with introspection, so a revoked token is rejected
// immediately. The answer contains no header that the caller could have chosen.

type Asked = { http: HttpRequest; snapshot: Snapshot; api: SnapshotApi };

/** Uses the current registry and reads no body. Throws UnknownIssuer. */
export function gatewayOf(
  http: HttpRequest,
  { apiId = '' }: Readonly<Record<string, string>>,
  handle: (asked: Asked) => Promise<Answer>,
): Promise<Answer> {
  return onCurrentRegistry({ read: recentSnapshot, clientId: async () => null }, (snapshot) => {
    const api = snapshot.apis.get(apiId);
    if (!api) throw new UnknownIssuer('no such API');
    return handle({ http, snapshot, api });
  });
}

export async function handleForwardAuth(request: Asked): Promise<Answer> {
  const { http, api } = request;
  const needs = readTokenNeeds(http.query);
  if (needs.allowsPreflight && isForPreflight(http)) return empty(200);
  const authorization = (http.headers['authorization'] ?? '').trim();
  if (!SENDS_TOKEN.test(authorization)) return empty(401, challenge(api, {}));
  const [, scheme = '', token = ''] = ONE_TOKEN.exec(authorization) ?? [];
  const lockedToken = await livingAt(token, request);
  const sent = { scheme: scheme.toLowerCase() === 'dpop' ? ('dpop' as const) : ('bearer' as const), token };
  const { fault, proof } = lockedToken ? checkAtGateway(lockedToken.jkt, sent, request) : NO_TOKEN;
  if (fault !== null && fault !== 'token') return refuseRequest(request, proofError(fault), {}, 'dpop');
  const living = fault === null ? lockedToken?.open(proof) : null;
  if (!living)
    return refuseRequest(
      request,
      new InvalidToken('The access token is not valid for this API.'),
      {},
      sent.scheme,
    );
  const lacks = needs.scopes.some((name) => !living.members.scope.split(' ').includes(name));
  if (!isStrong(living, needs))
    return refuseRequest(
      request,
      new WeakSignIn('A stronger or more recent sign-in is required.'),
      strengthNeeded(needs),
      sent.scheme,
    );
  if (lacks)
    return refuseRequest(
      request,
      new InsufficientScope('The access token does not have this scope.'),
      { scope: needs.scopes.join(' ') },
      sent.scheme,
    );
  return empty(200, { ...identityHeaders(living, api), ...cacheHeaders(living, api) });
}

const NO_TOKEN = { fault: 'token', proof: null } as const;

/** Matches a header that contains a token; headers of other schemes contain none. */
const SENDS_TOKEN = /(?:^|,\s*)(?:bearer|dpop) +\S/i;
/**
 * Matches a header with one token. It does not match two values of the header, which are joined by a comma,
 * because tokens contain no comma.
 */
const ONE_TOKEN = /^(bearer|dpop) +([\w.~+/-]+=*)$/i;

/** Returns null unless the token is an active access token of this API. Throws TooManyAttempts. */
async function livingAt(token: string, { http, snapshot, api }: Asked): Promise<LockedToken<Living> | null> {
  const since = performance.now();
  const ip = callerAddress(http, settings().trustProxy);
  const asker = { ip, apiId: api.id, requestId: http.requestId };
  const presented = recognise(token, snapshot);
  if (!presented || presented.refreshHash) {
    const why = presented ? 'unknown' : whyUnread(token, snapshot);
    // over the limit, invented key ids cause at most one statement per second
    if (why === 'unknown-key')
      await requireCurrent(snapshot, null, isOverTokenLimit(ip) ? since - 1_000 : since);
    if (why !== 'expired') await countUnknownToken(asker);
    return null;
  }
  const mayKnow = (apiId: string) => apiId === api.id;
  const { locked, known } = await livingToken(presented, { snapshot, askedBy: null, mayKnow });
  // clients need a 401 for an ended token, so that they renew it
  if (!known) await countUnknownToken(asker);
  return locked;
}

function isStrong({ signIn }: Living, { acr, maxAge }: TokenNeeds): boolean {
  if (acr === null && maxAge === null) return true;
  if (signIn === null) return false;
  return signIn.level >= (acr?.level ?? 1) && (maxAge === null || nowSeconds() - signIn.at <= maxAge);
}

const strengthNeeded = ({ acr, maxAge }: TokenNeeds) => ({
  ...(acr && { acr_values: acr.name }),
  ...(maxAge !== null && { max_age: String(maxAge) }),
});

/**
 * True for a CORS preflight, which carries no token. Method headers require a trusted proxy, and all of them must
 * agree: a gateway may set one header and forward the caller's value of the other.
 */
function isForPreflight({ method, headers }: HttpRequest): boolean {
  const proxied = ['x-forwarded-method', 'x-original-method']
    .map((name) => (settings().trustProxy > 0 ? headers[name] : undefined))
    .filter((methodName) => methodName !== undefined);
  const methods = proxied.length > 0 ? proxied : [method];
  return headers['origin'] !== undefined && methods.every((methodName) => methodName === 'OPTIONS');
}

type Scheme = 'bearer' | 'dpop';

/** Returns the 401 or 403 challenge (RFC 6750 §3, RFC 9449 §7.1, RFC 9470 §3, RFC 9728 §5.1). */
function challenge(
  api: SnapshotApi,
  parameters: Record<string, string>,
  scheme: Scheme = api.dpop === 'required' ? 'dpop' : 'bearer',
): Record<string, string> {
  const algs = scheme === 'dpop' && { algs: DPOP_ALGS.join(' ') };
  const all = { ...parameters, ...algs, resource_metadata: resourceDocumentAddress(api.id) };
  const challengeParts = Object.entries(all).map(([name, value]) => `${name}="${value}"`);
  return { 'www-authenticate': `${scheme === 'dpop' ? 'DPoP' : 'Bearer'} ${challengeParts.join(', ')}` };
}

function refuseRequest(
  { http, api }: Asked,
  error: OAuthError,
  more: Record<string, string>,
  scheme: Scheme,
): Answer {
  countRefusal({ apiId: api.id, authMethodId: undefined }, error.code, '');
  const answer = jsonError(error, http);
  const errorParameters = { error: error.code, error_description: error.message, ...more };
  Object.assign(answer.headers, challenge(api, errorParameters, scheme));
  return { ...answer, status: error.status === 400 ? 401 : error.status };
}

/** Returns the caching headers of a response. Without them, `empty` sends `no-store`. */
const cacheHeaders = ({ members }: Living, { verifyCache }: SnapshotApi): Record<string, string> =>
  // gateways cache by token, but a bound token requires a fresh proof each time
  verifyCache > 0 && members.cnf === undefined ? { 'cache-control': `private, max-age=${verifyCache}` } : {};

/** Limit for the header with claims: nginx limits the headers of a response to 4 KiB (`proxy_buffer_size`). */
const MOST_CLAIMS = 2_048;

function identityHeaders({ members, ofPerson, signIn }: Living, api: SnapshotApi): Record<string, string> {
  const { sub, client_id: clientId, scope, iss, act } = members;
  const headers: Record<string, string> = {
    'x-auth-sub': visible(sub),
    'x-auth-client-id': visible(clientId),
    'x-auth-scope': visible(scope),
    'x-auth-issuer': visible(iss),
    'x-auth-kind': signIn === null ? 'machine' : 'person',
  };
  if (act) headers['x-auth-act'] = visible(String(act['client_id'] ?? act['sub']));
  if (signIn === null || api.tokenClaims.length === 0) return headers;
  const claims = Buffer.from(JSON.stringify(ofPerson)).toString('base64url');
  if (claims.length > MOST_CLAIMS) headers['x-auth-claims-omitted'] = 'true';
  else headers['x-auth-claims'] = claims;
  return headers;
}

/** Makes client-chosen names ASCII: other characters are percent-encoded. */
const visible = (value: string): string => value.replace(/[^\x20-\x7e]+/g, (other) => percentEncode(other));

const percentEncode = (text: string): string =>
  [...Buffer.from(text, 'utf8')]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');

// Parameters and responses of the forward auth endpoint (contract section 9).

export const forwardAuthDeclaration: Declaration = {
  path: z.object({ api_id: identifier.describe('The API that the gateway protects.') }),
  query: z.object({
    scope: optional(z.string(), 'Space-separated scopes. The token must have all of them. Can be repeated.'),
    acr: optional(z.enum(ACR_VALUES), 'The minimum acr of the sign-in (RFC 9470).'),
    max_age: optional(z.int().min(0), 'The maximum age of the sign-in in seconds.'),
    preflight: optional(
      z.literal('allow'),
      'Allows CORS preflights: requests with `Origin` and the method OPTIONS, or with OPTIONS in `X-Forwarded-Method` or `X-Original-Method` from a trusted proxy. Use it only if the gateway sets that header itself.',
    ),
  }),
  header: z.object({
    Authorization: optional(z.string(), '`Bearer` or `DPoP` and the access token, as the caller sent it.'),
    DPoP: optional(
      z.string(),
      'The proof of a token that is bound to a key, as the caller sent it. It belongs to the original request, which a trusted gateway describes with `X-Forwarded-Method`, `-Proto`, `-Host` and `-Uri`, or with `X-Original-Method` and `X-Original-URL`.',
    ),
  }),
  answers: {},
  errors: [
    {
      status: 401,
      error: 'no body',
      when: 'No token was sent. `WWW-Authenticate` contains no error.',
      as: 'empty',
    },
    ...refuses(InvalidRequest, [
      'acr, max_age or preflight is empty, repeated or invalid, a scope contains a character that is not allowed, or the query is unreadable.',
    ]),
    ...refuses(InvalidToken, [
      'The token is malformed, unknown, expired, revoked, for another API, or bound to a key and sent as a bearer token. Or two tokens were sent. `WWW-Authenticate` contains the error (RFC 6750 §3).',
    ]),
    ...refuses(
      InvalidDpopProof,
      [
        'The token is bound to a key, and the DPoP proof is missing, invalid or already used, or no trusted gateway describes the original request.',
      ],
      401,
    ),
    ...refuses(UseDpopNonce, ['The DPoP proof must contain the nonce from `DPoP-Nonce`.'], 401),
    ...refuses(WeakSignIn, [
      'The sign-in is weaker or older than required, or the token was issued to a client in its own name. `WWW-Authenticate` contains `acr_values` and `max_age` (RFC 9470 §3).',
    ]),
    ...refuses(InsufficientScope, ['The token lacks a scope. `WWW-Authenticate` contains `scope`.']),
    ...refuses({ code: 'not_found', status: 404 }, ['No API has this id.']),
    ...refuses(SlowDown, [
      'Limit of unknown tokens from an address (a /64 for IPv6): 3,000 in ten minutes. `Retry-After` contains the seconds to wait. Valid tokens are still accepted.',
    ]),
    unavailable,
    broken,
  ],
  security: [{ accessToken: [] }],
};
