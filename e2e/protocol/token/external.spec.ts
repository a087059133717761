// The external method: a service that checks a username and password (contract section 5; PW-12).
// lib/auth-methods/external.db.test.ts tests faults of that service.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { REFUSED, startVerifier, type Verifier } from '#testing/brokers/verifier.ts';
import { fixtureClient } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { Browser, isConsentPage, isSignInPage } from '#testing/service/browser.ts';
import { claimsOf, passwordGrant, redeem, refresh, tokensOf } from '#testing/service/token.ts';
import { expectError, expectTokens } from '../../support/clients/expectations.ts';
import { clearAddressAttempts, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';
import { campusPerson, makeExternalMethod } from '../../support/service/external.ts';

const tru = fixtureClient('tru');
const conf = fixtureClient('conf');
const at = (method: string) => ({ at: { method } });
const wrong = (person: { email: string }) => ({ ...person, password: 'not the password' });

let verifier: Verifier;
test.beforeAll(async () => {
  verifier = await startVerifier({ token: null });
});
test.afterAll(() => verifier.close());
test.beforeEach(async () => {
  await clearAddressAttempts();
  verifier.calls.length = 0;
});
const subOf = async (method: string, person: { email: string; password: string }) =>
  claimsOf(tokensOf(await passwordGrant(door, tru, person, {}, at(method))).accessToken)['sub'];

test('PW-12: an accepted password returns normal password grant tokens from the method’s issuer', async () => {
  const answer = await passwordGrant(door, tru, campusPerson(), {}, at('ext'));
  expectTokens(answer);
  const claims = claimsOf(tokensOf(answer).accessToken);
  expect(claims).toMatchObject({
    iss: issuerOf(door, 'ext'),
    scope: 'read write',
    sub: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/),
  });
});

test('an external user is never linked to a local user by email address', async () => {
  const person = campusPerson();
  const email = `${person.email}@campus.example`;
  const [local] = await sql<{ id: string }>('insert into people (email) values ($1) returning id', [email]);
  const sub = await subOf('ext', person);
  expect(sub).not.toBe(local?.id);
  expect(await sql('select email from people where id = $1', [sub])).toEqual([{ email: null }]);
  expect(await sql('select email from external_identities where person_id = $1', [sub])).toEqual([{ email }]);
});

test('PW-12, PW-07: every rejection by the verifier returns the same response as a disabled user', async () => {
  const disabled = campusPerson();
  await sql('update people set disabled_at = now() where id = $1', [await subOf('ext', disabled)]);
  const asked = [
    disabled,
    wrong(campusPerson()),
    ...Object.keys(REFUSED).map((email) => ({ email, password: 'x' })),
  ];
  const bodies = [];
  for (const who of asked) {
    const answer = await passwordGrant(door, tru, who, {}, at('ext'));
    expectError(answer, 'invalid_grant');
    const { request_id: _, ...body } = answer.json();
    bodies.push(JSON.stringify(body));
  }
  expect(new Set(bodies).size).toBe(1);
});

test('if the verifier is unreachable, new sign-ins fail and existing sessions continue', async () => {
  const leaving = await startVerifier({ token: null });
  const method = await makeExternalMethod({ verify_url: leaving.url });
  const tokens = tokensOf(await passwordGrant(door, tru, campusPerson(), {}, at(method)));
  await leaving.close();
  for (let attempt = 0; attempt < 7; attempt += 1) {
    const answer = await passwordGrant(door, tru, campusPerson(), {}, at(method));
    expectError(answer, 'temporarily_unavailable');
  }
  expectTokens(await refresh(door, tru, tokens.refreshToken, {}, { method }));
});

test('contract 7: the page requests a Username, and continues to consent and tokens', async () => {
  const person = campusPerson();
  const browser = new Browser(door);
  const page = await browser.start(conf, {}, { method: 'ext' });
  expect(page.text).toContain('Username');
  const refused = await browser.onward(await browser.signInOn(page, wrong(person)));
  expect(refused.text).toContain('Incorrect email or password.');
  expect(refused.text).toContain(`value="${person.email}"`);
  const consent = await browser.onward(await browser.signInOn(refused, person));
  expect(isConsentPage(consent)).toBe(true);
  expect(consent.text).toContain(`${person.email} of the campus`);
  const answer = await browser.onward(await browser.decideOn(consent, 'allow'));
  const code = new URL(answer.location).searchParams.get('code') ?? '';
  expectTokens(await redeem(door, conf, { code }, at('ext')));
  // the session is only valid for the method `ext`
  expect(isSignInPage(await browser.start(conf))).toBe(true);
  const again = await browser.start(conf, { prompt: 'none' }, { method: 'ext' });
  expect(again.location).toContain('code=');
});

test('PW-12: if the verifier is unavailable, the page shows an error, keeps the username, and rejects the sign-in', async () => {
  const method = await makeExternalMethod({ verify_url: verifier.url });
  const browser = new Browser(door);
  const page = await browser.start(conf, {}, { method });
  const after = await browser.onward(await browser.signInOn(page, { email: 'error-500', password: 'x' }));
  expect(isSignInPage(after)).toBe(true);
  expect(after.text).toContain(
    'The service that checks your password is not answering. Try again in a moment.',
  );
  expect(after.text).toContain('value="error-500"');
  const silent = await browser.start(conf, { prompt: 'none' }, { method });
  expect(silent.location).toContain('error=login_required');
});

test('LG-01, LG-03: the pages and the token endpoint share the limit of an account, and above it the verifier receives no request', async () => {
  const person = campusPerson();
  const method = await makeExternalMethod({ verify_url: verifier.url });
  const browser = new Browser(door);
  const page = await browser.start(conf, {}, { method });
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await passwordGrant(door, tru, wrong(person), {}, at(method));
    await browser.signInOn(page, wrong(person));
  }
  expectError(await passwordGrant(door, tru, person, {}, at(method)), 'slow_down');
  const refused = await browser.onward(await browser.signInOn(page, person));
  expect(refused.text).toContain('Too many attempts');
  expect(verifier.calls).toHaveLength(10);
});

test('a sign-in attempt does not count toward the limit if the verifier is unreachable', async () => {
  const method = await makeExternalMethod({ verify_url: verifier.url });
  for (let attempt = 0; attempt < 11; attempt += 1) {
    const answer = await passwordGrant(door, tru, { email: 'error-500', password: 'x' }, {}, at(method));
    expectError(answer, 'temporarily_unavailable');
  }
});

test('the audit log records the outcome of each external sign-in, never the password', async () => {
  const method = await makeExternalMethod({ verify_url: verifier.url, timeout_ms: 1000 });
  const password = `secret-${randomUUID()}`;
  for (const email of [campusPerson().email, 'error-500', 'slow']) {
    await passwordGrant(door, tru, { email, password }, {}, at(method));
  }
  await passwordGrant(door, tru, campusPerson(), {}, at(method));
  const rows = await sql<{ event: string; reason: string | null }>(
    "select event, details->>'reason' as reason from audit_events where auth_method_id = $1 order by id",
    [method],
  );
  // a second event of one kind within ten minutes is only counted
  expect([...new Set(rows.map(({ event, reason }) => `${event} ${reason}`))]).toEqual([
    'sign_in.refused refused',
    'sign_in.refused unavailable',
    'token.issued null',
  ]);
  expect(await sql('select 1 from audit_events where details::text like $1', [`%${password}%`])).toEqual([]);
  const folder = process.env['E2E_LOG_DIR'] ?? '';
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.log'))) {
    const text = readFileSync(path.join(folder, name), 'utf8');
    expect(text).not.toContain(password);
  }
});
