// Hosted forms accept posts only from Gatehouse's pages, in the browser that loaded the page (cases CS).
import { expect, test } from '@playwright/test';
import type { Client } from '#testing/data/fixtures.ts';
import type { Door } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import type { Answer } from '#testing/net/sent.ts';
import { authorizeParams, authorizeUrl, Browser, hiddenFields, signIn } from '#testing/service/browser.ts';
import { expectPage, missingDefences } from '../../support/clients/expectations.ts';
import { makeClient, makePerson, rowsOf, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

/** Posts like a page, but with headers that the test chooses. */
function post(
  door: Door,
  path: string,
  form: Record<string, string>,
  browser: Browser,
  headers: Record<string, string>,
) {
  return send(`${door.url}${path}`, { form, jar: browser.jar, headers: { accept: 'text/html', ...headers } });
}

const EVIL_NONCE = {
  'x-nonce': 'evilnonce',
  'content-security-policy': "script-src 'nonce-evilnonce'",
  'content-security-policy-report-only': "script-src 'nonce-evilnonce'",
};

let client: Client;
let browser: Browser;
let forms: { path: string; fields: Record<string, string>; browser: Browser }[];

test.beforeEach(async () => {
  client = await makeClient();
  const person = await makePerson();
  browser = await signIn(door, person, client);
  const stranger = new Browser(door);
  const login = hiddenFields(await stranger.start(client));
  const credentials = { username: person.email, password: person.password };
  forms = [
    { path: '/login/submit', fields: { ...login, ...credentials }, browser: stranger },
    {
      path: '/consent/submit',
      fields: { ...hiddenFields(await browser.start(client)), decision: 'allow' },
      browser,
    },
    { path: '/logout/submit', fields: hiddenFields(await browser.get(`${door.url}/logout`)), browser },
  ];
});

const expectNothingHappened = async () => {
  expect(await rowsOf(client.clientId)).toMatchObject({ consents: 0, codes: 0 });
  expect((await browser.get(`${door.url}/logout`)).text).toContain('<h1>Sign out</h1>');
};

test('CS-01, CS-02: a POST with a foreign, opaque or missing origin returns 403', async () => {
  const origins = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    {},
    { origin: `${door.url}.evil.example` },
    { origin: '' },
  ];
  for (const form of forms) {
    const foreign = ['cross-site', 'same-site', 'none'].flatMap((site) =>
      [door.url, 'null'].map((origin) => ({ origin, 'sec-fetch-site': site })),
    );
    for (const headers of [...origins, ...foreign]) {
      expectPage(await post(door, form.path, form.fields, form.browser, headers), 403);
    }
  }
  await expectNothingHappened();
});

test('Fetch §3.2: if a proxy sets no-referrer, a same-origin form with Origin: null is accepted, but only with cookie and token', async () => {
  const own = { origin: 'null', 'sec-fetch-site': 'same-origin' };
  for (const { path, fields, browser: theirs } of forms) {
    const { anti_forgery: _, ...bare } = fields;
    expectPage(await post(door, path, bare, theirs, own), 403);
    expectPage(await post(door, path, fields, new Browser(door), own), 403);
  }
  await expectNothingHappened();
  for (const { path, fields, browser: theirs } of forms)
    expect((await post(door, path, fields, theirs, own)).status, path).toBe(303);
});

test('CS-02: proxy headers and Host never make a foreign origin valid', async () => {
  const headers = {
    origin: 'http://evil.example',
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
  };
  for (const form of forms) expectPage(await post(door, form.path, form.fields, form.browser, headers), 403);
  await expectNothingHappened();
});

test('CS-03: a missing or foreign anti-forgery token or a missing cookie returns 403', async () => {
  const [login, consent, logout] = forms;
  if (!login || !consent || !logout) throw new Error('no forms');
  for (const form of forms) {
    const { anti_forgery: token = '', ...bare } = form.fields;
    for (const wrong of [
      '',
      'x',
      `${token.slice(0, -3)}${token.endsWith('AAA') ? 'BBB' : 'AAA'}`,
      forms.find((other) => other !== form)?.fields['anti_forgery'] ?? '',
    ]) {
      expectPage(await form.browser.submit(form.path, { ...bare, anti_forgery: wrong }), 403);
    }
    expectPage(await form.browser.submit(form.path, bare), 403);
  }
  for (const form of [login, consent])
    expectPage(await new Browser(door).submit(form.path, form.fields), 403);
  expectPage(await browser.submit('/login/submit', login.fields), 403);
  await expectNothingHappened();
});

test('CS-04: a form works only at its own URL', async () => {
  const [login, consent] = forms;
  if (!login || !consent) throw new Error('no forms');
  expectPage(await login.browser.submit('/consent/submit', { ...login.fields, decision: 'allow' }), 403);
  expectPage(await login.browser.submit('/logout/submit', login.fields), 403);
  await expectNothingHappened();
});

test('CS-05: a form rejects GET and a wrong content type', async () => {
  for (const form of forms) {
    const answer = await form.browser.get(
      `${door.url}${form.path}?${new URLSearchParams(form.fields).toString()}`,
    );
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toContain('POST');
    const headers = { origin: door.url, 'content-type': 'text/plain' };
    const plain = await send(`${door.url}${form.path}`, {
      body: new URLSearchParams(form.fields).toString(),
      jar: form.browser.jar,
      headers,
    });
    expect([400, 403, 415]).toContain(plain.status);
  }
  await expectNothingHappened();
});

const htmlAnswers = async (): Promise<Answer[]> => {
  const fresh = new Browser(door);
  return [
    await fresh.start(client),
    await browser.start(client),
    await browser.get(`${door.url}/logout`),
    await fresh.get(`${door.url}/login`),
    await fresh.get(`${door.url}/consent`),
    await fresh.get(`${door.url}/continue`),
    await fresh.get(authorizeUrl(door, 'client_id=nosuch')),
    await fresh.get(authorizeUrl(door, authorizeParams(client), { api: 'nosuch' })),
    await fresh.get(`${door.url}/documentation`),
    await fresh.get(`${door.url}/`),
    await fresh.get(`${door.url}/nosuch/page`),
    await fresh.submit('/login/submit', {}),
  ];
};

test('CS-06: every HTML response forbids framing, foreign scripts, sniffing and leaks of its address', async () => {
  for (const answer of await htmlAnswers()) {
    expect(answer.headers['content-type']).toMatch(/^text\/html/);
    expect(missingDefences(answer)).toEqual([]);
    expect(answer.headers).not.toHaveProperty('x-powered-by');
  }
});

test('CS-06: sign-in pages are never cached', async () => {
  for (const answer of (await htmlAnswers()).slice(0, 8))
    expect(answer.headers['cache-control']).toContain('no-store');
});

for (const path of ['/documentation', '/account/forgot-password'])
  test(`CS-09: each load of ${path} has a new nonce, never one that the client sends`, async () => {
    const nonces = [];
    for (const headers of [{}, {}, EVIL_NONCE]) {
      const page = await send(`${door.url}${path}`, { headers });
      expect(page.status).toBe(200);
      const nonce = /'nonce-([^']+)'/.exec(String(page.headers['content-security-policy']))?.[1] ?? '';
      expect(nonce.length).toBeGreaterThanOrEqual(22);
      expect(page.text).toContain(`nonce="${nonce}"`);
      expect(page.text).not.toContain('evilnonce');
      expect(JSON.stringify(page.headers)).not.toContain('evilnonce');
      nonces.push(nonce);
    }
    expect(new Set(nonces).size).toBe(3);
  });

test('CS-09: the sign-in page runs only the passkey script, with a nonce that no client chose', async () => {
  const fresh = new Browser(door);
  const { location } = await fresh.ask(client);
  const nonces = [];
  for (const headers of [{}, EVIL_NONCE]) {
    const page = await fresh.get(location, { headers });
    const scripts = [...page.text.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    expect(scripts).toEqual([
      expect.stringMatching(/^<script src="\/passkeys\.js\?v=[0-9a-f]{12}" nonce="([^"]+)" defer(="")?>$/),
    ]);
    const nonce = /nonce="([^"]+)"/.exec(scripts[0] ?? '')?.[1] ?? '';
    expect(page.headers['content-security-policy']).toContain(`script-src 'nonce-${nonce}' 'strict-dynamic'`);
    expect(page.text + JSON.stringify(page.headers)).not.toContain('evilnonce');
    nonces.push(nonce);
  }
  expect(new Set(nonces).size).toBe(2);
});

test('CS-09: the sign-out page and the start page run no script', async () => {
  for (const page of [await send(`${door.url}/logout`), await send(`${door.url}/`)]) {
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain("script-src 'none'");
    expect(page.text).not.toMatch(/<script|evilnonce|rel="preload"/);
  }
});

test('CS-12: a Next-Action header runs nothing on the hosted pages', async () => {
  for (const path of ['/login', '/consent', '/logout', '/']) {
    const headers = {
      'next-action': 'x'.repeat(42),
      origin: door.url,
      'content-type': 'text/plain;charset=UTF-8',
    };
    const answer = await send(`${door.url}${path}`, { body: '[]', headers });
    expect(answer.status, path).toBeGreaterThanOrEqual(400);
    expect(answer.status, path).toBeLessThan(500);
  }
});

test('section 5: a POST returns 303 to a Gatehouse page that continues automatically', async () => {
  const [login] = forms;
  if (!login) throw new Error('no form');
  const posted = await login.browser.submit(login.path, login.fields);
  expect(posted.status).toBe(303);
  expect(posted.location.startsWith(`${door.url}/continue?`)).toBe(true);
  const page = await login.browser.get(posted.location);
  expect(page.headers['refresh']).toMatch(/^0; url=/);
  expect(page.text).toContain('Continue');
  for (const junk of ['%00', '%0d%0aset-cookie:%20x=1', '%20', '='])
    expectPage(await login.browser.get(`${posted.location}${junk}`), 400);
  const refused = await sql("select 1 from audit_events where event = 'sign_in.refused' and client_id = $1", [
    client.clientId,
  ]);
  expect(refused).toEqual([]);
});
