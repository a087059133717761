// {base_url}/verify/API: a gateway asks whether the token of a request is good, before it lets the request through
// (contract section 9). The token is the only proof. The database is asked as introspection asks it, in one batch with
// it, so what has ended is refused at once. Each header that is sent here is one that the caller could not have chosen.
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { empty } from '#lib/http/respond.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import { countRefusal } from '#lib/observability/tally.ts';
import { settings } from '#lib/settings/settings.ts';
import { recentSnapshot } from '#lib/store/registry/snapshot.ts';
import type { Snapshot, SnapshotApi } from '#lib/store/registry/snapshot-rows.ts';
import type { LockedToken } from '#lib/store/tokens/locked-token.ts';
import { DPOP_ALGS } from '#lib/tokens/dpop-proof.ts';
import { whyUnread } from '#lib/tokens/read-access-token.ts';
import { onCurrentRegistry, requireCurrent } from '../authorize-request/current-registry.ts';
import { proofError } from '../clients/proof.ts';
import { checkAtGateway } from '../clients/proof-at-gateway.ts';
import {
  InsufficientScope,
  InvalidToken,
  type OAuthError,
  UnknownIssuer,
  WeakSignIn,
} from '../errors/errors.ts';
import { jsonError } from '../refusals/render-error.ts';
import { readTokenNeeds, type TokenNeeds } from './forward-auth-needs.ts';
import { type Living, livingToken, recognise } from './introspection.ts';
import { resourceDocumentAddress } from './resource-metadata.ts';
import { countUnknownToken, isOverTokenLimit } from './unknown-tokens.ts';

type Asked = { http: HttpRequest; snapshot: Snapshot; api: SnapshotApi };

/** On the registry as it is, or UnknownIssuer. No body is read. */
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

export async function handleForwardAuth(asked: Asked): Promise<Answer> {
  const { http, api } = asked;
  const needs = readTokenNeeds(http.query);
  if (needs.allowsPreflight && isForPreflight(http)) return empty(200);
  const given = (http.headers['authorization'] ?? '').trim();
  if (!SENDS_TOKEN.test(given)) return empty(401, challenge(api, {}));
  const [, scheme = '', token = ''] = ONE_TOKEN.exec(given) ?? [];
  const locked = await livingAt(token, asked);
  const sent = { scheme: scheme.toLowerCase() === 'dpop' ? ('dpop' as const) : ('bearer' as const), token };
  const { fault, proof } = locked ? checkAtGateway(locked.jkt, sent, asked) : NO_TOKEN;
  if (fault !== null && fault !== 'token') return refused(asked, proofError(fault), {}, 'dpop');
  const living = fault === null ? locked?.open(proof) : null;
  if (!living)
    return refused(asked, new InvalidToken('The access token is not valid here.'), {}, sent.scheme);
  const lacks = needs.scopes.some((name) => !living.members.scope.split(' ').includes(name));
  if (!isStrong(living, needs))
    return refused(
      asked,
      new WeakSignIn('A stronger or a newer sign-in is needed.'),
      strengthNeeded(needs),
      sent.scheme,
    );
  if (lacks)
    return refused(
      asked,
      new InsufficientScope('The access token does not have this scope.'),
      { scope: needs.scopes.join(' ') },
      sent.scheme,
    );
  return empty(200, { ...identityHeaders(living, api), ...kept(living, api) });
}

const NO_TOKEN = { fault: 'token', proof: null } as const;

/** A header of another scheme is no token. */
const SENDS_TOKEN = /(?:^|,\s*)(?:bearer|dpop) +\S/i;
/** Of two headers neither is taken: a comma is in no token. */
const ONE_TOKEN = /^(bearer|dpop) +([\w.~+/-]+=*)$/i;

/** Null: it is no living access token of this API. TooManyAttempts. */
async function livingAt(token: string, { http, snapshot, api }: Asked): Promise<LockedToken<Living> | null> {
  const since = performance.now();
  const ip = callerAddress(http, settings().trustProxy);
  const asker = { ip, apiId: api.id, requestId: http.requestId };
  const presented = recognise(token, snapshot);
  if (!presented || presented.refreshHash) {
    const why = presented ? 'unknown' : whyUnread(token, snapshot);
    // over the limit an invented key id costs a statement in a second, and not each time
    if (why === 'unknown-key')
      await requireCurrent(snapshot, null, isOverTokenLimit(ip) ? since - 1_000 : since);
    if (why !== 'expired') await countUnknownToken(asker);
    return null;
  }
  const mayKnow = (apiId: string) => apiId === api.id;
  const { locked, known } = await livingToken(presented, { snapshot, askedBy: null, mayKnow });
  // a client whose token has ended must hear 401, so that it renews
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
 * A CORS preflight never has a token. The original method is only a trusted proxy's to say, and where two headers say
 * it both must: a gateway that sets one of them passes the caller's other one on.
 */
function isForPreflight({ method, headers }: HttpRequest): boolean {
  const proxied = ['x-forwarded-method', 'x-original-method']
    .map((name) => (settings().trustProxy > 0 ? headers[name] : undefined))
    .filter((told) => told !== undefined);
  const methods = proxied.length > 0 ? proxied : [method];
  return headers['origin'] !== undefined && methods.every((told) => told === 'OPTIONS');
}

type Scheme = 'bearer' | 'dpop';

/** RFC 6750 §3, RFC 9449 §7.1, RFC 9470 §3, RFC 9728 §5.1. */
function challenge(
  api: SnapshotApi,
  parameters: Record<string, string>,
  scheme: Scheme = api.dpop === 'required' ? 'dpop' : 'bearer',
): Record<string, string> {
  const algs = scheme === 'dpop' && { algs: DPOP_ALGS.join(' ') };
  const all = { ...parameters, ...algs, resource_metadata: resourceDocumentAddress(api.id) };
  const said = Object.entries(all).map(([name, value]) => `${name}="${value}"`);
  return { 'www-authenticate': `${scheme === 'dpop' ? 'DPoP' : 'Bearer'} ${said.join(', ')}` };
}

function refused(
  { http, api }: Asked,
  error: OAuthError,
  more: Record<string, string>,
  scheme: Scheme,
): Answer {
  countRefusal({ apiId: api.id, authMethodId: undefined }, error.code, '');
  const answer = jsonError(error, http);
  const said = { error: error.code, error_description: error.message, ...more };
  Object.assign(answer.headers, challenge(api, said, scheme));
  return { ...answer, status: error.status === 400 ? 401 : error.status };
}

/** `empty` says `no-store`. */
const kept = ({ members }: Living, { verifyCache }: SnapshotApi): Record<string, string> =>
  // a gateway keeps it by the token, and a bound one is good with each proof once
  verifyCache > 0 && members.cnf === undefined ? { 'cache-control': `private, max-age=${verifyCache}` } : {};

/** nginx reads the headers of an answer into 4 KiB (`proxy_buffer_size`). */
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

/** Names that clients chose are ASCII already; what is not is escaped, as in an address. */
const visible = (value: string): string => value.replace(/[^\x20-\x7e]+/g, (other) => escaped(other));

const escaped = (text: string): string =>
  [...Buffer.from(text, 'utf8')]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
