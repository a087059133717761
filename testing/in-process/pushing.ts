// Pushed authorization requests (RFC 9126) of the fixtures' `tru`, for alice, who is signed in.
import { expect } from 'vitest';
import type { Answer } from '#lib/http/message.ts';
import { ask, givenFixtures, jsonOf, locationOf } from './in-process.ts';
import { ASKED, TRU } from './issuer-host.ts';
import { OPENID_PATH, signInTo } from './openid.ts';

let cookie: string;

export async function givenPushing(): Promise<void> {
  await givenFixtures();
  ({ cookie } = await signInTo('alice@example.com'));
}

/** Headers of alice's signed-in browser. */
export const signedInHeaders = () => ({ cookie });

export const REQUEST = { ...ASKED, state: 'pushed' };
export const push = (form: Record<string, string> = {}, path = OPENID_PATH) =>
  ask(`${path}/par`, { form: { ...REQUEST, ...TRU, ...form } });
export const uriOf = (answer: Answer) => {
  expect(answer.status, String(answer.body)).toBe(201);
  return String(jsonOf(answer)['request_uri']);
};
export const visit = (
  params: Record<string, string> | string,
  headers: Record<string, string> = signedInHeaders(),
) => ask(`${OPENID_PATH}/authorize?${new URLSearchParams(params)}`, { headers });
export const backOf = (answer: Answer) => new URL(locationOf(answer)).searchParams;
/** Sends an authorization request with a pushed request_uri. */
export const come = (request_uri: string, over: Record<string, string> = {}) =>
  visit({ client_id: 'tru', request_uri, ...over });
