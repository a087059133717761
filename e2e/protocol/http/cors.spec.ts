// CORS: origins that may read responses (contract section 5, cases CO).
import { expect, test } from '@playwright/test';
import { type Client, fixtureClient } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import type { Answer } from '#testing/net/sent.ts';
import { authorizeParams, authorizeUrl, type Browser, signIn } from '#testing/service/browser.ts';
import { basic, redeem, token, tokenUrl } from '#testing/service/token.ts';
import { expectTokens } from '../../support/clients/expectations.ts';
import { makeClient, makePerson, sql } from '../../support/service/database.ts';
import { eachDoor } from '../../support/service/doors.ts';

const conf = fixtureClient('conf');
const spa = fixtureClient('spa');
const OURS = 'https://spa.example';

const allowed = (answer: Answer) => answer.headers['access-control-allow-origin'];

eachDoor((door) => {
  let browser: Browser;

  test.beforeAll(async () => {
    browser = await signIn(door, await makePerson(), conf);
  });

  test('CO-01: the client’s own origin and Gatehouse’s can read responses and errors, without credentials', async () => {
    for (const origin of [OURS, door.url]) {
      const good = await redeem(door, spa, await browser.codeFor(spa), { headers: { origin } });
      expectTokens(good, { refreshToken: false });
      const bad = await redeem(door, spa, { code: 'x' }, { headers: { origin } });
      for (const answer of [good, bad]) {
        expect(allowed(answer)).toBe(origin);
        expect(answer.headers['vary']).toMatch(/origin/i);
        expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
      }
    }
  });

  test('CO-02: any preflight returns 204, and permits POST and the headers Content-Type and Authorization', async () => {
    for (const name of ['token', 'par', 'revoke']) {
      const address = `${issuerOf(door)}/${name}`;
      const headers = {
        origin: 'https://anyone.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, authorization',
      };
      const answer = await send(address, { method: 'OPTIONS', headers });
      expect(answer.status).toBe(204);
      expect(answer.text).toBe('');
      expect(['*', 'https://anyone.example']).toContain(allowed(answer));
      expect(answer.headers['access-control-allow-methods']).toContain('POST');
      expect(answer.headers['access-control-allow-headers']).toMatch(
        /content-type.*authorization|authorization.*content-type/i,
      );
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  test('CO-03, CO-04: a foreign origin cannot read responses, however similar it is to the client’s', async () => {
    const others = [
      'https://evil.example',
      'null',
      `${OURS}.evil`,
      'http://spa.example',
      'https://SPA.example',
      `${OURS}:443`,
      `${OURS}/`,
      'https://conf.example',
    ];
    for (const origin of others) {
      for (const client of [spa, { ...spa, clientId: 'nosuch' }]) {
        const answer = await redeem(
          door,
          client,
          { code: 'x', verifier: 'v'.repeat(43) },
          // requests of unknown clients from one address share a limit, so this request uses a separate address
          { headers: { origin }, localAddress: '127.0.0.8' },
        );
        expect(allowed(answer), origin).toBeUndefined();
      }
    }
  });

  test('section 3: allowed_origins replace the origins of the redirect URIs', async () => {
    const client: Client = await makeClient({ kind: 'browser' });
    const own = new URL(client.redirectUri).origin;
    const read = async (origin: string) =>
      allowed(await redeem(door, client, { code: 'x' }, { headers: { origin } }));
    expect(await read(own)).toBe(own);
    await sql('update clients set allowed_origins = $2 where client_id = $1', [
      client.clientId,
      ['https://app.example'],
    ]);
    expect(await read('https://app.example')).toBe('https://app.example');
    expect(await read(own)).toBeUndefined();
  });

  test('CO-01: CORS also applies to a client identified by Basic or JSON', async () => {
    const origin = 'https://conf.example';
    const form = { grant_type: 'authorization_code', code: 'x' };
    expect(allowed(await token(door, form, { headers: { ...basic('conf', 'wrong'), origin } }))).toBe(origin);
    const json = { ...form, client_id: 'conf', client_secret: 'wrong' };
    expect(allowed(await send(tokenUrl(door), { json, headers: { origin } }))).toBe(origin);
  });

  test('CO-05: authorize, the hosted pages, introspection and the console never allow an origin', async () => {
    const login = (await send(authorizeUrl(door, authorizeParams(conf)))).location;
    const addresses = [
      authorizeUrl(door, authorizeParams(spa)),
      authorizeUrl(door, authorizeParams(spa, { prompt: 'none' })),
      login,
      `${door.url}/login`,
      `${door.url}/consent`,
      `${door.url}/logout`,
      `${door.url}/account`,
    ];
    for (const address of addresses) {
      for (const method of ['GET', 'OPTIONS']) {
        const answer = await browser.get(address, { method, headers: { origin: OURS } });
        expect(allowed(answer), `${method} ${address}`).toBeUndefined();
      }
    }
    for (const path of [
      '/login/submit',
      '/confirm/submit',
      '/set-up/submit',
      '/consent/submit',
      '/logout/submit',
    ]) {
      expect(allowed(await browser.submit(path, {}, { origin: OURS }))).toBeUndefined();
    }
    expect(
      allowed(
        await send(`${issuerOf(door)}/introspect`, { form: { client_id: 'spa' }, headers: { origin: OURS } }),
      ),
    ).toBeUndefined();
  });

  test('CO-06: metadata and keys are readable from any origin', async () => {
    for (const path of [
      'jwks',
      '.well-known/oauth-authorization-server',
      '.well-known/openid-configuration',
    ]) {
      for (const origin of ['https://anyone.example', 'null']) {
        expect(allowed(await send(`${issuerOf(door)}/${path}`, { headers: { origin } }))).toBe('*');
      }
    }
  });
});
