// An ID token of a user in many groups works as a hint that is sent by POST (OpenID Connect RP-Initiated Logout 1.0 §2,
// Core §3.1.2.1).
import { decodeJwt } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { currentKey } from '#lib/keys/keys.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { signCompact } from '#lib/tokens/jws.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, locationOf } from '#testing/in-process/in-process.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdTokens,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';
import { freshPkce } from '#testing/net/pkce.ts';

const BYE = 'https://rp.example/bye';
const groups = Array.from({ length: 250 }, (_, at) => `a group with a long name, number ${at}`);
let rp: TrustedClient;
let cookie: string;
let long: string;

beforeAll(async () => {
  await givenFixtures();
  [rp] = (await givenTrustedClients(['rp'], { postLogoutRedirectUris: [BYE] })) as [TrustedClient];
  ({ cookie } = await signInTo('alice@example.com'));
  const idToken = (await openIdTokens(rp, { cookie, scope: 'openid' }))['id_token'] ?? '';
  const key = await currentKey('RS256', await currentSnapshot());
  long = signCompact('JWT', { ...decodeJwt(idToken), groups }, key);
  expect(long.length).toBeGreaterThan(12_000);
});

const post = (endpoint: string, form: Record<string, string>) =>
  ask(`${OPENID_PATH}/${endpoint}`, { form, headers: { origin: 'https://rp.example' } });
const follow = (address: string) =>
  ask(new URL(address).pathname + new URL(address).search, { headers: { cookie } });

test('an id_token_hint of 12 KB that is posted to authorize redirects to a short address and identifies the user', async () => {
  const form = {
    client_id: rp.client_id,
    response_type: 'code',
    scope: 'openid',
    prompt: 'none',
    ...freshPkce().params,
    id_token_hint: long,
  };
  const moved = await post('authorize', form);
  expect([moved.status, locationOf(moved).length < 2_000]).toEqual([303, true]);
  expect(new URL(locationOf(await follow(locationOf(moved)))).searchParams.get('code')).toMatch(/./);
  // an altered hint identifies nobody
  const foreign = await post('authorize', { ...form, id_token_hint: `${long.slice(0, -4)}AAAA` });
  const refused = new URL(locationOf(await follow(locationOf(foreign))));
  expect(refused.searchParams.get('error')).toBe('invalid_request');
});

test('repeated id_token_hints and overlong requests return an error page', async () => {
  const longLocales: [string, string] = ['ui_locales', 'x'.repeat(9_000)];
  const forms: [string, string][][] = [
    [
      ['id_token_hint', long],
      ['id_token_hint', long],
    ],
    [longLocales],
    [['id_token_hint', long], longLocales],
  ];
  for (const endpoint of ['logout', 'authorize'])
    for (const form of forms) {
      const answer = await ask(`${OPENID_PATH}/${endpoint}`, { form: new URLSearchParams(form) });
      expect(answer.status).toBe(400);
      expect(String(answer.body)).toContain('8,192 bytes, not counting id_token_hint');
    }
});

test('an id_token_hint of 12 KB that is posted to the sign-out ends the session and redirects back to the client', async () => {
  const foreign = await post('logout', { id_token_hint: `${long.slice(0, -4)}AAAA` });
  expect(new URL(locationOf(await follow(locationOf(foreign)))).pathname).toBe('/logout');
  const moved = await post('logout', { id_token_hint: long, post_logout_redirect_uri: BYE, state: 's' });
  expect([moved.status, locationOf(moved).length < 2_000]).toEqual([303, true]);
  expect(locationOf(await follow(locationOf(moved)))).toBe(`${BYE}?state=s`);
  expect(await sql('select 1 from sessions where ended_at is null')).toEqual([]);
});
