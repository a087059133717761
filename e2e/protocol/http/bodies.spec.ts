// Bodies, content types and repeated parameters (cases PP).
import { expect, test } from '@playwright/test';
import { type Client, fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { send } from '#testing/net/http.ts';
import { authorizeParams, authorizeUrl, type Browser, queryOf, signIn } from '#testing/service/browser.ts';
import { credentialsOf, passwordGrant, redeem, redemptionOf, tokenUrl } from '#testing/service/token.ts';
import {
  expectCode,
  expectError,
  expectErrorRedirect,
  expectPage,
  expectTokens,
} from '../../support/clients/expectations.ts';
import { makeClient, makePerson, rowsOf } from '../../support/service/database.ts';
import { eachDoor } from '../../support/service/doors.ts';

const FORM = 'application/x-www-form-urlencoded';
const tru = fixtureClient('tru');

eachDoor((door) => {
  let browser: Browser;
  let conf: Client;
  const url = tokenUrl(door);
  const post = (body: string | Buffer, type: string | null = FORM) =>
    send(url, { method: 'POST', body, headers: type === null ? {} : { 'content-type': type } });
  const bodyOf = (form: Record<string, string>) => new URLSearchParams(form).toString();

  test.beforeAll(async () => {
    conf = await makeClient();
    browser = await signIn(door, await makePerson(), conf);
    await browser.finish(authorizeParams(conf));
  });

  test('PP-01, RU-01: a repeated client_id or redirect_uri shows a page, even with equal values', async () => {
    const query = queryOf(authorizeParams(conf));
    const again = encodeURIComponent(conf.redirectUri);
    const clients = [`client_id=${conf.clientId}`, 'client_id=conf2', 'client_id='];
    const addresses = [`redirect_uri=${again}`, 'redirect_uri=https%3A%2F%2Fevil.example'];
    for (const twice of [...clients, ...addresses]) {
      expectPage(await browser.get(authorizeUrl(door, `${query}&${twice}`)), 400);
    }
  });

  test('PP-03: a repeated parameter, except client_id and redirect_uri, returns invalid_request, and a repeated state is not echoed', async () => {
    const query = queryOf(authorizeParams(conf, { prompt: 'none' }));
    for (const twice of [
      'scope=read',
      'code_challenge=a&code_challenge=b',
      'prompt=none',
      'response_type=code',
      'x=1&x=2',
      'scope=',
    ]) {
      expectErrorRedirect(
        await browser.get(authorizeUrl(door, `${query}&${twice}`)),
        door,
        'invalid_request',
        conf,
      );
    }
    const doubled = await browser.get(authorizeUrl(door, `${query}&state=T`));
    expectErrorRedirect(doubled, door, 'invalid_request', { ...conf, state: null });
  });

  test('PP-04: a repeated parameter of a token request returns invalid_request and changes nothing', async () => {
    const client = await makeClient();
    const given = await browser.codeFor(client, { pkce: true });
    const before = await rowsOf(client.clientId);
    const redemption = redemptionOf(client, given);
    for (const [name, value] of Object.entries(redemption)) {
      for (const again of [value, 'other', '']) {
        const pairs: [string, string][] = [...Object.entries(redemption), [name, again]];
        expectError(await send(url, { form: pairs }), 'invalid_request');
      }
    }
    const password = {
      grant_type: 'password',
      ...credentialsOf(tru),
      username: 'a',
      password: 'b',
      refresh_token: 'c',
    };
    for (const name of ['username', 'password', 'refresh_token', 'unknown']) {
      const pairs: [string, string][] = [...Object.entries({ ...password, unknown: '1' }), [name, 'x']];
      expectError(await send(url, { form: pairs }), 'invalid_request');
    }
    const json = JSON.stringify(redemption).replace(/}$/, ',"code":"x"}');
    expectError(await post(json, 'application/json'), 'invalid_request');
    expect(await rowsOf(client.clientId)).toEqual(before);
    expectTokens(await redeem(door, client, given));
  });

  test('PP-05: the token endpoint ignores query parameters', async () => {
    const given = await browser.codeFor(conf);
    const answer = await send(`${url}?${bodyOf(redemptionOf(conf, given))}`, {
      method: 'POST',
      body: '',
      headers: { 'content-type': FORM },
    });
    expectError(answer, 'invalid_request');
    expectTokens(await redeem(door, conf, given));
  });

  test('PP-08, PP-09: a content type other than form or JSON returns invalid_request and is not echoed', async () => {
    const given = await browser.codeFor(conf);
    const body = bodyOf(redemptionOf(conf, given));
    const types = [
      'text/plain',
      null,
      '',
      'invalid/@@##',
      '</><script>',
      'application/xml',
      `text/html; ${FORM}`,
      `${FORM}x`,
    ];
    for (const type of types) {
      const answer = await post(body, type);
      expectError(answer, 'invalid_request');
      expect(answer.text).not.toMatch(/@@##|<script>/);
    }
    const multipart = Object.entries(redemptionOf(conf, given)).map(
      ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    expectError(
      await post(`${multipart.join('')}--b--\r\n`, 'multipart/form-data; boundary=b'),
      'invalid_request',
    );
    expectTokens(await redeem(door, conf, given));
  });

  test('PP-10: request bodies may declare the charset UTF-8; other charsets are rejected', async () => {
    const good = [`${FORM}; charset=UTF-8`, `${FORM};charset="utf-8"`, FORM.toUpperCase()];
    for (const type of good)
      expectTokens(await post(bodyOf(redemptionOf(conf, await browser.codeFor(conf))), type));
    const body = bodyOf(redemptionOf(conf, await browser.codeFor(conf)));
    for (const charset of ['utf-16', 'iso-8859-1', 'x']) {
      expectError(await post(body, `${FORM}; charset=${charset}`), 'invalid_request');
    }
  });

  test('PP-12: JSON other than a flat object of strings returns invalid_request', async () => {
    const bodies = [
      '',
      '{',
      '[]',
      'null',
      '"x"',
      '1',
      '{"grant_type":1}',
      '{"grant_type":["password"]}',
      '{"a":{}}',
      '{"__proto__":{"x":"y"}}',
    ];
    for (const body of bodies) expectError(await post(body, 'application/json'), 'invalid_request');
    expectError(await post(Buffer.from([0x7b, 0xff, 0x7d]), 'application/json'), 'invalid_request');
    expectError(await post(Buffer.from([0x61, 0x3d, 0xff]), FORM), 'invalid_request');
  });

  test('PP-13: a request with ten thousand parameters is rejected', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `p${index}=1`).join('&');
    expectError(await post(many), 'invalid_request', [400, 413]);
    expectError(await post(many.slice(0, 20_000)), 'invalid_request');
  });

  test('section 5: a body over 64 KiB returns 413, and smaller bodies are read', async () => {
    for (const type of [FORM, 'application/json']) {
      expectError(await post(`x=${'a'.repeat(65_536)}`, type), 'invalid_request', 413);
    }
    const given = await browser.codeFor(conf);
    expectTokens(await post(`${bodyOf(redemptionOf(conf, given))}&padding=${'a'.repeat(60_000)}`));
  });

  test('section 5: the connection survives an oversized body', async () => {
    for (const size of [70_000, 200_000, 900_000]) {
      expectError(await post(`x=${'a'.repeat(size)}`), 'invalid_request', 413);
      expectError(await post('x=a'), 'invalid_request');
    }
  });

  test('PP-18: a plus is decoded as a space, empty parts are ignored, and a malformed escape returns invalid_request', async () => {
    const alice = fixturePerson('alice');
    for (const bad of ['%zz', '%', '%u0041', 'a=%E0%A4', '%ff']) {
      expectError(
        await post(`${bodyOf(credentialsOf(conf))}&grant_type=password&x=${bad}`),
        'invalid_request',
      );
      const answer = await browser.get(authorizeUrl(door, `${queryOf(authorizeParams(conf))}&x=${bad}`));
      // Next repairs a malformed query before its route handlers see it, so only the Node server returns 400
      if (door.name === 'node') expectPage(answer, 400);
      else expect(answer.status).toBeLessThan(500);
    }
    const { code } = await browser.codeFor(conf);
    expectTokens(await post(`&&${bodyOf(redemptionOf(conf, { code }))}&&`));
    const plus = await passwordGrant(door, tru, { ...alice, email: ` ${alice.email} ` });
    expectTokens(plus);
    expectCode(await browser.get(authorizeUrl(door, `&&${queryOf(authorizeParams(conf))}&`)), door, conf);
  });

  test('PP-19: an empty parameter counts as absent', async () => {
    const query = queryOf({ ...authorizeParams(conf), state: undefined });
    const empty = '&state=&code_challenge=&code_challenge_method=&prompt=&max_age=&response_mode=';
    expectCode(await browser.get(authorizeUrl(door, query + empty)), door, { ...conf, state: null });
    const redemption = redemptionOf(conf, await browser.codeFor(conf));
    expectTokens(
      await send(url, { form: { ...redemption, redirect_uri: '', scope: '', code_verifier: '' } }),
    );
  });
});
