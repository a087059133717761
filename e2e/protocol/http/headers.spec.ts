// Caching and the headers of every response (cases CH).
import { expect, test } from '@playwright/test';
import { fixtureApi, fixtureClient } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { authorizeUrl, type Browser, signIn } from '#testing/service/browser.ts';
import { introspect, redeem, revoke, token, tokensFor, tokenUrl } from '#testing/service/token.ts';
import { makePerson } from '../../support/service/database.ts';
import { eachDoor } from '../../support/service/doors.ts';

const conf = fixtureClient('conf');

eachDoor((door) => {
  let browser: Browser;

  test.beforeAll(async () => {
    browser = await signIn(door, await makePerson(), conf);
  });

  test('CH-01: every response of the token endpoint is JSON that is never cached', async () => {
    const answers = [
      await redeem(door, conf, await browser.codeFor(conf)),
      await redeem(door, conf, { code: 'x' }),
      await redeem(door, { ...conf, secret: 'x' }, { code: 'x' }),
      await token(door, {}),
      await send(tokenUrl(door), {
        body: 'x'.repeat(70_000),
        headers: { 'content-type': 'application/json' },
      }),
      await introspect(door, 'x', fixtureApi('orders')),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([200, 400, 401, 400, 413, 200]);
    for (const answer of answers) {
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['content-type']).toMatch(/^application\/json(?:; ?charset=utf-8)?$/i);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.headers['x-request-id']).toMatch(/^[\w-]{8,}$/);
    }
    const { refreshToken } = await tokensFor(browser, conf);
    expect((await revoke(door, conf, refreshToken)).headers['cache-control']).toBe('no-store');
  });

  test('CH-02: authorize redirects are never cached, including errors', async () => {
    for (const changes of [{}, { prompt: 'none' }, { scope: 'nosuch' }, { prompt: 'login' }]) {
      const answer = await browser.ask(conf, changes);
      expect([302, 303]).toContain(answer.status);
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  test('CH-03: a page that shows a user is never cached', async () => {
    for (const path of ['/logout', '/account', '/developer', '/admin']) {
      const answer = await browser.get(`${door.url}${path}`);
      expect(answer.headers['cache-control'], path).toContain('no-store');
    }
  });

  test('CH-04: each response has the right type and reveals no software name', async () => {
    const addresses = [
      '/',
      '/health',
      '/documentation',
      '/openapi.json',
      '/nosuch',
      '/auth/nosuch',
      `/auth/pw/api/orders/jwks`,
      `/.well-known/oauth-authorization-server/auth/pw/api/orders`,
      '/gatehouse.css',
      '/passkeys.js',
    ];
    for (const path of addresses) {
      const answer = await send(`${door.url}${path}`);
      expect(answer.headers, path).not.toHaveProperty('x-powered-by');
      expect(answer.headers, path).not.toHaveProperty('server');
      expect(answer.headers['x-content-type-options'], path).toBe('nosniff');
      if (String(answer.headers['content-type']).startsWith('text/html')) {
        expect(answer.headers['content-type']).toMatch(/charset=utf-8/i);
      }
    }
  });

  test('CH-05: every response has a generated request id, never the caller’s', async () => {
    for (const url of [
      tokenUrl(door),
      authorizeUrl(door, 'client_id=x'),
      `${issuerOf(door)}/jwks`,
      `${door.url}/health`,
    ]) {
      const answer = await send(url, { headers: { 'x-request-id': '<script>evil' } });
      expect(answer.headers['x-request-id'], url).toMatch(/^[\w-]{8,}$/);
      expect(answer.text).not.toContain('evil');
    }
  });

  test('CH-07: headers that once made Next skip its checks have no effect', async () => {
    const subrequests = [
      'middleware',
      'src/middleware',
      'proxy',
      'middleware:middleware:middleware:middleware:middleware',
      'proxy:proxy:proxy:proxy:proxy',
    ];
    const tries: Record<string, string>[] = [
      ...subrequests.map((value) => ({ 'x-middleware-subrequest': value })),
      { 'x-invoke-path': '/' },
      { 'x-middleware-rewrite': '/' },
      { 'x-nextjs-data': '1' },
      { 'x-rewrite-url': '/' },
      { 'x-original-url': '/' },
    ];
    for (const path of ['/account', '/developer', '/admin']) {
      const plain = await send(`${door.url}${path}`);
      for (const headers of tries) {
        const answer = await send(`${door.url}${path}`, { headers });
        expect(answer.status, `${path} ${JSON.stringify(headers)}`).toBe(plain.status);
        expect(answer.headers['x-frame-options']).toBe('DENY');
        expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
      }
    }
  });

  test('CH-08: a forged Flight payload executes nothing', async () => {
    const body = [
      '--b\r\nContent-Disposition: form-data; name="0"\r\n\r\n',
      '{"then":"$1:__proto__:then","status":"resolved_model","reason":-1,"value":"{\\"then\\":\\"$B0\\"}",',
      '"_response":{"_prefix":"throw 1;","_formData":{"get":"$1:constructor:constructor"}}}\r\n',
      '--b\r\nContent-Disposition: form-data; name="1"\r\n\r\n"$@0"\r\n--b--\r\n',
    ].join('');
    for (const path of ['/', '/login', '/documentation']) {
      const headers = {
        'next-action': 'x',
        'content-type': 'multipart/form-data; boundary=b',
        origin: door.url,
      };
      const answer = await send(`${door.url}${path}`, { body, headers });
      expect(answer.status, path).toBeGreaterThanOrEqual(400);
      expect(answer.status, path).toBeLessThan(500);
    }
    expect((await send(`${door.url}/health`)).status).toBe(200);
  });
});
