// Users of a real broker and verifier with claims chosen by the test: fixture methods `brk` and `ext`, trusted client
// `tru`.
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { changeAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { type Broker, startBroker } from '../../demo/broker.ts';
import { ask, cookieOf, givenFixtures, jsonOf, locationOf } from '../in-process/in-process.ts';
import { freshPkce } from '../net/pkce.ts';
import { throughBroker } from './broker.ts';
import { RIGHT_PASSWORD, startVerifier, type Verifier } from './verifier.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const ASKED = { client_id: 'tru', response_type: 'code', redirect_uri: 'https://tru.example/cb' };
const NAMES = [
  'given_name',
  'picture',
  'memberOf',
  'positions',
  'rights',
  'address',
  'shoe_size',
  'big',
  'odd',
  'verified',
];
const SCOPE = 'openid profile email address';

const PROOF = { acr: 'urn:partner:gold', amr: ['pwd', 'otp'] };
/**
 * Claims that broker and verifier return besides subject, name and address, and the ways in which users authenticate
 * at the broker.
 */
export const elsewhere = { say: {} as Record<string, unknown>, proof: { ...PROOF } };
const brokers: Broker[] = [];
let verifier: Verifier;

/** Starts both services for a test file. */
export function givenPeopleElsewhere(): void {
  beforeAll(async () => {
    setLogLevel('silent');
    await givenFixtures();
    verifier = await startVerifier({ more: () => elsewhere.say });
    for (const inIdToken of [false, true]) {
      brokers.push(
        await startBroker({
          port: 0,
          clientId: 'gatehouse',
          clientSecret: 'fixture-broker-secret',
          redirectUris: [`${settings().baseUrl}/auth/callback/brk`],
          claims: { names: NAMES, of: () => elsewhere.say },
          inIdToken,
          proof: elsewhere.proof,
        }),
      );
    }
  });
  afterAll(() => Promise.all([verifier.close(), ...brokers.map((broker) => broker.close())]));
  beforeEach(() => {
    elsewhere.say = {};
    Object.assign(elsewhere.proof, PROOF);
  });
}

export type MethodClaims = { claims?: Record<string, string>; trust_email?: boolean };

export async function brokerWith(more: MethodClaims, inIdToken = false): Promise<void> {
  const issuer = brokers[Number(inIdToken)]?.issuer;
  const config = { issuer, client_id: 'gatehouse', allow_private_network: true, ...more };
  await changeAuthMethod(OPERATOR, { id: 'brk', config });
}

export async function verifierWith(more: MethodClaims): Promise<void> {
  const config = { verify_url: verifier.url, allow_private_network: true, ...more };
  await changeAuthMethod(OPERATOR, { id: 'ext', config });
}

/** Gets tokens for a broker user. */
export async function byBroker(name: string, scope = SCOPE): Promise<Record<string, string>> {
  const at = `/auth/brk/api/orders`;
  const target = `${at}/authorize?${new URLSearchParams({ ...ASKED, scope })}`;
  const departed = await ask(target);
  const back = new URL(await throughBroker({ location: locationOf(departed) }, name));
  const cookie = cookieOf(departed);
  const returned = await ask(back.pathname + back.search, { headers: { cookie, accept: 'text/html' } });
  expect(returned.status, String(returned.body)).toBe(303);
  const code = new URL(locationOf(await ask(target, { headers: { cookie: cookieOf(returned) } })));
  const form = { grant_type: 'authorization_code', redirect_uri: ASKED.redirect_uri };
  return redeem(at, { ...form, code: code.searchParams.get('code') ?? '' });
}

export const byVerifier = (username: string): Promise<Record<string, string>> =>
  redeem('/auth/ext/api/orders', { grant_type: 'password', username, password: RIGHT_PASSWORD });

export async function redeem(at: string, form: Record<string, string>): Promise<Record<string, string>> {
  const answer = await ask(`${at}/token`, { form: { ...TRU, ...form } });
  expect(answer.status, String(answer.body)).toBe(200);
  return jsonOf(answer) as Record<string, string>;
}

export async function userinfo(
  { access_token }: Record<string, string>,
  method = 'brk',
): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${access_token}` };
  const {
    sub: _,
    updated_at: __,
    ...claims
  } = jsonOf(await ask(`/auth/${method}/api/orders/userinfo`, { headers }));
  return claims;
}

export const givenTokenClaims = (names: string[], format: 'jwt' | 'opaque' = 'jwt') =>
  changeApi(OPERATOR, { id: 'orders', tokenClaims: names, accessTokenFormat: format });

export async function introspected(token: string | undefined): Promise<Record<string, unknown>> {
  const form = { ...TRU, token: token ?? '' };
  return jsonOf(await ask('/auth/brk/api/orders/introspect', { form }));
}

/** Returns an ID token that the broker issued to Gatehouse. */
export async function brokersIdToken(name: string): Promise<string> {
  const issuer = brokers[1]?.issuer ?? '';
  const { verifier: code_verifier, params } = freshPkce();
  const redirect_uri = `${settings().baseUrl}/auth/callback/brk`;
  const asked = { client_id: 'gatehouse', response_type: 'code', scope: SCOPE, redirect_uri, ...params };
  const back = await throughBroker({ location: `${issuer}/auth?${new URLSearchParams(asked)}` }, name);
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('gatehouse:fixture-broker-secret')}` },
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', redirect_uri, code_verifier },
      code: new URL(back).searchParams.get('code') ?? '',
    }),
  });
  return ((await answer.json()) as { id_token: string }).id_token;
}

/** Exchanges a broker's ID token for an access token (RFC 8693). */
export async function exchanged(subject_token: string): Promise<Record<string, string>> {
  const type = { subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' };
  const form = { ...TRU, ...type, subject_token, audience: 'orders' };
  const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange';
  const answer = await ask('/auth/token', { form: { ...form, grant_type } });
  expect(answer.status, String(answer.body)).toBe(200);
  return jsonOf(answer) as Record<string, string>;
}
