// The issuer of `pw` and `orders` at two URLs: below AUTH_URL, and at its separate host. Requests go to the protocol
// core.
import { expect } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { ask, givenFixtures, jsonOf, locationOf } from './in-process.ts';
import { OPENID_PATH, signInTo } from './openid.ts';

export const HOST = 'login-orders.example';
export const ORIGIN = `https://${HOST}`;
export const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
export const ASKED = {
  client_id: 'tru',
  response_type: 'code',
  redirect_uri: 'https://tru.example/cb',
  scope: 'openid read offline_access',
};

let cookie = '';

/** Applies the fixtures and signs a user in. Returns the browser's Cookie header. */
export async function givenPersonAtBoth(): Promise<string> {
  await givenFixtures();
  ({ cookie } = await signInTo('alice@example.com'));
  return cookie;
}

export const giveHost = (issuerHosts: Record<string, string> | null, id = 'orders') =>
  changeApi(OPERATOR, { id, issuerHosts });
export const pathIssuer = () => `${settings().authUrl}${OPENID_PATH}`;

type Sent = { form?: Record<string, string>; headers?: Record<string, string>; host?: string };
/** Sends a request to the issuer's host. */
export const askHost = (target: string, { form, headers, host = HOST }: Sent = {}) =>
  ask(target, { ...(form && { form }), headers: { host, ...headers } });
/** Sends a request to the issuer's URL below AUTH_URL. */
export const askPath = (target: string, sent: Omit<Sent, 'host'> = {}) =>
  ask(`${OPENID_PATH}${target}`, sent);

/** Returns the parameters of the authorization response. At the host, the browser first follows its redirect. */
export async function authorize(at: 'host' | 'path', over: Record<string, string> = {}) {
  const query = new URLSearchParams({ ...ASKED, ...over });
  if (at === 'path')
    return new URL(locationOf(await askPath(`/authorize?${query}`, { headers: { cookie } }))).searchParams;
  const answer = await askHost(`/authorize?${query}`);
  expect(answer.status).toBe(303);
  const next = new URL(locationOf(answer));
  expect(next.origin + next.pathname).toBe(`${pathIssuer()}/authorize`);
  const followed = await ask(`${next.pathname}${next.search}`, { headers: { cookie } });
  return new URL(locationOf(followed)).searchParams;
}
export const codeFor = async (at: 'host' | 'path', over?: Record<string, string>) =>
  (await authorize(at, over)).get('code') ?? '';
export const redeem = (at: 'host' | 'path', code: string) =>
  (at === 'host' ? askHost : askPath)('/token', {
    form: { ...TRU, grant_type: 'authorization_code', code, redirect_uri: ASKED.redirect_uri },
  });
export const refresh = (at: 'host' | 'path', token: string | undefined) =>
  (at === 'host' ? askHost : askPath)('/token', {
    form: { ...TRU, grant_type: 'refresh_token', refresh_token: token ?? '' },
  });
export async function tokensOf(at: 'host' | 'path') {
  const answer = await redeem(at, await codeFor(at));
  expect(answer.status, String(answer.body)).toBe(200);
  return jsonOf(answer) as Record<string, string>;
}
const basic = `Basic ${Buffer.from('orders:fixture-orders-introspection-secret').toString('base64')}`;
export const introspect = async (token: string | undefined, at: 'host' | 'path' = 'path') =>
  jsonOf(
    await (at === 'host' ? askHost : askPath)('/introspect', {
      form: { token: token ?? '' },
      headers: { authorization: basic },
    }),
  );
export const userinfo = async (token: string | undefined, at: 'host' | 'path') =>
  (await (at === 'host' ? askHost : askPath)('/userinfo', { headers: { authorization: `Bearer ${token}` } }))
    .status;
