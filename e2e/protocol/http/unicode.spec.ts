// Unusual text in every field: no request fails, and pages neither reflect nor execute the text (cases UN).

import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { type Client, fixtureClient } from '#testing/data/fixtures.ts';
import { send } from '#testing/net/http.ts';
import { authorizeParams, authorizeUrl, Browser, queryOf, signIn } from '#testing/service/browser.ts';
import { passwordGrant, redeem, redemptionOf, refresh, token } from '#testing/service/token.ts';
import { expectCode, expectError } from '../../support/clients/expectations.ts';
import { clearAddressAttempts, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { eachDoor } from '../../support/service/doors.ts';

const tru = fixtureClient('tru');
const INJECTIONS = [
  "' OR 1=1--",
  "\\'; DROP TABLE codes; --",
  '$1',
  '%27',
  "x'||pg_sleep(3)||'",
  '#{7*7}',
  '{{7*7}}',
  '../../etc/passwd',
];

eachDoor((door) => {
  let browser: Browser;
  let conf: Client;

  test.beforeAll(async () => {
    conf = await makeClient();
    browser = await signIn(door, await makePerson(), conf);
    await browser.finish(authorizeParams(conf));
  });
  test.beforeEach(clearAddressAttempts);

  const authorizeWithEach = async (value: string) => {
    const names = [
      'client_id',
      'redirect_uri',
      'response_type',
      'scope',
      'state',
      'prompt',
      'code_challenge',
      'max_age',
      'login_hint',
      'x',
    ];
    for (const name of names) {
      const answer = await browser.ask(conf, { [name]: value });
      expect(answer.status, `${name}: ${answer.text.slice(0, 200)}`).toBeLessThan(500);
      expect(answer.status).toBeGreaterThanOrEqual(300);
    }
  };

  const tokenWithEach = async (value: string) => {
    const form = {
      ...redemptionOf(conf, { code: 'x', verifier: 'a'.repeat(43) }),
      redirect_uri: conf.redirectUri,
    };
    for (const name of Object.keys(form)) {
      const answer = await token(door, { ...form, [name]: value });
      expect(answer.status, `${name}: ${answer.text}`).toBeGreaterThanOrEqual(400);
      expect(answer.status, `${name}: ${answer.text}`).toBeLessThan(500);
    }
    expectError(await refresh(door, conf, value), 'invalid_grant');
    const scoped = await refresh(door, conf, value, { scope: value });
    expectError(scoped, ['invalid_grant', 'invalid_scope']);
    const named = await passwordGrant(door, tru, { email: value, password: value });
    expectError(named, ['invalid_grant', 'invalid_request']);
  };

  test('UN-01: NUL in any place is rejected, never a server error', async () => {
    await authorizeWithEach('a\u0000b');
    await tokenWithEach(`a${randomUUID()}\u0000b`);
    for (const at of [
      '%00/api/orders',
      'pw%00/api/orders',
      'pw/api/orders%00',
      'pw%2fapi/orders',
      'pw/api/..%2forders',
    ]) {
      for (const rest of ['authorize', 'token']) {
        const answer = await send(`${door.url}/auth/${at}/${rest}`, {
          method: rest === 'token' ? 'POST' : 'GET',
        });
        expect([400, 404], `${at}/${rest} ${answer.status}`).toContain(answer.status);
      }
    }
  });

  test('UN-01: a malformed escape in a path returns 404, never 500', async () => {
    test.skip(door.name === 'next', 'Next answers a malformed escape before our code runs');
    for (const rest of ['authorize', 'token']) {
      const answer = await send(`${door.url}/auth/pw/api/%zz/${rest}`, {
        method: rest === 'token' ? 'POST' : 'GET',
      });
      expect([400, 404], `${rest} ${answer.status}`).toContain(answer.status);
    }
  });

  test('UN-01: NUL on the sign-in page counts as a wrong attempt', async () => {
    const fresh = new Browser(door);
    const page = await fresh.start(conf);
    const answer = await fresh.signInOn(page, { email: 'a\u0000@example.com', password: 'x\u0000' });
    expect(answer.status).toBeLessThan(500);
    expect(answer.location).not.toContain('/continue');
  });

  test('UN-03: SQL, templates and paths in any place change nothing', async () => {
    for (const value of INJECTIONS) await authorizeWithEach(value);
    for (const value of INJECTIONS.slice(0, 5)) await tokenWithEach(value);
    const [row] = await sql<{ tables: number }>(
      "select count(*)::int as tables from information_schema.tables where table_name in ('codes', 'clients', 'people')",
    );
    expect(row?.tables).toBe(3);
    expectCode(await browser.ask(conf), door, conf);
  });

  test('UN-04: state is returned percent-encoded, never as markup', async () => {
    for (const state of [
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      'javascript:alert(1)',
      '😀'.repeat(512),
    ]) {
      const answer = await browser.ask(conf, { state });
      expectCode(answer, door, { ...conf, state });
      expect(answer.location).toMatch(/^[\x21-\x7e]+$/);
      expect(answer.location).not.toMatch(/[<>"]/);
      const page = await new Browser(door).start(conf, { state });
      expect(page.status).toBe(200);
      expect(page.text).not.toContain(state);
      const wrong = await browser.ask(conf, { state, client_id: state });
      expect(wrong.status).toBe(400);
      expect(wrong.text).not.toContain('<script>');
      expect(wrong.text).not.toContain('<img src=x');
    }
  });

  test('UN-05: line breaks in a state never split a header', async () => {
    for (const state of ['a\r\nSet-Cookie: x=1', '\n', '\r', 'a\u2028b']) {
      const answer = await browser.ask(conf, { state });
      expectCode(answer, door, { ...conf, state });
      expect(answer.headers['set-cookie'] ?? []).not.toContain('x=1');
      const failed = await browser.ask(conf, { state, scope: 'a\r\nSet-Cookie: x=1' });
      expect(failed.status).toBe(302);
      expect(failed.headers['set-cookie'] ?? []).toEqual([]);
      expect(new URL(failed.location).searchParams.get('error_description')).toMatch(
        /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/,
      );
    }
    const answer = await token(door, { grant_type: 'a\r\n"\\é', client_id: 'conf', client_secret: 'x\r\n' });
    expectError(answer, ['invalid_client', 'unsupported_grant_type']);
  });

  test('UN-06: state is returned unchanged', async () => {
    for (const state of ['a b+c%20é', '9a:* <&)', '%', '%2', '=&=', ' ', 'ЖЖ漢字', 'a/b?c#d', "it's (1)!"]) {
      const answer = await browser.ask(conf, { state });
      expect(new URL(answer.location).searchParams.get('state')).toBe(state);
    }
    const plus = queryOf({ ...authorizeParams(conf), state: undefined });
    const answer = await browser.get(authorizeUrl(door, `${plus}&state=a+b`));
    expect(new URL(answer.location).searchParams.get('state')).toBe('a b');
  });

  test('UN-07: user input never creates log lines, and secrets are never logged', async () => {
    const mark = randomUUID();
    const forged = `x\n{"level":"audit","msg":"${mark}"}`;
    await passwordGrant(door, tru, { email: forged, password: `password-${mark}` });
    await passwordGrant(
      door,
      { ...tru, secret: `secret-${mark}` },
      { email: 'a@example.com', password: 'x' },
    );
    await redeem(door, conf, { code: `ghc_${mark}`, verifier: `verifier-${mark}-${mark}` });
    const folder = process.env['E2E_LOG_DIR'] ?? '';
    const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
    expect(logs.length).toBeGreaterThan(0);
    for (const name of logs) {
      const text = readFileSync(path.join(folder, name), 'utf8');
      expect(text.split('\n').some((line) => line.startsWith('{"level":"audit"'))).toBe(false);
      for (const secret of ['password', 'secret', 'verifier', 'ghc'])
        expect(text).not.toMatch(new RegExp(`${secret}[-_]${mark}`));
    }
    const rows = await sql('select 1 from audit_events where details::text like $1', [`%${mark}%`]);
    expect(rows).toEqual([]);
  });
});
