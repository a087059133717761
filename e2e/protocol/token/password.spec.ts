// The password grant, trusted subscriptions only (cases PW).
import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import { send } from '#testing/net/http.ts';
import type { Answer } from '#testing/net/sent.ts';
import { signIn } from '#testing/service/browser.ts';
import { claimsOf, credentialsOf, passwordGrant, token, tokensOf, tokenUrl } from '#testing/service/token.ts';
import { expectError, expectTokens } from '../../support/clients/expectations.ts';
import { clearAddressAttempts, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const tru = fixtureClient('tru');
const trunat = fixtureClient('trunat');
const nobody = () => `${randomUUID()}@example.com`;
const wrong = (person: { email: string }) => ({ email: person.email, password: 'not the password' });

const scopeOf = (answer: Answer) => claimsOf(tokensOf(answer).accessToken)['scope'];

let alice: Person;
test.beforeEach(async () => {
  await clearAddressAttempts();
  alice = await makePerson();
});

test('PW-01, PW-06: a trusted client receives the full scope of the API, whatever scope it requests', async () => {
  const full = 'read write';
  for (const extra of [{}, { scope: 'admin' }, { scope: 'read' }]) {
    const answer = await passwordGrant(door, tru, alice, extra);
    expectTokens(answer);
    expect(scopeOf(answer)).toBe(full);
    expect(answer.json()['scope'] ?? full).toBe(full);
  }
});

test('PW-02: a trusted public client receives a refresh token too', async () => {
  expectTokens(await passwordGrant(door, trunat, alice));
});

test('PW-03, SPEC 7: a client without a trusted subscription receives unauthorized_client, even with the right password', async () => {
  for (const client of [fixtureClient('conf'), fixtureClient('nat')]) {
    expectError(await passwordGrant(door, client, alice), 'unauthorized_client');
    expectError(await passwordGrant(door, client, wrong(alice)), 'unauthorized_client');
  }
});

test('PW-04: a pending, rejected, suspended or revoked trusted subscription allows no password grant', async () => {
  expectError(await passwordGrant(door, fixtureClient('pend'), alice), 'unauthorized_client');
  const client = await makeClient({ trusted: true });
  expectTokens(await passwordGrant(door, client, alice));
  for (const state of ['rejected', 'suspended', 'revoked', 'pending']) {
    await sql('update subscriptions set state = $2 where client_id = $1', [client.clientId, state]);
    expectError(await passwordGrant(door, client, alice), 'unauthorized_client');
  }
});

test('PW-07: a wrong password, an unknown user and a disabled user return the same response', async () => {
  const answers = [];
  for (const who of [wrong(alice), { email: nobody(), password: 'x' }, fixturePerson('dave')]) {
    const answer = await passwordGrant(door, tru, who);
    expectError(answer, 'invalid_grant');
    const { request_id: _, ...body } = answer.json();
    const { date, 'x-request-id': __, ...headers } = answer.headers;
    answers.push(JSON.stringify([body, Object.keys(headers)]));
  }
  expect(new Set(answers).size).toBe(1);
});

test('PW-14: users who must choose or replace a password cannot sign in', async () => {
  const invited = await makePerson();
  await sql('update people set password_hash = null where id = $1', [invited.id]);
  for (const password of [alice.password, '', 'null', ' '])
    expect((await passwordGrant(door, tru, { ...invited, password })).status, password).toBe(400);
  expectError(await passwordGrant(door, tru, invited), 'invalid_grant');
});

test('PW-08: the email address is case-insensitive', async () => {
  expectTokens(await passwordGrant(door, tru, { ...alice, email: alice.email.toUpperCase() }));
});

test('PW-10: a missing username or password returns invalid_request', async () => {
  const form = { grant_type: 'password', ...credentialsOf(tru) };
  expectError(await token(door, { ...form, username: alice.email }), 'invalid_request');
  expectError(await token(door, { ...form, password: alice.password }), 'invalid_request');
  expectError(await token(door, { ...form, username: alice.email, password: '' }), 'invalid_request');
});

test('PW-11: the request of a password grant can be JSON', async () => {
  const json = {
    grant_type: 'password',
    ...credentialsOf(tru),
    username: alice.email,
    password: alice.password,
  };
  expectTokens(await send(tokenUrl(door), { json }));
});

test('PW-13: a password is compared exactly as sent', async () => {
  const changes = [
    ` ${alice.password}`,
    `${alice.password} `,
    alice.password.toUpperCase(),
    `${alice.password}\u0000`,
  ];
  for (const password of changes) {
    expectError(await passwordGrant(door, tru, { ...alice, password }), ['invalid_grant', 'invalid_request']);
  }
});

test('PW-15: an unsupported grant_type returns unsupported_grant_type, a missing one invalid_request', async () => {
  const others = [
    'client_credentials',
    'PASSWORD',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    '__proto__',
  ];
  for (const type of others)
    expectError(await token(door, { ...credentialsOf(tru), grant_type: type }), 'unsupported_grant_type');
  expectError(await token(door, credentialsOf(tru)), 'invalid_request');
});

test('section 5: the password grant is unsupported for methods without a password check', async () => {
  expectError(await passwordGrant(door, tru, alice, {}, { at: { method: 'brk' } }), 'unsupported_grant_type');
});

test('section 5: a disabled user with a session counts as signed out', async () => {
  const person = await makePerson();
  const browser = await signIn(door, person, tru);
  expect((await browser.ask(tru, { prompt: 'none' })).location).toContain('code=');
  await sql('update people set disabled_at = now() where id = $1', [person.id]);
  expect((await browser.ask(tru, { prompt: 'none' })).location).toContain('error=login_required');
});
