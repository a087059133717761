// Sends requests to the token endpoint and related endpoints.

import { type Client, fixtureApi } from '../data/fixtures.ts';
import { type Door, issuerOf } from '../net/door.ts';
import { send } from '../net/http.ts';
import type { Answer, Sent } from '../net/sent.ts';
import type { At, Browser } from './browser.ts';

export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

export function tokenUrl(door: Door, at: At = {}): string {
  return `${issuerOf(door, at.method, at.api)}/token`;
}

export function token(
  door: Door,
  form: Record<string, string>,
  sent: Sent & { at?: At } = {},
): Promise<Answer> {
  const { at, ...rest } = sent;
  return send(tokenUrl(door, at), { form, ...rest });
}

/** Returns a client's credentials as form fields. */
export function credentialsOf(client: Client): Record<string, string> {
  return {
    client_id: client.clientId,
    ...(client.secret === undefined ? {} : { client_secret: client.secret }),
  };
}

export type Code = { code: string; verifier?: string };

export function redemptionOf(client: Client, { code, verifier }: Code): Record<string, string> {
  const proof = verifier === undefined ? {} : { code_verifier: verifier };
  return { grant_type: 'authorization_code', ...credentialsOf(client), code, ...proof };
}

export function redeem(
  door: Door,
  client: Client,
  code: Code,
  sent: Sent & { at?: At } = {},
): Promise<Answer> {
  return token(door, redemptionOf(client, code), sent);
}

export function refresh(
  door: Door,
  client: Client,
  refreshToken: string,
  extra: Record<string, string> = {},
  at: At = {},
) {
  const form = {
    grant_type: 'refresh_token',
    ...credentialsOf(client),
    refresh_token: refreshToken,
    ...extra,
  };
  return token(door, form, { at });
}

export function passwordGrant(
  door: Door,
  client: Client,
  who: { email: string; password: string },
  extra: Record<string, string> = {},
  sent: Sent & { at?: At } = {},
): Promise<Answer> {
  const form = {
    grant_type: 'password',
    ...credentialsOf(client),
    username: who.email,
    password: who.password,
  };
  return token(door, { ...form, ...extra }, sent);
}

export type Tokens = { accessToken: string; refreshToken: string };

export function tokensOf(answer: Answer): Tokens {
  if (answer.status !== 200) throw new Error(`no tokens: ${answer.status} ${answer.text.slice(0, 300)}`);
  const body = answer.json();
  return { accessToken: String(body['access_token']), refreshToken: String(body['refresh_token']) };
}

/** Decodes JWT claims without verification. */
export function claimsOf(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
}

/** Gets a new token family for a client, by the authorization code grant. */
export async function tokensFor(
  browser: Browser,
  client: Client,
  params: Record<string, string> = {},
): Promise<Tokens> {
  return tokensOf(await redeem(browser.door, client, await browser.codeFor(client, { params })));
}

export function introspect(
  door: Door,
  presented: string,
  api: { id: string; secret: string },
): Promise<Answer> {
  return send(`${issuerOf(door, 'pw', api.id)}/introspect`, {
    form: { token: presented },
    headers: basic(api.id, api.secret),
  });
}

/** True if introspection for the API reports the token as active. */
export async function isActive(door: Door, presented: string, api = fixtureApi('orders')): Promise<unknown> {
  return (await introspect(door, presented, api)).json()['active'];
}

export function revoke(
  door: Door,
  client: Client,
  presented: string,
  extra: Record<string, string> = {},
): Promise<Answer> {
  return send(`${issuerOf(door)}/revoke`, { form: { ...credentialsOf(client), token: presented, ...extra } });
}
