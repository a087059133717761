// Introspection (RFC 7662) and revocation (RFC 7009).

import { z } from 'zod';
import { type Answer, json } from '#lib/http/message.ts';
import type { Params } from '#lib/http/params.ts';
import { equalDigests, sha256 } from '#lib/kit/random.ts';
import { optional, requiredOf } from '#lib/openapi/document.ts';
import type { AcrLevel } from '#lib/registry/claims.ts';
import {
  findLiveMachineToken,
  findToken,
  type LiveMachineToken,
  type LiveToken,
  LockedToken,
  revokeAccessToken,
  revokeByRefreshToken,
  revokeMachineToken,
} from '#lib/store/hot/access-tokens.ts';
import type { PersonClaims } from '#lib/store/hot/person-facts.ts';
import { RegistryChanged, type Snapshot } from '#lib/store/snapshot.ts';
import {
  type PresentedAccess,
  type PresentedMachine,
  readAccessToken,
  readMachineToken,
} from '#lib/tokens/access-token.ts';
import { hashRefresh } from '#lib/tokens/formats.ts';
import { requireCurrent } from './authorize/request.ts';
import {
  CHALLENGE,
  type ClientRequest,
  type IssuerRequest,
  readSingleParams,
  subscriptionTo,
} from './client.ts';
import {
  authenticateClient,
  authenticationFailed,
  provesSecret,
  requireCredentials,
} from './client-authentication.ts';
import {
  badClient,
  bodyErrors,
  byClient,
  clientBody,
  clientHeader,
  credentialErrors,
  type Declaration,
  InvalidClient,
  InvalidRequest,
  issuerPath,
  refuses,
  serviceErrors,
  unknownIssuer,
} from './errors.ts';
import { actorsHeardBy, hasAddress, heardBy, issuerUrl } from './issuer.ts';
import { tokenClaims } from './openid.ts';
import { strengthClaims } from './rules.ts';

// POST ISSUER/introspect (RFC 7662), for an API with its own credential, or for a confidential client with an approved
// subscription to the token's API. The response for every other token is exactly {"active":false}.

const INACTIVE = { active: false };
/** The caller of the introspection. `askedBy`: the calling client, or null if an API calls. */
type Caller = { askedBy: string | null; mayKnow: (apiId: string) => boolean };

export async function handleIntrospect(request: IssuerRequest): Promise<Answer> {
  const since = performance.now();
  const { snapshot } = request;
  const params = await readSingleParams(request);
  const { askedBy, mayKnow } = await authenticateCaller(request, params);
  const token = params.values.get('token');
  if (token === undefined) throw new InvalidRequest('token is missing.');

  const presented = recognise(token, snapshot);
  if (!presented) {
    await requireCurrent(snapshot, askedBy, since);
    return json(200, INACTIVE);
  }
  return json(200, (await introspectToken(presented, { snapshot, askedBy, mayKnow })) ?? INACTIVE);
}

type Presented = {
  refreshHash: Buffer | null;
  access: PresentedAccess | null;
  machine: PresentedMachine | null;
};

/** Reads a presented token. Null: not a Gatehouse token, or expired. */
export function recognise(token: string, snapshot: Snapshot): Presented | null {
  const refreshHash = hashRefresh(token);
  const access = refreshHash ? null : readAccessToken(token, snapshot);
  const machine = refreshHash || access ? null : readMachineToken(token, snapshot);
  return refreshHash || access || machine ? { refreshHash, access, machine } : null;
}

/** Returns the introspection result of an active token. Null if the token is inactive or hidden from this caller. */
export async function introspectToken(
  presented: Presented,
  caller: Caller & { snapshot: Snapshot },
): Promise<Record<string, unknown> | null> {
  const { locked } = await livingToken(presented, caller);
  const living = locked?.inspect();
  return living ? { ...living.ofPerson, ...living.members } : null;
}

type Members = { iss: string; sub: string; client_id: string; scope: string; cnf?: { jkt: string } };
/**
 * An active token. `ofPerson`: user claims that the API's tokens contain. `signIn` is null for a client_credentials
 * token.
 */
export type Living = Pick<LiveToken, 'apiId' | 'authMethodId' | 'issuerHost' | 'jkt'> & {
  members: Members & { act?: Record<string, unknown> };
  ofPerson: PersonClaims;
  signIn: { level: AcrLevel; at: number } | null;
};

/** Returns the parts of the introspection result. `known` is true if Gatehouse issued the token, active or not. */
export async function livingToken(
  { refreshHash, access, machine }: Presented,
  caller: Caller & { snapshot: Snapshot },
): Promise<{ locked: LockedToken<Living> | null; known: boolean }> {
  if (machine) {
    const living = await livingMachineToken(machine, caller);
    return {
      locked: living && new LockedToken(living),
      known: living !== null || machine.jti !== undefined,
    };
  }
  const { snapshot, askedBy } = caller;
  const { live, known } = await findToken({ version: snapshot.version, askedBy, refreshHash, access });
  const living = live && (await livingTokenOf(live.inspect(), { refreshHash, access }, caller));
  return { locked: living && new LockedToken(living), known };
}

/** Token type (RFC 9449 §6.2). */
const tokenType = (jkt: string | null) => (jkt === null ? 'bearer' : 'DPoP');
const confirmation = (jkt: string | null) => (jkt === null ? {} : { cnf: { jkt } });

/** Returns the introspection result for a token of a user's sign-in. */
async function livingTokenOf(
  live: LiveToken,
  { refreshHash, access }: Pick<Presented, 'refreshHash' | 'access'>,
  { snapshot, mayKnow }: Caller & { snapshot: Snapshot },
): Promise<Living | null> {
  const api = snapshot.apis.get(live.apiId);
  // the combination or its host may have been deleted
  if (!api || !hasAddress(snapshot, live) || !mayKnow(live.apiId)) return null;
  // `sub` is the value that the token's client receives, whichever caller introspects the token
  const client = snapshot.clients.get(live.clientId);
  if (!client) throw new RegistryChanged('the client of the token is not known here yet');
  const method = snapshot.methods.get(live.authMethodId);
  const act = await actorsHeardBy(client, live.act, { api, snapshot });
  // refresh tokens cannot be exchanged, and a delegation token already belongs to the agent
  const mayAct = refreshHash || live.basis === 'delegation' ? null : live.mayAct;
  // current values of the claims, possibly newer than those in the JWT
  const ofPerson = refreshHash ? {} : await tokenClaims(api, live);
  const members = {
    active: true,
    iss: live.issuerHost ?? issuerUrl(live.authMethodId, live.apiId),
    aud: api.url,
    sub: await heardBy(client, live.personId, { api, snapshot }),
    client_id: live.clientId,
    scope: live.scopes.join(' '),
    token_type: refreshHash ? 'refresh_token' : tokenType(live.jkt),
    iat: live.issuedAt,
    exp: live.expiresAt,
    auth_time: live.authTime,
    ...(method && !refreshHash ? strengthClaims(live, { api, method }) : {}),
    ...(act === null ? {} : { act }),
    ...(mayAct === null ? {} : { may_act: { sub: mayAct, client_id: mayAct } }),
    ...(access?.jti === undefined ? {} : { jti: access.jti }),
    ...confirmation(live.jkt),
  };
  return { ...placeOf(live), members, ofPerson, signIn: { level: live.acrLevel ?? 1, at: live.authTime } };
}

/**
 * Introspection result of a client_credentials token: the client is the subject (RFC 9068 §2.2), without user claims.
 */
async function livingMachineToken(
  { hash, jti }: PresentedMachine,
  { snapshot, askedBy, mayKnow }: Caller & { snapshot: Snapshot },
): Promise<Living | null> {
  const liveMachineToken = await findLiveMachineToken({
    version: snapshot.version,
    askedBy,
    tokenHash: hash,
  });
  const live = liveMachineToken?.inspect();
  const api = live && snapshot.apis.get(live.apiId);
  if (!live || !api || !hasAddress(snapshot, live) || !mayKnow(live.apiId)) return null;
  const members = {
    active: true,
    iss: live.issuerHost ?? issuerUrl(live.authMethodId, live.apiId),
    aud: api.url,
    sub: live.clientId,
    client_id: live.clientId,
    scope: live.scopes.join(' '),
    token_type: tokenType(live.jkt),
    iat: live.issuedAt,
    exp: live.expiresAt,
    ...(jti === undefined ? {} : { jti }),
    ...confirmation(live.jkt),
  };
  return { ...placeOf(live), members, ofPerson: {}, signIn: null };
}

const placeOf = ({ apiId, authMethodId, issuerHost, jkt }: LiveMachineToken) => ({
  apiId,
  authMethodId,
  issuerHost,
  jkt,
});

async function authenticateCaller(request: ClientRequest, params: Params): Promise<Caller> {
  const { snapshot, http } = request;
  const named = ['client_id', 'client_assertion'].some((name) => params.values.has(name));
  if (http.headers['authorization'] === undefined && !named)
    throw new InvalidClient('The credentials of an API or a confidential client are missing.', CHALLENGE);
  const credentials = await requireCredentials(request);
  const api = credentials.basic ? snapshot.apis.get(credentials.clientId) : undefined;
  if (api?.introspectionSecretHash && credentials.secret !== null) {
    const expected = api.introspectionSecretHash;
    const digest = sha256(credentials.secret);
    if (!(await provesSecret(request, true, false, () => equalDigests(digest, expected))))
      throw authenticationFailed(credentials, true);
    return { askedBy: null, mayKnow: (apiId) => apiId === api.id };
  }
  const client = await authenticateClient(request);
  if (!client.confidential) throw new InvalidClient('Public clients cannot introspect tokens.');
  const mayKnow = (apiId: string) => subscriptionTo({ id: apiId }, client)?.state === 'approved';
  return { askedBy: client.clientId, mayKnow };
}

// POST ISSUER/revoke (RFC 7009) returns 200 for every token, but revokes only the caller's own tokens.

export async function handleRevoke(request: IssuerRequest): Promise<Answer> {
  const since = performance.now();
  const { http, ip, snapshot } = request;
  const params = await readSingleParams(request);
  const { clientId } = await authenticateClient(request);
  const token = params.values.get('token');
  if (token === undefined) throw new InvalidRequest('token is missing.');
  const context = { clientId, requestId: http.requestId, ip };
  const refreshHash = hashRefresh(token);
  if (refreshHash) {
    await revokeByRefreshToken({ ...context, tokenHash: refreshHash });
  } else {
    const access = readAccessToken(token, snapshot);
    const machine = access ? null : readMachineToken(token, snapshot);
    if (!access && !machine) await requireCurrent(snapshot, clientId, since);
    if (access) await revokeAccessToken({ ...context, access });
    if (machine) await revokeMachineToken({ ...context, tokenHash: machine.hash });
  }
  // clients ignore the body (§2.2), but some parse JSON and fail on empty responses
  return json(200, {});
}

// Parameters and responses of the revocation endpoint (RFC 7009 §2).

const tokenTypeHint = optional(
  z.string(),
  '`access_token` or `refresh_token`: the kind to look for first. The other kind is also found.',
);

const RevocationResponse = z.object({}).meta({ maxProperties: 0 });

export const revocationDeclaration: Declaration = {
  path: issuerPath,
  header: clientHeader,
  body: z.object({
    ...clientBody,
    token: z.string().describe('The access token or refresh token to revoke.'),
    token_type_hint: tokenTypeHint,
  }),
  answers: { RevocationResponse },
  errors: [...bodyErrors, ...credentialErrors, badClient, unknownIssuer, ...serviceErrors],
  security: byClient,
};

// Parameters and responses of the introspection endpoint (RFC 7662 §2).

const seconds = optional(z.int(), 'Seconds since 1970-01-01T00:00:00Z.');
const text = z.string().optional();

/** Schema of the response, which also contains the user claims listed in the API's `token_claims`. */
const IntrospectionResponse = z.looseObject({
  active: z.boolean().describe('If false, no other member is present.'),
  scope: text,
  client_id: text,
  token_type: text,
  exp: seconds,
  iat: seconds,
  auth_time: seconds,
  acr: text.describe('The strength of the sign-in (RFC 9470 §6.2), if it is known.'),
  amr: z.array(z.string()).optional().describe('How the person authenticated (RFC 8176).'),
  sub: text,
  aud: z.union([z.string(), z.array(z.string())]).optional(),
  iss: z.url().optional(),
  jti: text,
  cnf: z
    .object({ jkt: z.string() })
    .optional()
    .describe('The thumbprint of the key that the token is bound to (RFC 9449 §6.2); token_type is `DPoP`.'),
  may_act: z
    .object({ sub: z.string(), client_id: z.string() })
    .optional()
    .describe(
      'The agent that the person allows to act at this API (RFC 8693 §4.4): the calling client, or the only agent.',
    ),
  act: z
    .object({})
    .optional()
    .describe('The actor for the person, which contains earlier actors (RFC 8693 §4.1).'),
});

export const introspectionDeclaration: Declaration = {
  path: issuerPath,
  header: z.object({
    Authorization: text.describe(
      "HTTP Basic: the API's id and introspection secret, or client_id and client_secret.",
    ),
  }),
  body: z.object({
    ...clientBody,
    client_secret: requiredOf(
      z.string(),
      'unless HTTP Basic or an assertion is used',
      'The secret of the confidential client.',
    ),
    token: z.string().describe('The token to introspect.'),
    token_type_hint: tokenTypeHint,
  }),
  answers: { IntrospectionResponse },
  errors: [
    ...bodyErrors,
    ...credentialErrors,
    ...refuses(InvalidClient, ['The credentials are missing or wrong, or the client is disabled or public.']),
    unknownIssuer,
    ...serviceErrors,
  ],
  security: [{ apiBasic: [] }, ...byClient],
};
