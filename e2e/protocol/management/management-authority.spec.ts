// The management API grants no additional power: its tokens require consent on the page, critical actions require a
// recent sign-in.
import { expect, test } from '@playwright/test';
import type { Client } from '#testing/data/fixtures.ts';
import { send } from '#testing/net/http.ts';
import { Browser, isConsentPage, signIn } from '#testing/service/browser.ts';
import { passwordGrant, refresh, tokensFor, tokensOf } from '#testing/service/token.ts';
import { exchangeAt } from '../../support/clients/exchange.ts';
import { expectError } from '../../support/clients/expectations.ts';
import { makeClient, makePerson, sql, subscribe } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';
import { MANAGEMENT, managementToken } from '../../support/service/management.ts';

/** Creates a client that is subscribed to the management API, and trusted at orders. */
const client = async (): Promise<Client> => {
  const made = await makeClient({ trusted: true });
  await subscribe(made, 'management');
  return made;
};
const me = (token: string) =>
  send(`${door.url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });

test('the password grant, prompt=none and token exchange return no management token, and only a sign-in on the page does', async () => {
  const [ops, admin] = [await client(), await makePerson('administrator')];
  expectError(await passwordGrant(door, ops, admin, {}, { at: MANAGEMENT }), 'unauthorized_client');
  const browser = await signIn(door, admin, ops);
  const { accessToken } = await tokensFor(browser, ops);
  for (const asked of [{ audience: 'management' }, { audience: undefined, resource: await address() }]) {
    const answer = await exchangeAt(door, ops, { subject_token: accessToken, ...asked });
    expectError(answer, 'invalid_target');
  }
  const all = { scope: undefined };
  const silent = await browser.ask(ops, { ...all, prompt: 'none' }, MANAGEMENT);
  expect(new URL(silent.location).searchParams.get('error')).toBe('consent_required');
  expect(isConsentPage(await browser.start(ops, all, MANAGEMENT))).toBe(true);
  const consented = await managementToken(door, ops, admin);
  expect((await me(consented.accessToken)).status).toBe(200);
  const renewed = tokensOf(await refresh(door, ops, consented.refreshToken, {}, MANAGEMENT));
  expect((await me(renewed.accessToken)).status).toBe(200);
});

test('a token of the management API cannot be exchanged for the same API', async () => {
  const [ops, admin] = [await client(), await makePerson('administrator')];
  const { accessToken } = await managementToken(door, ops, admin);
  const answer = await exchangeAt(door, ops, { subject_token: accessToken, audience: 'management' });
  expectError(answer, 'invalid_target');
});

test('AD-12: a token with an old sign-in cannot change a user’s address, which would allow a password reset', async () => {
  const [ops, admin, victim] = [await client(), await makePerson('administrator'), await makePerson()];
  const { accessToken, refreshToken } = await managementToken(door, ops, admin);
  await sql("update token_families set auth_time = now() - interval '16 minutes' where person_id = $1", [
    admin.id,
  ]);
  const old = tokensOf(await refresh(door, ops, refreshToken, {}, MANAGEMENT)).accessToken;
  const move = (token: string, version: string) =>
    send(`${door.url}/api/v1/people/${victim.id}`, {
      method: 'PATCH',
      json: { email: `moved-${victim.email}` },
      headers: { authorization: `Bearer ${token}`, 'if-match': version },
    });
  const read = await send(`${door.url}/api/v1/people/${victim.id}`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  for (const token of [old, accessToken]) {
    const answer = await move(token, String(read.headers.etag));
    expect(answer.status).toBe(401);
    expect(answer.json()).toMatchObject({ type: 'urn:gatehouse:problem:reauthenticate' });
    expect(answer.headers['www-authenticate']).toContain(
      'error="insufficient_user_authentication", max_age="900"',
    );
  }
  const fresh = await managementToken(door, ops, admin);
  expect((await move(fresh.accessToken, String(read.headers.etag))).status).toBe(200);
  const again = await new Browser(door).start(ops, {}, {});
  expect((await new Browser(door).signInOn(again, victim)).location).not.toContain('/continue');
});

const address = async () => {
  const [row] = await sql<{ url: string }>("select url from apis where id = 'management'");
  return row?.url ?? '';
};
