// HTTP methods that endpoints accept, and addresses with an additional slash (cases PP).
import { expect, test } from '@playwright/test';
import type { Client } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { authorizeParams, authorizeUrl, type Browser, signIn } from '#testing/service/browser.ts';
import { redemptionOf, tokenUrl } from '#testing/service/token.ts';
import { expectError } from '../../support/clients/expectations.ts';
import { makeClient, makePerson } from '../../support/service/database.ts';
import { eachDoor } from '../../support/service/doors.ts';

eachDoor((door) => {
  let browser: Browser;
  let conf: Client;
  const url = tokenUrl(door);

  test.beforeAll(async () => {
    conf = await makeClient();
    browser = await signIn(door, await makePerson(), conf);
    await browser.finish(authorizeParams(conf));
  });

  test('PP-15: any method other than POST returns 405 with Allow, as JSON', async () => {
    for (const address of [
      url,
      `${issuerOf(door)}/par`,
      `${issuerOf(door)}/revoke`,
      `${issuerOf(door)}/introspect`,
      `${door.url}/auth/token`,
    ]) {
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH']) {
        const answer = await send(address, { method });
        expect(answer.status, `${method} ${address}`).toBe(405);
        expect(answer.headers['allow']).toContain('POST');
        if (method !== 'HEAD') expectError(answer, 'invalid_request', 405);
      }
    }
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      for (const address of [
        authorizeUrl(door, authorizeParams(conf)),
        `${issuerOf(door)}/jwks`,
        `${door.url}/health`,
      ]) {
        const answer = await send(address, { method });
        expect(answer.status, `${method} ${address}`).toBe(405);
        expect(answer.headers['allow']).toContain('GET');
      }
    }
  });

  test('PP-15: TRACE is rejected without a server error', async () => {
    test.skip(door.name === 'next', 'Next answers TRACE before our code runs');
    const { status } = await send(url, { method: 'TRACE' });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  test('PP-16: no header and no parameter changes the method', async () => {
    const headers = {
      'x-http-method-override': 'POST',
      'x-http-method': 'POST',
      'x-method-override': 'POST',
    };
    expect((await send(`${url}?_method=POST`, { headers })).status).toBe(405);
  });

  test('PP-17: a trailing slash never causes a redirect that repeats the POST', async () => {
    const given = await browser.codeFor(conf);
    for (const address of [`${url}/`, `${door.url}/auth/token/`]) {
      const answer = await send(address, { form: redemptionOf(conf, given) });
      expect(answer.status < 300 || answer.status >= 400, `${answer.status} ${answer.location}`).toBe(true);
      expect(answer.status).toBeLessThan(500);
    }
  });

  test('PP-17: a doubled slash never causes a redirect that repeats the POST', async () => {
    test.skip(door.name === 'next', 'Next answers a doubled slash before our code runs');
    const given = await browser.codeFor(conf);
    for (const address of [`${url}//`, `${door.url}//auth/token`]) {
      const { status, location } = await send(address, { form: redemptionOf(conf, given) });
      expect([307, 308], `${address} ${location}`).not.toContain(status);
    }
  });
});
