// redirect_uri: an exact string, checked before anything may redirect (cases RU).
import { expect, test } from '@playwright/test';
import { fixtureClient } from '#testing/data/fixtures.ts';
import { send } from '#testing/net/http.ts';
import { authorizeParams, type Browser, type Params, signIn } from '#testing/service/browser.ts';
import { expectCode, expectErrorRedirect, expectPage } from '../../support/clients/expectations.ts';
import { makeClient, makePerson } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const conf = fixtureClient('conf');
const conf2 = fixtureClient('conf2');
const nat = fixtureClient('nat');
/** The link of an error page to the console's page about its request id. */
const FIND_LINK = /href="http:\/\/localhost:\d+\/developer\/find\?q=[\w-]{36}"/;
const spa = fixtureClient('spa');

let browser: Browser;
const expectRefused = async (uris: string[], client = conf, changes: Params = {}) => {
  for (const uri of uris) {
    const answer = await browser.ask(client, { ...changes, redirect_uri: uri });
    expectPage(answer, 400);
    expect(answer.text.replace(FIND_LINK, ''), uri).not.toMatch(
      /(?:href|src|action)="(?:javascript|data|vbscript|file|blob|about|\/\/|http)/i,
    );
  }
};

test.beforeAll(async () => {
  browser = await signIn(door, await makePerson(), conf);
  await browser.finish(authorizeParams(conf));
});

test('RU-01: an unregistered redirect URI shows a page and never redirects', async () => {
  const base = 'https://conf.example';
  await expectRefused([
    ...['/cb/', '/CB', '/cb?', '/cb#', '/cb#x', '/cb?x=1', ':443/cb', '', '/', '/cb%00', '/cb ', '/c%62'].map(
      (rest) => base + rest,
    ),
    'https://CONF.example/cb',
    'HTTPS://conf.example/cb',
    'http://conf.example/cb',
    'https://user@conf.example/cb',
    'https://conf.example@evil.example/cb',
    'https://conf.example.evil.example/cb',
    'https://conf.example\\@evil.example/cb',
  ]);
});

test('RU-01: another client’s redirect_uri shows a page', async () => {
  await expectRefused([conf2.redirectUri, spa.redirectUri]);
});

test('RU-03: a path traversal does not match the registered URI', async () => {
  const paths = ['/cb/../evil', '/cb/..;/evil', '/cb%2f..%2f', '/cb/%2e%2e/', '/cb/%252e%252e/', '/x/../cb'];
  await expectRefused(paths.map((path) => `https://conf.example${path}`));
});

test('RU-04: dangerous schemes and relative URLs show a page without a link', async () => {
  await expectRefused([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    '/relative',
    'blob:x',
    'about:blank',
    '<script>alert(1)</script>',
  ]);
});

test('RU-07: a missing redirect_uri uses the only registered one if the API allows it, otherwise it shows an error page', async () => {
  const client = await makeClient({ apis: ['orders', 'billing'], trusted: true });
  for (const redirectUri of [undefined, '']) {
    const params = authorizeParams(client, { redirect_uri: redirectUri });
    expectCode(await browser.authorize(params), door, client);
    expectPage(await browser.authorize(params, { api: 'billing' }), 400);
  }
  expectPage(await browser.ask(spa, { redirect_uri: undefined }), 400);
});

test('RU-10: a native client can use any loopback port, and the redirect keeps it', async () => {
  const native = await makeClient({
    kind: 'native',
    trusted: true,
    redirectUris: ['http://127.0.0.1/cb', 'http://[::1]/cb', 'com.example.app:/cb'],
  });
  for (const redirectUri of [
    'http://127.0.0.1:51004/cb',
    'http://[::1]:51004/cb',
    'http://127.0.0.1/cb',
    'com.example.app:/cb',
  ]) {
    expectCode(await browser.ask(native, { redirect_uri: redirectUri }), door, {
      redirectUri,
    });
  }
});

test('RU-11: only the port of a loopback URL may differ from the registered one', async () => {
  await expectRefused(
    [
      'http://127.0.0.1:51004/other',
      'https://127.0.0.1:51004/cb',
      'http://127.0.0.1.nip.io/cb',
      'http://127.000.000.001:1/cb',
      'http://localhost.evil.example:1/cb',
      'http://localhost:1/cb',
      'http://0.0.0.0:1/cb',
      'http://2130706433/cb',
      'http://127.0.0.1:51004@evil.example/cb',
      'http://127.0.0.1:51004/cb?x=1',
      'http://127.0.0.1:/cb',
      'com.example.app:/other',
      'com.example.app://cb',
    ],
    nat,
  );
});

test('RU-11: clients that are not native require the exact port', async () => {
  const client = await makeClient({ redirectUris: ['http://127.0.0.1:4000/cb'] });
  await expectRefused(['http://127.0.0.1:4001/cb'], client);
});

test('RU-15, RU-16: the redirect keeps the registered text unchanged and appends the parameters', async () => {
  for (const redirectUri of [
    'https://bare.example',
    'https://q.example/cb?tenant=7',
    'https://q.example/a%2Fb?x=%7e',
  ]) {
    const client = await makeClient({ trusted: true, redirectUris: [redirectUri] });
    expectCode(await browser.ask(client), door, client);
    expectErrorRedirect(await browser.ask(client, { scope: 'no' }), door, 'invalid_scope', client);
  }
});

test('RU-17: a wrong redirect_uri together with any other error shows a page', async () => {
  const wrong = ['https://evil.example/cb'];
  await expectRefused(wrong, conf, { scope: 'nosuch' });
  await expectRefused(wrong, spa, { code_challenge: 'x', code_challenge_method: 'plain' });
  await expectRefused(wrong, conf, { response_type: 'token', prompt: 'bogus' });
  await expectRefused(wrong, conf, { state: 'x'.repeat(3_000) });
  await expectRefused(wrong, await makeClient({ state: 'pending' }));
});

test('RU-19: a path that looks like a host never redirects to that host', async () => {
  for (const path of [
    '//evil.example/',
    '/%5cevil.example',
    '//evil.example/%2e%2e',
    '/login//evil.example/',
    '//evil.example/login/',
  ]) {
    const { location } = await send(`${door.url}${path}`);
    expect(
      location === '' || location.startsWith(`${door.url}/`) || /^\/(?![/\\])/.test(location),
      `${path} ${location}`,
    ).toBe(true);
  }
});

test('RU-20: a wrong redirect_uri is also rejected if the request contains prompt=none', async () => {
  await expectRefused(['https://evil.example/cb', 'https://conf.example/cb/'], conf, { prompt: 'none' });
});
