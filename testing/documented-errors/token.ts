// A request for each error that the token endpoint declares.
import { expect } from 'vitest';
import { settings } from '#lib/settings/settings.ts';
import { makePair } from '../clients/client-keys.ts';
import { idJagClaims, makeIdJag } from '../clients/id-jag.ts';
import { proofKey, proofOf } from '../net/dpop.ts';
import type { Requests } from './requests.ts';
import {
  ALICE,
  CHALLENGE,
  CONF,
  forOthers,
  jsonOf,
  ORDERS,
  overLimit,
  PW,
  type Sent,
  send,
  sql,
  TRU,
  underMfa,
  underOAuth21,
  type Values,
  VERIFIER,
  type World,
} from './world.ts';

const token = (form: Values, sent: Sent = {}) => send(`${PW}/token`, { form, ...sent });
const refresh = { ...TRU, grant_type: 'refresh_token' };
const redeem = { ...TRU, grant_type: 'authorization_code' };

const PKCE = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
const PARTNER = '/auth/partner/api/orders';
const bearer = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'x' };

/**
 * Sends an ID-JAG for the trusted client, which is a machine client during the call. The signer is not the method's
 * broker.
 */
async function idJag(claims: Record<string, unknown>, method = 'partner') {
  const [{ issuer = '' } = {}] = await sql<{ issuer: string }>(
    "select config ->> 'issuer' as issuer from auth_methods where id = $1",
    [method],
  );
  const aud = idJagClaims({ issuer }).aud.replace('/brk/', `/${method}/`);
  const signer = { issuer, pair: await makePair() };
  const assertion = await makeIdJag(signer, { claims: { client_id: 'tru', aud, ...claims } });
  await sql("update subscriptions set machine = true where client_id = 'tru'");
  const answer = await send(`/auth/${method}/api/orders/token`, { form: { ...TRU, ...bearer, assertion } });
  await sql("update subscriptions set machine = false where client_id = 'tru'");
  return answer;
}

export const tokenRequests = (world: World): Requests => ({
  'grant_type is unknown': [() => token({ ...TRU, grant_type: 'implicit' })],
  'grant_type is `password`': [
    () => send('/auth/partner/api/orders/token', { form: { ...TRU, ...ALICE, grant_type: 'password' } }),
    () => underOAuth21(() => token({ ...TRU, ...ALICE, grant_type: 'password' })),
    () => underMfa(() => token({ ...TRU, ...ALICE, grant_type: 'password' })),
  ],
  'The client has no approved': [
    () =>
      token({
        client_id: 'pend',
        client_secret: 'pend-secret-of-the-fixtures',
        grant_type: 'refresh_token',
        refresh_token: 'x',
      }),
  ],
  'resource is not the API of this issuer,': [
    async () => token({ ...redeem, code: await world.code(), resource: 'https://other.example/' }),
    async () => token({ ...redeem, code: await world.code(), resource: `${ORDERS}#top` }),
    () => token({ ...refresh, refresh_token: 'x', resource: 'orders' }),
  ],
  'The code is unknown': [
    () => token({ ...redeem, code: 'unknown' }),
    async () => token({ ...CONF, grant_type: 'authorization_code', code: await world.code() }),
    async () => send('/auth/ext/api/orders/token', { form: { ...redeem, code: await world.code() } }),
  ],
  'The code was already used. If the same client': [
    async () => {
      const code = await world.code();
      expect((await token({ ...redeem, code })).status).toBe(200);
      return token({ ...redeem, code });
    },
  ],
  'dpop_jkt of the authorize request': [
    async () => token({ ...redeem, code: await world.code({ dpop_jkt: 'x'.repeat(43) }) }),
  ],
  'The refresh token of a public client is bound': [
    async () => {
      const code = await world.code({ client_id: 'trunat', redirect_uri: 'com.example.trunat:/cb', ...PKCE });
      const redeemed = {
        client_id: 'trunat',
        grant_type: 'authorization_code',
        code,
        code_verifier: VERIFIER,
      };
      const dpop = await proofOf(await proofKey(), { address: `${settings().authUrl}${PW}/token` });
      const { refresh_token } = jsonOf(await token(redeemed, { headers: { dpop } }));
      return token({ client_id: 'trunat', grant_type: 'refresh_token', refresh_token });
    },
  ],
  'redirect_uri differs from that of the authorize request.': [
    async () => token({ ...redeem, code: await world.code(), redirect_uri: 'https://tru.example/other' }),
  ],
  'The client is limited to people with a certain': [
    async () => {
      const code = await world.code();
      return forOthers(() => token({ ...redeem, code }));
    },
    async () => {
      const { refresh_token } = await world.tokens();
      return forOthers(() => token({ ...refresh, refresh_token }));
    },
    () => forOthers(() => token({ ...TRU, ...ALICE, grant_type: 'password' })),
  ],
  'code_verifier is missing, wrong': [
    async () => {
      const code = await world.code({ code_challenge: CHALLENGE, code_challenge_method: 'S256' });
      return token({ ...redeem, code });
    },
    async () => token({ ...redeem, code: await world.code(), code_verifier: VERIFIER }),
    async () => {
      const code = await world.code();
      return underOAuth21(() => token({ ...redeem, code }));
    },
  ],
  'code_verifier is not 43': [
    async () => token({ ...redeem, code: await world.code(), code_verifier: 'short' }),
  ],
  'The password grant without': [() => token({ ...CONF, ...ALICE, grant_type: 'password' })],
  'The password grant with the scope': [
    () => token({ ...TRU, ...ALICE, grant_type: 'password', scope: 'openid' }),
  ],
  'The username or password': [
    () => token({ ...TRU, ...ALICE, grant_type: 'password', password: 'wrong' }),
    () =>
      token({
        ...TRU,
        grant_type: 'password',
        username: 'dave@example.com',
        password: 'dave-password-1',
      }),
  ],
  'Limit of wrong passwords in 15 minutes, pages and': [
    () =>
      overLimit('4account', 10, () => token({ ...TRU, ...ALICE, grant_type: 'password', password: 'wrong' })),
    () =>
      overLimit('3address', 60, () =>
        token(
          { client_id: 'trunat', ...ALICE, grant_type: 'password', password: 'wrong' },
          { ip: '192.0.2.7' },
        ),
      ),
  ],
  'The external verifier': [
    () => send('/auth/ext/api/orders/token', { form: { ...TRU, ...ALICE, grant_type: 'password' } }),
  ],
  'The API or a scope now requires a stronger': [
    async () => {
      const { refresh_token } = await world.tokens();
      return underMfa(() => token({ ...refresh, refresh_token }));
    },
    async () => {
      const code = await world.code();
      return underMfa(() => token({ ...redeem, code }));
    },
  ],
  'The refresh token is unknown': [
    () => token({ ...refresh, refresh_token: 'unknown' }),
    async () =>
      token({ ...CONF, grant_type: 'refresh_token', refresh_token: (await world.tokens())['refresh_token'] }),
  ],
  'The refresh token was already used. Its whole family': [
    async () => {
      const { refresh_token } = await world.tokens();
      expect((await token({ ...refresh, refresh_token })).status).toBe(200);
      return token({ ...refresh, refresh_token });
    },
  ],
  'A browser client sends a refresh token that was': [
    async () => {
      const { refresh_token } = await world.tokens();
      return token({ client_id: 'spa', grant_type: 'refresh_token', refresh_token });
    },
  ],
  'The family rests on trust': [
    async () => {
      const { refresh_token } = await world.tokens();
      await sql("update subscriptions set trusted = false where client_id = 'tru'");
      const answer = await token({ ...refresh, refresh_token });
      await sql("update subscriptions set trusted = true where client_id = 'tru'");
      return answer;
    },
  ],
  'grant_type is that of an ID-JAG': [() => token({ ...TRU, ...bearer })],
  'An ID-JAG from a public client': [
    () => send(`${PARTNER}/token`, { form: { client_id: 'nat', ...bearer } }),
    () => send(`${PARTNER}/token`, { form: { ...TRU, ...bearer } }),
  ],
  'The ID-JAG is not accepted': [() => idJag({}), () => idJag({ client_id: 'conf' })],
  'The `resource` of the ID-JAG': [() => idJag({ resource: 'https://api.example/billing' })],
  'No scope is in the ID-JAG, in the request': [() => idJag({ scope: 'admin' })],
  'The keys of the broker that signed': [() => idJag({}, 'brk')],
  'scope requests more than the sign-in granted, or nothing': [
    async () =>
      token({ ...refresh, refresh_token: (await world.tokens())['refresh_token'], scope: 'read write' }),
  ],
});
