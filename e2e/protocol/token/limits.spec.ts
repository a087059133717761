// Limits on wrong passwords, shared by the pages and the token endpoint (contract section 5, cases LG).
import { randomUUID } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { fixtureClient } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import { send } from '#testing/net/http.ts';
import { Browser } from '#testing/service/browser.ts';
import { passwordGrant, token } from '#testing/service/token.ts';
import { expectError, expectTokens } from '../../support/clients/expectations.ts';
import {
  clearAddressAttempts,
  limitKey,
  makeClient,
  makePerson,
  SECOND_ADDRESS,
  sql,
} from '../../support/service/database.ts';
import { eachDoor } from '../../support/service/doors.ts';

const tru = fixtureClient('tru');
const trunat = fixtureClient('trunat');
const nobody = () => `${randomUUID()}@example.com`;
const wrong = (person: { email: string }) => ({ email: person.email, password: 'not the password' });

eachDoor((door) => {
  let alice: Person;
  test.beforeEach(async () => {
    await clearAddressAttempts();
    alice = await makePerson();
  });

  test('LG-01, LG-03: after 10 wrong passwords, the right one returns slow_down until the window ends', async () => {
    const person = await makePerson();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expectError(await passwordGrant(door, tru, wrong(person)), 'invalid_grant');
    }
    for (const who of [wrong(person), person]) {
      const answer = await passwordGrant(door, tru, who);
      expectError(answer, 'slow_down');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(900);
    }
    expectTokens(await passwordGrant(door, tru, alice));
    await sql("update attempts set expires_at = now() - interval '1 second' where key = $1", [
      limitKey('4account', `(local) ${person.email}`),
    ]);
    expectTokens(await passwordGrant(door, tru, person));
  });

  test('LG-01: the pages and the token endpoint share one limit for an account', async () => {
    const person = await makePerson();
    for (let attempt = 0; attempt < 10; attempt += 1) await passwordGrant(door, tru, wrong(person));
    const browser = new Browser(door);
    const page = await browser.start(tru);
    const again = await browser.onward(await browser.signInOn(page, person));
    expect(again.text).toContain('role="alert"');
    expect(again.text).toContain('Too many attempts');
    expect(again.text).not.toContain('Incorrect email or password.');
  });

  test('LG-02: of 100 parallel wrong passwords, at most 10 are checked', async () => {
    const person = await makePerson();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => passwordGrant(door, tru, wrong(person))),
    );
    for (const answer of answers) expect([400, 429, 503]).toContain(answer.status);
    const checked = answers.filter((answer) => answer.status === 400);
    expect(checked.length).toBeLessThanOrEqual(10);
    expect(answers.filter((answer) => answer.status === 429).length).toBeGreaterThanOrEqual(80);
  });

  test('section 5: successful sign-ins do not count toward the limit', async () => {
    const person = await makePerson();
    for (let attempt = 0; attempt < 12; attempt += 1) expectTokens(await passwordGrant(door, tru, person));
  });

  test('LG-04: a forged X-Forwarded-For cannot bypass the account limit', async () => {
    const person = await makePerson();
    const statuses = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const headers = { 'x-forwarded-for': `198.51.100.${attempt}` };
      statuses.push((await passwordGrant(door, trunat, wrong(person), {}, { headers })).status);
    }
    expect(statuses.slice(-2)).toEqual([429, 429]);
  });

  // requests come from a second loopback address (Linux only), so that they do not use up the limit of other tests
  if (process.platform === 'linux' && door.name === 'node') {
    test('LG-04: after 60 wrong passwords from one address, further attempts are rejected, whatever X-Forwarded-For contains', async () => {
      const other = { ...door, url: door.url.replace('localhost', '127.0.0.1') };
      const attempt = (index: number) => {
        const sent = { localAddress: SECOND_ADDRESS, headers: { 'x-forwarded-for': `198.51.100.${index}` } };
        return passwordGrant(other, trunat, { email: nobody(), password: 'x' }, {}, sent);
      };
      let sent = 0;
      // repeats attempts that the global limit rejected meanwhile
      for (let checked = 0; checked < 60; checked += 1)
        await expect.poll(async () => (await attempt(sent++)).status).toBe(400);
      const more = [await attempt(sent), await attempt(sent + 1)];
      expect(more.map(({ status }) => status)).toEqual([429, 429]);
    });
  }

  test('LG-01: the owner of an account at its limit can sign in from a known browser', async () => {
    const person = await makePerson();
    const known = new Browser(door);
    const attempt = async (browser: Browser, password: string) => {
      const page = await browser.start(tru, { prompt: 'login' });
      return browser.signInOn(page, { email: person.email, password });
    };
    expect((await attempt(known, person.password)).location).toContain('/continue');
    const cookie = known.jar.named('gatehouse-device');
    for (let wrongs = 0; wrongs < 10; wrongs += 1) await passwordGrant(door, tru, wrong(person));

    const stranger = new Browser(door);
    expect((await attempt(stranger, person.password)).location).toContain('/login');
    expect((await attempt(known, person.password)).location).toContain('/continue');

    // known browsers have separate limits, valid for one account
    for (let wrongs = 0; wrongs < 10; wrongs += 1) await attempt(known, 'not the password');
    expect((await attempt(known, person.password)).location).toContain('/login');
    const other = await makePerson();
    for (let wrongs = 0; wrongs < 10; wrongs += 1) await passwordGrant(door, tru, wrong(other));
    const page = await known.start(tru, { prompt: 'login' });
    expect((await known.signInOn(page, other)).location).toContain('/login');

    // a modified cookie is ignored
    const forger = new Browser(door, known.jar.copy());
    forger.jar.cookies.set(cookie, `${known.jar.cookies.get(cookie)}x`);
    expect((await attempt(forger, person.password)).location).toContain('/login');
  });

  test('LG-01: the known-device cookie is HttpOnly, lasts 90 days and contains no readable name', async () => {
    const browser = new Browser(door);
    const page = await browser.start(tru);
    const answer = await browser.signInOn(page, alice);
    const cookie = answer.headers['set-cookie']?.find((one) => one.startsWith('gatehouse-device=')) ?? '';
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    expect(cookie).toMatch(/; Max-Age=7776000/);
    expect(cookie.length).toBeLessThan(4_096);
    expect(cookie).not.toContain('example');
  });

  test('CA-20: 60 wrong secrets limit the client only for their source address', async () => {
    const client = await makeClient({ trusted: true });
    const other = await makeClient({ trusted: true });
    const guess = (secret: string) =>
      token(door, {
        grant_type: 'refresh_token',
        client_id: client.clientId,
        client_secret: secret,
        refresh_token: 'x',
      });
    const statuses = await Promise.all(Array.from({ length: 100 }, (_, index) => guess(`wrong-${index}`)));
    expect(statuses.filter((answer) => answer.status === 401)).toHaveLength(60);
    const limited = statuses.filter((answer) => answer.status === 429);
    expect(limited).toHaveLength(40);
    for (const answer of limited) {
      expectError(answer, 'slow_down');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expectTokens(await passwordGrant(door, other, alice));
    if (door.name === 'node') {
      // even the right secret is rejected after so many guesses
      expect((await passwordGrant(door, client, alice)).status).toBe(429);
      if (process.platform === 'linux') {
        const elsewhere = { ...door, url: door.url.replace('localhost', '127.0.0.1') };
        const sent = { localAddress: SECOND_ADDRESS };
        expectTokens(await passwordGrant(elsewhere, client, alice, {}, sent));
      }
    } else {
      // without the caller's IP address, wrong attempts of others could lock the client out; it still gets tokens
      expectTokens(await passwordGrant(door, client, alice));
    }
  });

  test('LG-11: 64 concurrent sign-ins all succeed, and the service responds meanwhile', async () => {
    const people = await Promise.all(Array.from({ length: 16 }, () => makePerson()));
    // attempts are counted at their start: an address has at most sixty concurrent attempts
    const elsewhere = { ...door, url: door.url.replace('localhost', '127.0.0.1') };
    const signIns = Array.from({ length: 64 }, (_, index) => {
      const second = index % 2 === 1 && process.platform === 'linux';
      const from = second ? { localAddress: SECOND_ADDRESS } : {};
      return passwordGrant(
        second ? elsewhere : door,
        tru,
        people[index % 16] ?? alice,
        {},
        { timeoutMs: 25_000, ...from },
      );
    });
    const health = Array.from({ length: 10 }, () => send(`${door.url}/health`));
    const order: string[] = [];
    await Promise.all([
      ...signIns.map((one) => one.then((answer) => order.push(`sign-in ${answer.status}`))),
      ...health.map((one) => one.then((answer) => order.push(`health ${answer.status}`))),
    ]);
    expect(order.filter((one) => one === 'sign-in 200')).toHaveLength(64);
    expect(order.filter((one) => one === 'health 200')).toHaveLength(10);
    // health checks were sent last and are answered first: they do not wait for password hashes
    expect(order.lastIndexOf('health 200')).toBeLessThan(order.lastIndexOf('sign-in 200'));
  });

  test('LG-08: the sign-in page returns equal responses for known and unknown addresses', async () => {
    const pages = [];
    for (const email of [alice.email, nobody()]) {
      const browser = new Browser(door);
      const posted = await browser.signInOn(await browser.start(tru), {
        email,
        password: 'wrong',
      });
      expect(posted.status).toBe(303);
      const page = await browser.onward(posted);
      expect(page.text).toContain('Incorrect email or password.');
      expect(page.text).toContain(email);
      expect(browser.jar.cookies.size).toBe(1);
      pages.push(page.status);
    }
    expect(pages[0]).toBe(pages[1]);
  });
});
