// A company's identity provider that signs ID-JAGs, and requests that present them to an issuer of this service.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import * as jose from 'jose';
import { changeSubscription, decideSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { sql } from '../data/registry.ts';
import { ask, jsonOf } from '../in-process/in-process.ts';
import { listen } from '../net/listen.ts';
import { type Changes, makePair, type Pair, setOf } from './client-keys.ts';

export const BROKER_PATH = '/auth/brk/api/orders';
export const CONF = { client_id: 'conf', client_secret: 'S1-conf-secret-of-the-fixtures' };
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>;

/**
 * Serves the metadata and keys of an identity provider over HTTP. `down`: it does not respond. `beforeKeys`:
 * runs before the keys are returned. `tokens`: the response of its token endpoint.
 */
export async function startIdentityProvider(alg = 'ES256') {
  const pair = await makePair(alg);
  const tokens = async (): Promise<object | undefined> => undefined;
  const state = { keys: [pair], down: false, issuer: '', beforeKeys: async () => {}, tokens };

  const server = http.createServer(async (request, response) => {
    if (request.url === '/jwks') await state.beforeKeys();
    const found = {
      '/token': request.url === '/token' ? await state.tokens() : undefined,
      '/jwks': setOf(...state.keys),
      '/.well-known/openid-configuration': metadata(state.issuer),
    };
    const body = state.down ? undefined : found[request.url as keyof typeof found];
    response.writeHead(body ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const { url, close } = await listen(server);
  state.issuer = url;
  return { issuer: url, pair, state, close };
}

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
});

/** Makes this provider the fixtures' broker method, and makes these clients of `orders` and `billing` machines. */
export async function trustForMachines({ issuer }: IdentityProvider, ...clientIds: string[]): Promise<void> {
  await sql(
    `update auth_methods set config = config || jsonb_build_object('issuer', $1::text) where id = 'brk'`,
    [issuer],
  );
  for (const clientId of clientIds) await giveMachine(clientId, 'orders');
}

export async function giveMachine(clientId: string, api: string, scopes: string[] = []): Promise<void> {
  await changeSubscription(OPERATOR, { clientId, api, machine: true, scopes });
  await decideSubscription(OPERATOR, { clientId, api, action: 'approve' });
}

/** Returns the claims of a valid ID-JAG, which `changes` can replace; undefined omits a claim. */
export function idJagClaims({ issuer }: { issuer: string }, claims: Changes['claims'] = {}) {
  const iat = Math.floor(Date.now() / 1000);
  return {
    iss: issuer,
    sub: 'U019488227',
    aud: `${settings().authUrl}${BROKER_PATH}`,
    client_id: 'conf',
    jti: randomUUID(),
    iat,
    exp: iat + 300,
    resource: 'https://api.example/orders',
    scope: 'read write',
    auth_time: iat - 100,
    ...claims,
  };
}

type Signer = { issuer: string; pair: Pair };

export function makeIdJag({ issuer, pair }: Signer, { claims, header }: Changes = {}): Promise<string> {
  const payload = JSON.stringify(idJagClaims({ issuer }, claims));
  return new jose.CompactSign(new TextEncoder().encode(payload))
    .setProtectedHeader({ alg: pair.alg, kid: pair.kid, typ: 'oauth-id-jag+jwt', ...header })
    .sign(pair.privateKey);
}

export type Bearer = { path?: string; form?: Record<string, string> };

export const bring = (assertion: string, { path = BROKER_PATH, form = CONF }: Bearer = {}) =>
  ask(`${path}/token`, { form: { grant_type: JWT_BEARER, assertion, ...form } });

/** Presents an assertion that is accepted, and returns the response. */
export async function granted(assertion: string, bearer: Bearer = {}): Promise<Record<string, string>> {
  const answer = await bring(assertion, bearer);
  if (answer.status !== 200) throw new Error(String(answer.body));
  return jsonOf(answer) as Record<string, string>;
}

/** Presents an assertion, and returns `200`, or the status and the error. */
export async function outcome(assertion: string, bearer: Bearer = {}): Promise<string> {
  const answer = await bring(assertion, bearer);
  return answer.status === 200 ? '200' : `${answer.status} ${jsonOf(answer)['error']}`;
}
