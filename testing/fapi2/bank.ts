// Requests of the FAPI 2.0 plan's modules: both suite clients, with the plan's registry, sent to the protocol core in
// this process.
import { createHash, randomUUID } from 'node:crypto';
import { importJWK } from 'jose';
import { stringify } from 'yaml';
import { applyConfiguration } from '#lib/config/apply.ts';
import type { Answer } from '#lib/http/message.ts';
import { settings } from '#lib/settings/settings.ts';
import { ASSERTION_TYPE, type Changes, makeAssertion, makePair, type Pair } from '../clients/client-keys.ts';
import { ask, jsonOf, locationOf } from '../in-process/in-process.ts';
import { Visitor } from '../in-process/visitor.ts';
import { type ProofKey, proofKey, proofOf } from '../net/dpop.ts';
import { ALIAS, makePlan, type Plan } from './plan.ts';

const SUITE = 'https://suite.example';
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

export type Party = {
  id: string;
  scope: string;
  redirectUri: string;
  /** key with which the client signs assertions */
  pair: Pair;
  rs256: Pair;
  /** key with which the client signs DPoP proofs */
  key: ProofKey;
};
export type Body = Record<string, string>;

export const bank = {
  path: '/auth/bank/api/accounts',
  first: {} as Party,
  second: {} as Party,
  person: { username: '', password: '' },
  /** signed-in user; consent exists for both clients */
  visitor: new Visitor(),
};
export const issuer = () => `${settings().authUrl}${bank.path}`;

export async function openBank(): Promise<void> {
  const { plan, registry, person } = await makePlan({ service: settings().baseUrl, suite: SUITE });
  await applyConfiguration(stringify(registry), { env: {} });
  const callback = `${SUITE}/test/a/${ALIAS}/callback`;
  bank.first = await partyOf(plan.client, callback);
  bank.second = await partyOf(plan.client2, `${callback}?dummy1=lorem&dummy2=ipsum`);
  bank.person = { username: person.email, password: person.password };
  for (const party of [bank.first, bank.second]) await agree(party);
}

async function partyOf(
  { client_id: id, scope, dpop_signing_alg, jwks }: Plan['client'],
  redirectUri: string,
) {
  const [jwk = {}] = jwks.keys;
  const [alg, kid] = [String(jwk.alg), String(jwk.kid)];
  const privateKey = (await importJWK(jwk, alg)) as CryptoKey;
  // the client's PS256 key could also sign with RS256, so no second key is needed
  const pair = { alg, kid, privateKey, jwk: jwk as Pair['jwk'] };
  const key = await proofKey(dpop_signing_alg);
  return { id, scope, redirectUri, pair, rs256: await rs256Of(jwk, kid), key };
}

/**
 * Returns a key pair for RS256: the client's RSA key, like the suite, or a new key if the client's key has
 * another type.
 */
async function rs256Of(jwk: Plan['client']['jwks']['keys'][number], kid: string): Promise<Pair> {
  if (jwk.kty !== 'RSA') return makePair('RS256', kid);
  const privateKey = (await importJWK({ ...jwk, alg: 'RS256' }, 'RS256')) as CryptoKey;
  return { alg: 'RS256', kid, privateKey, jwk: jwk as Pair['jwk'] };
}

async function agree(party: Party): Promise<void> {
  const { request_uri = '' } = (await push(party)).body;
  let at = await visit(bank.visitor, { client_id: party.id, request_uri });
  if (at.page === 'login') at = await bank.visitor.submit(at, bank.person);
  if (at.page === 'consent') at = await bank.visitor.submit(at, { decision: 'allow' });
  if (at.client.get('code') === null) throw new Error(`no code but ${at.page} ${at.client}`);
}

/** Returns the address to which the authorization endpoint redirects this browser. */
export const visit = async (visitor: Visitor, query: Body) =>
  visitor.onward(await visitor.send(`${bank.path}/authorize?${new URLSearchParams(query)}`));

export async function assertion(by: Party, changes: Changes = {}, pair = by.pair): Promise<Body> {
  const asserted = { clientId: by.id, audience: issuer(), pair };
  return { client_assertion_type: ASSERTION_TYPE, client_assertion: await makeAssertion(asserted, changes) };
}

export type Told = { status: number; body: Body; headers: Answer['headers'] };
type Sent = {
  /** key for the DPoP proof; null: the request contains no proof */
  key?: ProofKey | null;
  claims?: Record<string, unknown>;
  credentials?: Body;
};
/** Sends a POST request to `par` or `token`, with a valid assertion and proof unless they are overridden. */
export async function post(name: 'par' | 'token', by: Party, form: Body, sent: Sent = {}): Promise<Told> {
  const { key = by.key, claims = {}, credentials = await assertion(by) } = sent;
  const address = `${issuer()}/${name}`;
  const dpop = key ? { dpop: await proofOf(key, { address, claims }) } : {};
  const answer = await ask(`${bank.path}/${name}`, { form: { ...credentials, ...form }, headers: dpop });
  return { status: answer.status, body: jsonOf(answer) as Body, headers: answer.headers };
}

export const requestOf = (party: Party): Body => ({
  client_id: party.id,
  response_type: 'code',
  redirect_uri: party.redirectUri,
  scope: party.scope,
  state: randomUUID(),
  nonce: randomUUID(),
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
});
/**
 * Pushes a request. `undefined` omits a parameter. Like the suite, sends a DPoP proof only in DPoP modules.
 */
export function push(by: Party, over: Record<string, string | undefined> = {}, sent: Sent = {}) {
  const form = Object.entries({ ...requestOf(by), ...over }).filter(([, value]) => value !== undefined);
  return post('par', by, Object.fromEntries(form) as Body, { key: null, ...sent });
}

/** Opens this request_uri as the user, who already consented, and returns the parameters of the redirect. */
export async function come(by: Party, request_uri: string | undefined, over: Body = {}) {
  const asked = { client_id: by.id, request_uri: request_uri ?? '', ...over };
  return (await visit(bank.visitor, asked)).client;
}

export const redeem = (by: Party, code: string, sent: Sent = {}, over: Body = {}) =>
  post(
    'token',
    by,
    {
      grant_type: 'authorization_code',
      code,
      redirect_uri: by.redirectUri,
      code_verifier: VERIFIER,
      ...over,
    },
    sent,
  );

/** Sends a valid request, and returns the code. */
export async function codeFor(by: Party, over: Record<string, string | undefined> = {}, sent: Sent = {}) {
  const pushed = await push(by, over, sent);
  return (await come(by, pushed.body['request_uri'])).get('code') ?? '';
}
export const tokensFor = async (by: Party) => (await redeem(by, await codeFor(by))).body;

type Proven = { scheme?: string; key?: ProofKey; claims?: Record<string, unknown> };
/** Calls the resource of the suite's plan, which is userinfo. */
export async function resource(by: Party, token: string, { scheme = 'DPoP', key, claims = {} }: Proven = {}) {
  const address = `${issuer()}/userinfo`;
  const dpop = await proofOf(key ?? by.key, { method: 'GET', address, token, claims });
  return resourceWith({ authorization: `${scheme} ${token}`, dpop });
}
export const resourceWith = (headers: Record<string, string>) => ask(`${bank.path}/userinfo`, { headers });

export const claimsOf = (token: string | undefined) =>
  JSON.parse(Buffer.from((token ?? '').split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;

/** Returns the page or redirect that a user gets after an authorization request with this query. */
export async function answerTo(
  query: Body,
): Promise<{ status: number; back: URLSearchParams; text: string }> {
  const answer = await bank.visitor.send(`${bank.path}/authorize?${new URLSearchParams(query)}`);
  const location = locationOf(answer);
  const back = location === '' ? new URLSearchParams() : new URL(location).searchParams;
  return { status: answer.status, back, text: String(answer.body) };
}
