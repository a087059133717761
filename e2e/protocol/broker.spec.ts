// Sign-in at a broker: a real OpenID Connect provider, and one that lies (contract sections 2, 5 and 6; cases AA, AZ-18, SU-09).
import { createHmac, randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { throughBroker } from '../support/broker.ts';
import { authorizeParams, Browser, isConsentPage, type Params } from '../support/browser.ts';
import { CookieJar } from '../support/cookie-jar.ts';
import { makeClient, rowsOf, sha256, sql } from '../support/database.ts';
import { eachDoor, issuerOf } from '../support/doors.ts';
import { expectCode, expectErrorRedirect, expectPage, expectTokens } from '../support/expectations.ts';
import { fixtureClient, fixturePerson } from '../support/fixtures.ts';
import { type Answer, send } from '../support/http.ts';
import { type Liar, startLiar } from '../support/lying-broker.ts';
import { claimsOf, redeem, tokensOf } from '../support/token.ts';

const conf = fixtureClient('conf');
const tru = fixtureClient('tru');
const brk = { method: 'brk' };
const somebody = () => `person-${randomUUID()}`;

eachDoor((door) => {
  const issuer = issuerOf(door, 'brk');
  const json = { accept: 'application/json' };
  /** From the authorize request to the address that the broker sends the person back to. */
  const returnAddress = async (browser: Browser, name: string | undefined, params: Params = {}) =>
    throughBroker(await browser.authorize(authorizeParams(tru, params), brk), name);
  const signInAtBroker = async (name: string) => {
    const browser = new Browser(door);
    const answer = await browser.get(await returnAddress(browser, name));
    expect(answer.status, answer.text.slice(0, 300)).toBe(303);
    return { browser, answer };
  };
  const isSignedIn = async (browser: Browser, at = brk) => {
    const answer = await browser.authorize(authorizeParams(tru, { prompt: 'none' }), at);
    return answer.location.includes('code=');
  };
  const sessions = async (method: string) => {
    const [row] = await sql<{ n: number }>(
      'select count(*)::int as n from sessions where auth_method_id = $1',
      [method],
    );
    return row?.n;
  };

  test('contract 5: the authorize request sends the person straight to the broker and resumes afterwards', async () => {
    const browser = new Browser(door);
    const departure = await browser.authorize(authorizeParams(conf, { state: 'S' }), brk);
    expect([302, 303]).toContain(departure.status);
    const address = new URL(departure.location);
    expect(address.pathname).toBe('/auth');
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      client_id: 'gatehouse',
      response_type: 'code',
      redirect_uri: `${door.url}/auth/callback/broker`,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    for (const ours of [conf.clientId, conf.redirectUri]) expect(departure.location).not.toContain(ours);

    const back = await browser.get(await throughBroker(departure, somebody()));
    expect(back.status).toBe(303);
    const consent = await browser.onward(back);
    expect(isConsentPage(consent)).toBe(true);
    const done = await browser.onward(await browser.decideOn(consent, 'allow'));
    const code = expectCode(done, door, { ...conf, issuer });
    const answer = await redeem(door, conf, { code }, { at: brk });
    expectTokens(answer);
    expect(claimsOf(tokensOf(answer).accessToken)['iss']).toBe(issuer);
  });

  test('contract 5: login_hint, max_age and prompt=login are passed on, and no hint of our own is', async () => {
    const browser = new Browser(door);
    const changes = { login_hint: 'ann@partner.example', max_age: '60', prompt: 'login' };
    const asked = new URL((await browser.authorize(authorizeParams(tru, changes), brk)).location)
      .searchParams;
    expect(Object.fromEntries(asked)).toMatchObject(changes);
    const plain = new URL((await browser.authorize(authorizeParams(tru), brk)).location).searchParams;
    for (const name of Object.keys(changes)) expect(plain.has(name), name).toBe(false);
  });

  test('AZ-18: prompt=none at a broker method is answered from our own session, and the broker is not asked', async () => {
    const liar = await startLiar();
    const at = { method: liar.method };
    const answer = await new Browser(door).authorize(authorizeParams(tru, { prompt: 'none' }), at);
    expectErrorRedirect(answer, door, ['login_required', 'interaction_required'], {
      ...tru,
      issuer: issuerOf(door, liar.method),
    });
    expect(liar.asked('/.well-known/openid-configuration')).toBe(0);
    await liar.close();
  });

  test('SN-02 at a broker: after the sign-in prompt=none gives a code', async () => {
    const { browser } = await signInAtBroker(somebody());
    const answer = await browser.authorize(authorizeParams(tru, { prompt: 'none' }), brk);
    expectCode(answer, door, { ...tru, issuer });
  });

  test('SU-09: a session of the broker method is none of the local method, and the other way round', async () => {
    const { browser } = await signInAtBroker(somebody());
    expect(await isSignedIn(browser)).toBe(true);
    expect(await isSignedIn(browser, { method: 'pw' })).toBe(false);
    const local = new Browser(door);
    await local.finish(authorizeParams(tru), fixturePerson('alice'));
    expect(await isSignedIn(local, { method: 'pw' })).toBe(true);
    expect(await isSignedIn(local)).toBe(false);
  });

  test('AA-06: of a code and a state that come twice the second signs nobody in', async () => {
    const browser = new Browser(door);
    const address = await returnAddress(browser, somebody());
    const jar = browser.jar.copy();
    expect((await browser.get(address)).status).toBe(303);
    const before = await sessions('brk');
    const replay = new Browser(door, jar);
    expect((await replay.get(address, { headers: json })).json()['status']).toBe('received');
    expect(await isSignedIn(replay)).toBe(false);
    expect(await sessions('brk')).toBe(before);
  });

  test('AA-06: of twenty parallel uses of one state exactly one is authenticated', async () => {
    const browser = new Browser(door);
    const address = await returnAddress(browser, somebody());
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(address, { jar: browser.jar.copy(), headers: json })),
    );
    const states = answers.map((answer) => answer.json()['status']);
    expect(states.filter((status) => status === 'authenticated')).toHaveLength(1);
    expect(states.filter((status) => status === 'received')).toHaveLength(19);
  });

  test('contract 6: JSON says authenticated and where the authorize request goes on', async () => {
    const browser = new Browser(door);
    const answer = await browser.get(await returnAddress(browser, somebody()), { headers: json });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json())).toEqual(['status', 'continue']);
    expect(answer.json()['status']).toBe('authenticated');
    expect(answer.headers['cache-control']).toContain('no-store');
    const next = await browser.onward(await browser.get(String(answer.json()['continue'])));
    expectCode(next, door, { ...tru, issuer });
  });

  test('contract 6: the code in the path leads to the same place, always in JSON', async () => {
    const browser = new Browser(door);
    const back = new URL(await returnAddress(browser, somebody())).searchParams;
    const path = `${door.url}/auth/callback/broker/${encodeURIComponent(back.get('code') ?? '')}`;
    const answer = await browser.get(`${path}?state=${back.get('state')}`);
    expect(answer.json()['status']).toBe('authenticated');
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('AA-02, contract 6: a state of another browser signs nobody in, and is not used up by it', async () => {
    const browser = new Browser(door);
    const address = await returnAddress(browser, somebody());
    const stranger = new Browser(door);
    await stranger.authorize(authorizeParams(tru), brk);
    for (const other of [stranger, new Browser(door)]) {
      expect((await other.get(address, { headers: json })).json()['status']).toBe('received');
      const page = await other.get(address);
      expectPage(page, 400);
      expect(page.text).toContain('another browser');
      expect(await isSignedIn(other)).toBe(false);
    }
    expect((await browser.get(address)).status).toBe(303);
  });

  test('contract 6: a state older than ten minutes is of no use', async () => {
    const browser = new Browser(door);
    const address = await returnAddress(browser, somebody());
    const state = new URL(address).searchParams.get('state') ?? '';
    await sql("update broker_states set expires_at = now() - interval '1 second' where state_hash = $1", [
      sha256(state),
    ]);
    expect((await browser.get(address, { headers: json })).json()['status']).toBe('received');
    expectPage(await browser.get(address), 400);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('a person who presses back to the callback gets a page that leads on', async () => {
    const browser = new Browser(door);
    const address = await returnAddress(browser, somebody());
    await browser.get(address);
    const page = await browser.get(address);
    expectPage(page, 400);
    const href = /class="button" href="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const done = await browser.onward(await browser.get(href.replaceAll('&amp;', '&')));
    expectCode(done, door, { ...tru, issuer });
  });

  test('contract 6: who presses Cancel at the broker is not signed in, and gets a page with two ways on', async () => {
    const browser = new Browser(door);
    const page = await browser.get(await returnAddress(browser, undefined));
    expectPage(page, 400);
    const [again, back] = [...page.text.matchAll(/class="button[^"]*" href="([^"]+)"/g)].map(
      (found) => found[1],
    );
    const retried = await browser.onward(await browser.get(again ?? ''));
    expect(new URL(retried.location).pathname).toBe('/auth');
    const given = await browser.onward(await browser.get(back ?? ''));
    expectErrorRedirect(given, door, 'access_denied', { ...tru, issuer });

    const other = new Browser(door);
    const answer = await other.get(await returnAddress(other, undefined), { headers: json });
    expect(answer.json()).toMatchObject({ status: 'failed', error: 'access_denied' });
    expect(await isSignedIn(other)).toBe(false);
  });

  test('contract 6: a code that the broker refuses is failed', async () => {
    const browser = new Browser(door);
    const address = new URL(await returnAddress(browser, somebody()));
    address.searchParams.set('code', 'not-the-code');
    const answer = await browser.get(address.href, { headers: json });
    expect(answer.json()).toMatchObject({ status: 'failed', error: 'invalid_grant' });
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('RFC 9207: an answer with another iss, or none, is refused', async () => {
    for (const iss of ['https://evil.example', null]) {
      const browser = new Browser(door);
      const address = new URL(await returnAddress(browser, somebody()));
      if (iss === null) address.searchParams.delete('iss');
      else address.searchParams.set('iss', iss);
      const answer = await browser.get(address.href, { headers: json });
      expect(answer.json()['status']).toBe('failed');
      expect(await isSignedIn(browser)).toBe(false);
    }
  });

  test('AA-09: a person whose e-mail address the broker calls ours is another person, also under the local method', async () => {
    const alice = fixturePerson('alice');
    const { browser } = await signInAtBroker(alice.email);
    const [ours] = await sql<{ id: string }>('select id from people where email = $1', [alice.email]);
    const given = await browser.authorize(authorizeParams(tru, { prompt: 'none' }), brk);
    const code = expectCode(given, door, { ...tru, issuer });
    const tokens = tokensOf(await redeem(door, tru, { code }, { at: brk }));
    const sub = claimsOf(tokens.accessToken)['sub'];
    expect(sub).not.toBe(ours?.id);
    const again = await signInAtBroker(alice.email);
    const second = await again.browser.authorize(authorizeParams(tru, { prompt: 'none' }), brk);
    const other = await redeem(
      door,
      tru,
      { code: expectCode(second, door, { ...tru, issuer }) },
      { at: brk },
    );
    expect(claimsOf(tokensOf(other).accessToken)['sub']).toBe(sub);
  });

  test('a disabled person of a broker is not signed in', async () => {
    const name = somebody();
    await signInAtBroker(name);
    await sql(
      `update people set disabled_at = now() where id =
        (select person_id from external_identities where auth_method_id = 'brk' and subject = $1)`,
      [name],
    );
    const browser = new Browser(door);
    expectPage(await browser.get(await returnAddress(browser, name)), 400);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('prompt=login is satisfied by the sign-in it asked for, and the next one asks again', async () => {
    const name = somebody();
    const jar = new CookieJar();
    const browser = new Browser(door);
    for (let round = 0; round < 2; round += 1) {
      const departure = await browser.authorize(authorizeParams(tru, { prompt: 'login' }), brk);
      expect(new URL(departure.location).searchParams.get('prompt')).toBe('login');
      const done = await browser.onward(await browser.get(await throughBroker(departure, name, jar)));
      expectCode(done, door, { ...tru, issuer });
    }
  });

  test('"Not you?" on the consent page leads to the broker, which asks again', async () => {
    const client = await makeClient({ kind: 'confidential' });
    const browser = new Browser(door);
    const departure = await browser.authorize(authorizeParams(client), brk);
    const consent = await browser.onward(await browser.get(await throughBroker(departure, somebody())));
    expect(isConsentPage(consent)).toBe(true);
    const fields = Object.fromEntries(
      [...consent.text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, key, value]) => [
        key,
        value,
      ]),
    );
    const switched = await browser.onward(
      await browser.submit('/consent/submit', { ...fields, switch: '1' }),
    );
    const asked = new URL(switched.location);
    expect(asked.pathname).toBe('/auth');
    expect(asked.searchParams.get('prompt')).toBe('login');
    const other = await browser.onward(await browser.get(await throughBroker(switched, 'Somebody Else')));
    expect(isConsentPage(other)).toBe(true);
    expect(other.text).toContain('Somebody Else');
  });

  test.describe('a broker that lies', () => {
    let liar: Liar;
    test.beforeAll(async () => {
      liar = await startLiar();
    });
    test.afterAll(() => liar.close());

    /** Goes to the liar and comes back, which gives `make(nonce)` as its ID token. */
    const comeBack = async (make: (nonce: string) => Promise<string | undefined> | string | undefined) => {
      const at = { method: liar.method };
      const browser = new Browser(door);
      const asked = new URL((await browser.authorize(authorizeParams(tru), at)).location).searchParams;
      liar.gives(await make(asked.get('nonce') ?? ''));
      const before = await sessions(liar.method);
      const address = `${door.url}/auth/callback/broker?code=c&state=${asked.get('state')}`;
      const answer = await browser.get(address, { headers: json });
      return { answer, browser, more: ((await sessions(liar.method)) ?? 0) - (before ?? 0) };
    };
    const unsigned = (token: string, header: object, signature = '') => {
      const first = Buffer.from(JSON.stringify(header)).toString('base64url');
      return `${first}.${token.split('.')[1]}.${signature}`;
    };
    const now = () => Math.floor(Date.now() / 1000);

    test('and for once tells the truth is believed', async () => {
      const { answer, more } = await comeBack((nonce) => liar.idToken({ nonce }));
      expect(answer.json()['status']).toBe('authenticated');
      expect(more).toBe(1);
    });

    const lies: [string, (nonce: string) => Promise<string | undefined> | undefined][] = [
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
    for (const [lie, make] of lies) {
      test(`AA-08: an ID token with ${lie} signs nobody in`, async () => {
        const { answer, browser, more } = await comeBack(make);
        expect(answer.json()).toMatchObject({ status: 'failed', error: 'invalid_grant' });
        expect(answer.headers['set-cookie']).toBeUndefined();
        expect(more).toBe(0);
        expect(await isSignedIn(browser, { method: liar.method })).toBe(false);
      });
    }

    test('AA-08: unknown kids in a row do not make us ask for its keys each time', async () => {
      await comeBack((nonce) => liar.idToken({ nonce }));
      const before = liar.asked('/jwks');
      for (let round = 0; round < 5; round += 1)
        await comeBack((nonce) => liar.idToken({ nonce }, { kid: `new-${round}` }, true));
      expect(liar.asked('/jwks')).toBe(before);
    });

    test('max_age: a sign-in that the broker calls older than that is refused', async () => {
      const at = { method: liar.method };
      for (const [age, status] of [
        [10, 'authenticated'],
        [600, 'failed'],
        [null, 'failed'],
      ] as const) {
        const browser = new Browser(door);
        const departure = await browser.authorize(authorizeParams(tru, { max_age: '120' }), at);
        const asked = new URL(departure.location).searchParams;
        const nonce = asked.get('nonce');
        liar.gives(await liar.idToken({ nonce, ...(age === null ? {} : { auth_time: now() - age }) }));
        const address = `${door.url}/auth/callback/broker?code=c&state=${asked.get('state')}`;
        expect((await browser.get(address, { headers: json })).json()['status'], String(age)).toBe(status);
      }
    });
  });

  test.describe('a broker that is of no use', () => {
    const lies: [string, (liar: Liar) => unknown][] = [
      [
        'describes itself as another issuer',
        (liar) =>
          liar.say('/.well-known/openid-configuration', () => ({
            body: { issuer: 'https://evil.example', authorization_endpoint: `${liar.issuer}/authorize` },
          })),
      ],
      ['is gone', (liar) => liar.close()],
      ['answers 500', (liar) => liar.say('/.well-known/openid-configuration', () => ({ status: 500 }))],
      [
        'answers with a page',
        (liar) =>
          liar.say('/.well-known/openid-configuration', () => ({
            headers: { 'content-type': 'text/html' },
            body: '<p>hello</p>',
          })),
      ],
      [
        'answers with 10 MB',
        (liar) => liar.say('/.well-known/openid-configuration', () => ({ body: 'x'.repeat(10_000_000) })),
      ],
      [
        'redirects to a metadata address (SR-02)',
        (liar) =>
          liar.say('/.well-known/openid-configuration', () => ({
            status: 302,
            headers: { location: 'http://169.254.169.254/latest/meta-data/' },
          })),
      ],
      [
        'sends people to an address that is no web address',
        (liar) =>
          liar.say('/.well-known/openid-configuration', () => ({
            body: {
              issuer: liar.issuer,
              authorization_endpoint: 'javascript:alert(1)',
              jwks_uri: `${liar.issuer}/jwks`,
            },
          })),
      ],
      [
        'never answers',
        (liar) => liar.say('/.well-known/openid-configuration', () => new Promise(() => undefined)),
      ],
    ];
    for (const [fault, arrange] of lies) {
      test(`one that ${fault} gives the person a page that says what to do, and the client an answer`, async () => {
        const liar = await startLiar({ timeout_ms: 700 });
        await arrange(liar);
        const at = { method: liar.method };
        const browser = new Browser(door);
        const page = await browser.authorize(authorizeParams(tru), at);
        expectUnavailable(page);
        const [, back] = [...page.text.matchAll(/class="button[^"]*" href="([^"]+)"/g)].map(
          (found) => found[1],
        );
        expectErrorRedirect(
          await browser.onward(await browser.get(back ?? '')),
          door,
          'temporarily_unavailable',
          {
            ...tru,
            issuer: issuerOf(door, liar.method),
          },
        );
        await liar.close();
      });
    }

    test('SR-01: one at a private address is not called, unless the method allows it', async () => {
      const liar = await startLiar({ allow_private_network: undefined });
      expectUnavailable(await new Browser(door).authorize(authorizeParams(tru), { method: liar.method }));
      expect(liar.asked('/.well-known/openid-configuration')).toBe(0);
      await liar.close();
    });

    test('one whose token address is gone or fails is failed, and says it is not the person', async () => {
      const liar = await startLiar();
      liar.say('/token', () => ({ status: 503, body: { error: 'server_error' } }));
      const browser = new Browser(door);
      const asked = new URL((await browser.authorize(authorizeParams(tru), { method: liar.method })).location)
        .searchParams;
      const address = `${door.url}/auth/callback/broker?code=c&state=${asked.get('state')}`;
      expect((await browser.get(address, { headers: json })).json()).toMatchObject({
        status: 'failed',
        error: 'temporarily_unavailable',
      });
      await liar.close();
    });
  });

  test('a plain OAuth 2.0 broker signs in whom its userinfo address names, by a number too', async () => {
    const liar = await startLiar({ issuer: undefined });
    const endpoints = {
      authorization_endpoint: `${liar.issuer}/authorize?tenant=1`,
      token_endpoint: `${liar.issuer}/token`,
      userinfo_endpoint: `${liar.issuer}/user`,
      subject_claim: 'id',
      scopes: ['read:user'],
    };
    await sql('update auth_methods set config = config || $2::jsonb where id = $1', [
      liar.method,
      JSON.stringify(endpoints),
    ]);
    const at = { method: liar.method };
    liar.say('/token', (form) =>
      form.get('code') === 'c' && form.has('code_verifier')
        ? { body: { access_token: 'at', token_type: 'bearer', scope: 'read:user' } }
        : { body: { error: 'bad_verification_code' } },
    );
    liar.say('/user', () => ({ body: { id: 4711, login: 'octocat', name: null } }));
    const come = async (code: string): Promise<{ answer: Answer; browser: Browser }> => {
      const browser = new Browser(door);
      const asked = new URL((await browser.authorize(authorizeParams(tru), at)).location).searchParams;
      expect(asked.get('tenant')).toBe('1');
      expect(asked.get('scope')).toBe('read:user');
      expect(asked.has('nonce')).toBe(false);
      const address = `${door.url}/auth/callback/broker?code=${code}&state=${asked.get('state')}`;
      return { answer: await browser.get(address, { headers: json }), browser };
    };
    const { answer, browser } = await come('c');
    expect(answer.json()['status']).toBe('authenticated');
    expect(await isSignedIn(browser, at)).toBe(true);
    const [identity] = await sql('select subject, name from external_identities where auth_method_id = $1', [
      liar.method,
    ]);
    expect(identity).toEqual({ subject: '4711', name: 'octocat' });
    expect((await come('d')).answer.json()).toMatchObject({ status: 'failed', error: 'invalid_grant' });
    liar.say('/user', () => ({ body: { login: 'octocat' } }));
    expect((await come('c')).answer.json()).toMatchObject({ status: 'failed' });
    await liar.close();
  });

  test('no broker state is kept in the clear', async () => {
    const browser = new Browser(door);
    const departure = await browser.authorize(authorizeParams(tru), brk);
    const state = new URL(departure.location).searchParams.get('state') ?? '';
    const [row] = await sql<{ sealed_request: string }>(
      'select sealed_request from broker_states where state_hash = $1',
      [sha256(state)],
    );
    expect(row?.sealed_request).toMatch(/^v1\./);
    expect(JSON.stringify(row)).not.toContain(tru.clientId);
    expect(await rowsOf('nobody')).toMatchObject({ codes: 0 });
  });
});

/** A page, with the cookie that its links need. */
function expectUnavailable(page: Answer): void {
  expect(page.status, page.text.slice(0, 200)).toBe(503);
  expect(page.headers['content-type']).toMatch(/^text\/html/);
  expect(page.text).toContain('not answering');
}
