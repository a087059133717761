// Token exchange as a client asks for it at POST {base_url}/auth/token (RFC 8693).
import { expect } from '@playwright/test';
import type { Params } from './browser.ts';
import type { Client } from './database.ts';
import type { Door } from './doors.ts';
import { fixtureApi } from './fixtures.ts';
import { type Answer, send } from './http.ts';
import { credentialsOf, introspect } from './token.ts';

export const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const TYPE = 'urn:ietf:params:oauth:token-type:';
export const orders = { id: 'orders', ...fixtureApi('orders') };
export const billing = { id: 'billing', ...fixtureApi('billing') };

/** An access token for one at billing, but for what `params` says; undefined: not sent. */
export function exchangeAt(door: Door, client: Client, params: Params): Promise<Answer> {
  const form = {
    grant_type: EXCHANGE,
    ...credentialsOf(client),
    subject_token_type: `${TYPE}access_token`,
    audience: 'billing',
    ...params,
  };
  const given = Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return send(`${door.url}/auth/token`, { form: Object.fromEntries(given) });
}

export function accessOf(answer: Answer): string {
  expect(answer.status, answer.text.slice(0, 300)).toBe(200);
  return String(answer.json()['access_token']);
}

/** What the API itself is told about a token. */
export async function isActiveAt(door: Door, token: string, api = billing): Promise<unknown> {
  return (await introspect(door, token, api)).json()['active'];
}
