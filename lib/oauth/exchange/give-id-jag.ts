// ID-JAGs that this service issues, and the sign-in that they vouch for.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Answer, json } from '#lib/http/message.ts';
import type { Params } from '#lib/http/params.ts';
import { currentKey, findPublicKey } from '#lib/keys/keys.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import { countToken } from '#lib/observability/metrics.ts';
import { demanded } from '#lib/openapi/document.ts';
import { BUILT_IN_API } from '#lib/registry/api.ts';
import { levelOf } from '#lib/registry/claims.ts';
import { type IdJagAudience, idJagAudienceOf } from '#lib/registry/client.ts';
import { findLiveToken } from '#lib/store/hot/access-tokens.ts';
import { type Vouching, vouchForSignIn } from '#lib/store/hot/exchange.ts';
import type { Snapshot } from '#lib/store/snapshot.ts';
import { claimedIssuer, readAccessToken } from '#lib/tokens/access-token.ts';
import type { Proof } from '#lib/tokens/dpop.ts';
import { ID_JAG_TYPE } from '#lib/tokens/id-jag.ts';
import { signCompact, verifyCompact } from '#lib/tokens/jws.ts';
import type { ProvedClient } from '../client.ts';
import {
  type DeclaredError,
  InvalidRequest,
  InvalidScope,
  InvalidTarget,
  refuses,
  UnauthorizedClient,
} from '../errors.ts';
import {
  atHost,
  findIssuer,
  hasIssuer,
  heardBy,
  type Issuer,
  isPairwise,
  isPossibleSub,
  personOfSub,
} from '../issuer.ts';
import { ID_TOKEN_TYPE } from '../openid.ts';
import { acrTold, idTokenAlg, isAbsolute, isScope } from '../rules.ts';
import {
  ACCESS_TOKEN,
  type ExchangeContext,
  ID_TOKEN,
  JWT,
  openToken,
  requireExchangeClient,
  type TokenContext,
} from './exchange.ts';

// Who signed in where, by a token that the client was given for it: an ID token of ours
// (draft-ietf-oauth-identity-assertion-authz-grant §4.3.3), or an access token of ours.

const UNACCEPTABLE =
  'The subject_token is expired, revoked, not of the type named, of another issuer, or was not given to this client.';
const PAIRWISE =
  'The sub of this ID token is known to the client alone: send the access token that came with it as subject_token.';

type PresentedSignIn = {
  issuer: Issuer;
  personId: string;
  signIn: Vouching['signIn'];
};

type Context = ExchangeContext & { client: ProvedClient; proof: Proof | null; issuer: Issuer | null };

async function readSignIn({ values }: Params, context: Context): Promise<PresentedSignIn> {
  const [token, type] = [values.get('subject_token'), values.get('subject_token_type')];
  if (token === undefined) throw new InvalidRequest('subject_token is missing.');
  if (type === ID_TOKEN) return ofIdToken(token, context);
  if (type === ACCESS_TOKEN || type === JWT) return ofAccessToken(token, context);
  throw new InvalidRequest('subject_token_type must be that of an id_token or an access_token.');
}

const idTokenClaims = z.object({
  iss: z.string(),
  sub: z.string(),
  aud: z.string(),
  exp: z.number(),
  auth_time: z.int(),
  sid: z.uuid().optional(),
  acr: z.string().optional(),
});

async function ofIdToken(
  token: string,
  { client, snapshot, issuer: called }: Context,
): Promise<PresentedSignIn> {
  const payload = verifyCompact(token, ID_TOKEN_TYPE, (kid) => findPublicKey(snapshot, kid));
  const issuer = called ?? issuerNamed(token, snapshot);
  if (!issuer || payload?.['iss'] !== issuer.url || payload['aud'] !== client.clientId)
    throw new InvalidRequest(UNACCEPTABLE);
  if (isPairwise(client, issuer.api)) throw new InvalidRequest(PAIRWISE);
  const claims = idTokenClaims.safeParse(payload).data;
  if (!claims || claims.exp <= nowSeconds() || !isPossibleSub(client, claims.sub, issuer))
    throw new InvalidRequest(UNACCEPTABLE);
  const { sub, auth_time: authTime, sid = null, acr = '' } = claims;
  const personId = await personOfSub(sub, issuer);
  return { issuer, personId, signIn: { authTime, sid, level: levelOf(acr) ?? 1 } };
}

/** The one that the token says it is of, whose address is still to be compared; null: there is none. */
function issuerNamed(token: string, snapshot: Snapshot): Issuer | null {
  const iss = claimedIssuer(token) ?? '';
  const [, authMethodId = '', apiId = ''] = /\/auth\/([^/]+)\/api\/([^/]+)$/.exec(iss) ?? [];
  const where = hasIssuer(snapshot, { address: iss }) ? { address: iss } : { authMethodId, apiId };
  return hasIssuer(snapshot, where) ? findIssuer(snapshot, where) : null;
}

async function ofAccessToken(
  token: string,
  { client, proof, snapshot, issuer: called }: Context,
): Promise<PresentedSignIn> {
  const access = readAccessToken(token, snapshot);
  const { version } = snapshot;
  const locked =
    access && (await findLiveToken({ version, askedBy: client.clientId, refreshHash: null, access }));
  const live = locked && openToken(locked, { client, proof, snapshot });
  if (live?.clientId !== client.clientId) throw new InvalidRequest(UNACCEPTABLE);
  const ids = { authMethodId: live.authMethodId, apiId: live.apiId };
  if (called && (called.method.id !== ids.authMethodId || called.api.id !== ids.apiId))
    throw new InvalidRequest(UNACCEPTABLE);
  const issuer = called ?? atHost(findIssuer(snapshot, ids), live.issuerHost);
  return { issuer, personId: live.personId, signIn: { familyId: live.familyId } };
}

// Issues an ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant §4.3) by token exchange, at an issuer's token
// endpoint or at the one of the service. For a person who signed in to it, a client gets a grant that another
// authorization server accepts. Administrators decide which grants the client may request; the person is not asked.

export const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

const LIFETIME_SECONDS = 300;
const MAX_RESOURCE = 2_000;

export const asksForIdJag = ({ values }: Params): boolean => values.get('requested_token_type') === ID_JAG;

/** `issuer`: whose token endpoint was called; null: the one of the service, where every issuer counts. */
export async function giveIdJag(
  params: Params,
  context: TokenContext & { issuer: Issuer | null },
): Promise<Answer> {
  const { snapshot, http, ip } = context;
  const client = requireExchangeClient(context.client);
  const audience = audienceOf(params, client);
  const asked = askedOf(params);
  const { issuer, personId, signIn } = await readSignIn(params, { ...context, client });
  if (issuer.api.id === BUILT_IN_API)
    throw new InvalidTarget('Nobody is vouched for by a token of the management API.');
  const vouched = await vouchForSignIn({
    version: snapshot.version,
    personId,
    clientId: client.clientId,
    apiId: issuer.api.id,
    authMethodId: issuer.method.id,
    issuerHost: issuer.host,
    signIn,
    audience: audience.issuer,
    requestId: http.requestId,
    ip,
  });
  if (!vouched)
    throw new InvalidRequest('The sign-in of the subject_token has ended, or did not take place here.');
  const { authTime, acrLevel, amr } = vouched;
  const acr = acrTold(acrLevel, issuer.method);
  const issuedAt = nowSeconds();
  const payload = {
    iss: issuer.url,
    sub: await heardBy(client, personId, issuer),
    aud: audience.issuer,
    client_id: audience.clientId,
    jti: randomUUID(),
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    auth_time: authTime,
    ...asked,
    ...(acr === null ? {} : { acr }),
    ...(amr === null || amr.length === 0 ? {} : { amr }),
  };
  const key = await currentKey(idTokenAlg(issuer.api, client), snapshot);
  countToken({ apiId: issuer.api.id, authMethodId: issuer.method.id }, 'id-jag');
  const answer = {
    access_token: signCompact(ID_JAG_TYPE, payload, key),
    issued_token_type: ID_JAG,
    // RFC 8693 §2.2.1: it is no access token
    token_type: 'N_A',
    expires_in: LIFETIME_SECONDS,
  };
  return json(200, answer, { pragma: 'no-cache' });
}

/** The one that the client may ask for, and its client_id there. */
function audienceOf({ values, repeated }: Params, client: ProvedClient): IdJagAudience {
  const allowed = client.idJagAudiences;
  if (allowed.length === 0)
    throw new UnauthorizedClient('This client may ask for no ID-JAG.', { reason: 'id-jag-not-allowed' });
  const audience = values.get('audience');
  if (audience === undefined) throw new InvalidRequest('audience is missing.');
  const found = allowed
    .map((entry) => idJagAudienceOf(entry, client.clientId))
    .find(({ issuer }) => issuer === audience);
  if (found && !repeated.has('audience')) return found;
  throw new InvalidTarget('audience must be one issuer that this client may get an ID-JAG for.', {
    reason: 'id-jag-audience',
  });
}

/** Resource and scope are the other server's to judge: they go along as they were asked for. */
function askedOf({ values, repeated }: Params): { resource?: string; scope?: string } {
  for (const name of ['actor_token', 'authorization_details'])
    if (values.has(name)) throw new InvalidRequest(`${name} is not supported for an ID-JAG.`);
  const [resource, scope] = [values.get('resource'), values.get('scope')];
  if (
    resource !== undefined &&
    (repeated.has('resource') || resource.length > MAX_RESOURCE || !isAbsolute(resource))
  )
    throw new InvalidTarget('resource must be one absolute URI without a fragment.');
  if (scope !== undefined && !isScope(scope))
    throw new InvalidScope('The scope holds what no scope can have.');
  return { ...(resource === undefined ? {} : { resource }), ...(scope === undefined ? {} : { scope }) };
}

// What a request for an ID-JAG takes, answers and refuses (draft-ietf-oauth-identity-assertion-authz-grant §4.3), at an
// issuer's token endpoint and at the one of the service.

const FOR = 'token exchange';

/** At an issuer's token endpoint, where nothing else is exchanged. */
export const vouchingBody = {
  requested_token_type: demanded(z.literal(ID_JAG), FOR, `\`${ID_JAG}\`: nothing else is exchanged here.`),
  subject_token: demanded(
    z.string(),
    FOR,
    'An ID token or an access token that this issuer gave to the client.',
  ),
  subject_token_type: demanded(
    z.string(),
    FOR,
    '`urn:ietf:params:oauth:token-type:id_token`, or `urn:ietf:params:oauth:token-type:access_token`.',
  ),
  audience: demanded(
    z.string(),
    FOR,
    'The issuer of the other authorization server, one of those that an administrator has listed for the client. resource and scope are then those of the other server, and go into the ID-JAG as they are.',
  ),
};

/** It is no access token (RFC 8693 §2.2.1). */
export const IdJagResponse = z.object({
  access_token: z.string().describe('The ID-JAG, for the token endpoint of the other authorization server.'),
  issued_token_type: z.literal(ID_JAG),
  token_type: z.literal('N_A'),
  expires_in: z.int().describe('Lifetime of the ID-JAG in seconds.'),
});

export const vouchingErrors: readonly DeclaredError[] = [
  ...refuses(UnauthorizedClient, [
    'An ID-JAG is asked for by a public client, or by one for which an administrator has listed no audience.',
  ]),
  ...refuses(InvalidTarget, [
    'An ID-JAG is asked for, and audience is not listed for the client, or resource is no absolute URI.',
  ]),
  ...refuses(InvalidRequest, [
    'An ID-JAG is asked for, and the subject token is expired, of another issuer or client, its sign-in has ended, or actor_token or authorization_details are sent.',
  ]),
  ...refuses(InvalidScope, ['An ID-JAG is asked for with a scope that no scope can be.']),
];
