// Brokers with false ID tokens, and failing brokers: nobody is signed in, and the page suggests a next step (cases
// AA-08, SR-01, SR-02).
import { createHmac } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { fixtureClient } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import type { Answer } from '#testing/net/sent.ts';
import { Browser } from '#testing/service/browser.ts';
import { brokerVisits } from '../../support/brokers/broker-visits.ts';
import { type Liar, startLiar } from '../../support/brokers/lying-broker.ts';
import { expectErrorRedirect } from '../../support/clients/expectations.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const tru = fixtureClient('tru');

const { comeBack, isSignedIn } = brokerVisits(door);

test.describe('a broker that sends false ID tokens', () => {
  let liar: Liar;
  test.beforeAll(async () => {
    liar = await startLiar();
  });
  test.afterAll(() => liar.close());

  const unsigned = (token: string, header: object, signature = '') => {
    const first = Buffer.from(JSON.stringify(header)).toString('base64url');
    return `${first}.${token.split('.')[1]}.${signature}`;
  };
  const now = () => Math.floor(Date.now() / 1000);

  test('a valid ID token of the broker is accepted', async () => {
    const { answer, more } = await comeBack(liar, { idToken: (nonce) => liar.idToken({ nonce }) });
    expect(answer.json()['status']).toBe('authenticated');
    expect(more).toBe(1);
  });

  const lies: [string, (nonce: string) => Promise<string> | undefined][] = [
    ['alg none', async (nonce) => unsigned(await liar.idToken({ nonce }), { alg: 'none', kid: 'true' })],
    [
      'HS256 with the public key as the secret',
      async (nonce) => {
        const token = unsigned(await liar.idToken({ nonce }), { alg: 'HS256', kid: 'true' });
        const signature = createHmac('sha256', JSON.stringify(liar.publicJwk)).update(token.slice(0, -1));
        return token + signature.digest('base64url');
      },
    ],
    ['the wrong aud', (nonce) => liar.idToken({ nonce, aud: 'somebody-else' })],
    [
      'several aud and a foreign azp',
      (nonce) => liar.idToken({ nonce, aud: [liar.clientId, 'x'], azp: 'x' }),
    ],
    ['the wrong iss', (nonce) => liar.idToken({ nonce, iss: 'https://evil.example' })],
    ['an exp that is past', (nonce) => liar.idToken({ nonce, iat: now() - 900, exp: now() - 600 })],
    ['no exp', (nonce) => liar.idToken({ nonce, exp: undefined })],
    ['the wrong nonce', () => liar.idToken({ nonce: 'another' })],
    ['no nonce', () => liar.idToken()],
    ['an unknown kid', (nonce) => liar.idToken({ nonce }, { kid: 'unknown' }, true)],
    ["a stranger's signature under a known kid", (nonce) => liar.idToken({ nonce }, {}, true)],
    ['no sub', (nonce) => liar.idToken({ nonce, sub: undefined })],
    ['no ID token at all', () => undefined],
  ];
  for (const [lie, idToken] of lies) {
    test(`AA-08: with ${lie} in the ID token, nobody is signed in`, async () => {
      const { answer, browser, more } = await comeBack(liar, { idToken });
      expect(answer.json()).toMatchObject({ status: 'failed', error: 'invalid_grant' });
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(more).toBe(0);
      expect(await isSignedIn(browser, { method: liar.method })).toBe(false);
    });
  }

  test('AA-08: consecutive unknown kids never cause repeated key fetches', async () => {
    await comeBack(liar, { idToken: (nonce) => liar.idToken({ nonce }) });
    const before = liar.asked('/jwks');
    for (let round = 0; round < 5; round += 1)
      await comeBack(liar, { idToken: (nonce) => liar.idToken({ nonce }, { kid: `new-${round}` }, true) });
    expect(liar.asked('/jwks')).toBe(before);
  });

  test('max_age: an older sign-in at the broker is rejected', async () => {
    for (const [age, status] of [
      [10, 'authenticated'],
      [600, 'failed'],
      [null, 'failed'],
    ] as const) {
      const told = age === null ? {} : { auth_time: now() - age };
      const idToken = (nonce: string) => liar.idToken({ nonce, ...told });
      const { answer } = await comeBack(liar, { params: { max_age: '120' }, idToken });
      expect(answer.json()['status'], String(age)).toBe(status);
    }
  });
});

test.describe('an unusable broker', () => {
  type Description = (issuer: string) => ReturnType<Parameters<Liar['say']>[1]>;
  const descriptions: Record<string, Description> = {
    'describes itself as another issuer': (issuer) => ({
      body: { issuer: 'https://evil.example', authorization_endpoint: `${issuer}/authorize` },
    }),
    'answers 500': () => ({ status: 500 }),
    'answers with a page': () => ({ headers: { 'content-type': 'text/html' }, body: '<p>hello</p>' }),
    'answers with 10 MB': () => ({ body: 'x'.repeat(10_000_000) }),
    'redirects to a metadata address (SR-02)': () => ({
      status: 302,
      headers: { location: 'http://169.254.169.254/latest/meta-data/' },
    }),
    'sends people to an address that is no web address': (issuer) => ({
      body: { issuer, authorization_endpoint: 'javascript:alert(1)', jwks_uri: `${issuer}/jwks` },
    }),
    'never answers': () => new Promise(() => undefined),
  };
  const faults: Record<string, (liar: Liar) => unknown> = {
    'is gone': (liar) => liar.close(),
    ...Object.fromEntries(
      Object.entries(descriptions).map(([fault, reply]) => [
        fault,
        (liar: Liar) => liar.say('/.well-known/openid-configuration', () => reply(liar.issuer)),
      ]),
    ),
  };
  for (const [fault, arrange] of Object.entries(faults)) {
    test(`a broker that ${fault} causes a page with options for the user, and an error for the client`, async () => {
      const liar = await startLiar({ timeout_ms: 700 });
      await arrange(liar);
      const at = { method: liar.method };
      const browser = new Browser(door);
      const page = await browser.ask(tru, {}, at);
      expectUnavailable(page);
      const [, back] = [...page.text.matchAll(/class="button[^"]*" href="([^"]+)"/g)].map(
        (found) => found[1],
      );
      const given = await browser.onward(await browser.get(back ?? ''));
      const issuer = issuerOf(door, liar.method);
      expectErrorRedirect(given, door, 'temporarily_unavailable', { ...tru, issuer });
      await liar.close();
    });
  }

  test('SR-01: a request to a broker at a private address requires the method’s permission', async () => {
    const liar = await startLiar({ allow_private_network: undefined });
    expectUnavailable(await new Browser(door).ask(tru, {}, { method: liar.method }));
    expect(liar.asked('/.well-known/openid-configuration')).toBe(0);
    await liar.close();
  });

  test('a failing token endpoint of the broker causes the status "failed" and the error temporarily_unavailable', async () => {
    const liar = await startLiar();
    liar.say('/token', () => ({ status: 503, body: { error: 'server_error' } }));
    const { answer } = await comeBack(liar);
    expect(answer.json()).toMatchObject({ status: 'failed', error: 'temporarily_unavailable' });
    await liar.close();
  });
});

/** Expects an error page, and the cookie that its links need. */
function expectUnavailable(page: Answer): void {
  expect(page.status, page.text.slice(0, 200)).toBe(503);
  expect(page.headers['content-type']).toMatch(/^text\/html/);
  expect(page.text).toContain('not answering');
}
