// Hostile values in every address, query and form of the console, as an administrator and signed out, at both
// servers: each is rejected with an explanation and causes no server error (cases UN-01, LK-05). `npm run faults`
// sends many more of them.
import { expect, test } from '@playwright/test';
import { CookieJar } from '#testing/net/cookie-jar.ts';
import { send } from '#testing/net/http.ts';
import {
  type Attempt,
  faultOfPage,
  fieldNames,
  hostileConsole,
  queryNames,
} from '../../../scripts/fuzz/console.ts';
import { consoleJar, tokenFor } from '../../support/console/console.ts';
import { PAGES } from '../../support/console/console-access.ts';
import { fill, givenCast } from '../../support/console/console-cast.ts';
import { FORMS } from '../../support/console/console-form-access.ts';
import { clearAddressAttempts, makePerson, sql } from '../../support/service/database.ts';
import { eachDoor } from '../../support/service/doors.ts';

/** Matches sealed state in a URL. State is stored on the server, so URLs contain only its id. */
const SEALED = /[=.]v1\.[\w-]{6}\./;

/**
 * Forms that end the session or count wrong passwords, and the form that changes data that other tests
 * compare.
 */
const ENDING = new Set([
  'session-end',
  'sessions-end',
  'sign-out',
  'sign-in-again',
  'any-sessions-end',
  'keys-rotate',
]);

test('the test finds the parameter and field names for hostile values in the source code', () => {
  for (const name of ['event', 'client', 'cursor', 'search', 'draft', 'token', 'since']) {
    expect(queryNames()).toContain(name);
  }
  for (const name of ['clientId', 'redirectUris', 'version', 'scopes.name', 'confirmed', 'to', 'username']) {
    expect(fieldNames()).toContain(name);
  }
});

eachDoor((door) => {
  test('UN-01: hostile values never cause 500 in console pages or forms', async () => {
    test.setTimeout(300_000);
    const { words } = await givenCast();
    const jar = await consoleJar(door, await makePerson('administrator'));
    const pages = [...new Map(PAGES.map(([pattern, address]) => [pattern, address] as const).reverse())].map(
      ([pattern, address]) => ({ pattern, address: fill(address, words) }),
    );
    const forms = Object.fromEntries(
      Object.entries(FORMS).map(([area, table]) => [
        area,
        Object.fromEntries(Object.entries(table).filter(([form]) => !ENDING.has(form))),
      ]),
    );
    const wrong: string[] = [];
    const seen = new Map<number, number>();
    const attempts = hostileConsole({ pages, forms, quick: true });
    const work = async () => {
      for (const attempt of attempts) await tryOne(attempt);
    };
    const tryOne = async (attempt: Attempt) => {
      const { address, fields, form, place } = attempt;
      const answer = await send(door.url + address, {
        jar: jar.copy(),
        invented: true,
        headers: { origin: door.url, accept: 'text/html' },
        ...(fields === null ? {} : { form: [['anti_forgery', await tokenFor(jar, form)], ...fields] }),
      });
      const fault = faultOfPage(attempt, answer.status, answer.text);
      if (fault !== null) wrong.push(`${place}: ${fault}`);
      if (SEALED.test(answer.location)) wrong.push(`${place}: sealed state in ${answer.location}`);
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
    };
    await Promise.all([work(), work(), work(), work()]);
    // clears the limits, because the test also sent wrong passwords for unknown names
    await clearAddressAttempts();
    expect(wrong).toEqual([]);
    // the requests passed the sign-in and anti-forgery checks: pages were shown, and operations rejected values
    expect(seen.get(200)).toBeGreaterThan(100);
    expect(seen.get(400)).toBeGreaterThan(100);
  });

  test('UN-01: unstorable input returns a 400 page with an explanation, also without a session', async () => {
    const jar = new CookieJar();
    for (const path of [
      '/admin/audit?event=%00',
      '/developer/catalogue?client=a%00b',
      '/admin/people/%00',
      '/admin/people?%00=1',
      '/apis/%00',
      '/login?interaction=%00',
      '/account/reset-password?token=%00',
    ]) {
      const answer = await send(door.url + path, { jar, headers: { accept: 'text/html' } });
      expect([400, 404], `${path}: ${answer.status}`).toContain(answer.status);
      expect(answer.text, path).toContain('<h1');
    }
  });

  test('AD-06: console actions and rejections are audited with the displayed request id', async () => {
    const person = await makePerson('developer');
    const jar = await consoleJar(door, person);
    const named = await send(`${door.url}/account/submit/name`, {
      jar,
      headers: { origin: door.url },
      form: [
        ['anti_forgery', await tokenFor(jar, 'name')],
        ['name', 'Another Name'],
      ],
    });
    expect(named.status).toBe(303);
    const refused = await send(`${door.url}/admin/people`, { jar, headers: { accept: 'text/html' } });
    expect(refused.status).toBe(403);
    const formRefused = await send(`${door.url}/admin/submit/keys-rotate`, {
      jar,
      headers: { origin: door.url },
      form: [['anti_forgery', await tokenFor(jar, 'keys-rotate')]],
    });
    expect(formRefused.status).toBe(403);
    expect(formRefused.text).toContain(String(formRefused.headers['x-request-id']));
    const events = await sql<{ event: string; request_id: string; ip: string | null }>(
      'select event, request_id, ip from audit_events where person_id = $1 or actor = $1::text order by id',
      [person.id],
    );
    const of = (answer: typeof named) =>
      events.filter((one) => one.request_id === answer.headers['x-request-id']).map((one) => one.event);
    expect(of(named)).toEqual(['person.changed']);
    expect(of(refused)).toEqual(['access.denied']);
    expect(of(formRefused)).toEqual(['access.denied']);
    // Next cannot read the socket, so it learns the IP only from a trusted proxy
    const known = door.name === 'node' ? expect.stringMatching(/127\.0\.0\.1|::1/) : null;
    for (const one of events)
      expect(one).toMatchObject({ request_id: expect.stringMatching(/./), ip: known });
    const admin = await consoleJar(door, await makePerson('administrator'));
    const page = await send(`${door.url}/admin/audit?request=${formRefused.headers['x-request-id']}`, {
      jar: admin,
      headers: { accept: 'text/html' },
    });
    expect(page.text).toContain('access.denied');
    expect(page.text).not.toContain('No matching events');
  });
});
