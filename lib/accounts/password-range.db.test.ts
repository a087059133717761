// PASSWORD_RANGE_URL with a real local server: requests, responses and failures.
import { createHash } from 'node:crypto';
import http from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { setPassword } from '#lib/catalogue/people/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { givenEmptyRegistry, givenPerson, type Person, sql } from '#testing/data/registry.ts';
import { type Listening, listen } from '#testing/net/listen.ts';

const LEAKED = 'an-old-secret-of-mine';
const FRESH = 'nobody-else-has-this';
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase();

let server: Listening;
let person: Person;
let asked: { url: string | undefined; padding: unknown }[];
let answer: (response: http.ServerResponse) => void;
const lines = (response: http.ServerResponse) =>
  response.end(
    [`${sha1(LEAKED).slice(5)}:42`, `${sha1(FRESH).slice(5)}:0`, `${'0'.repeat(35)}:7`].join('\r\n'),
  );

beforeAll(async () => {
  server = await listen(
    http.createServer((request, response) => {
      asked.push({ url: request.url, padding: request.headers['add-padding'] });
      answer(response);
    }),
  );
  await givenEmptyRegistry();
  person = await givenPerson('pat');
});
afterAll(() => server.close());
afterEach(() => loadSettings());
beforeEach(async () => {
  loadSettings({ ...process.env, PASSWORD_RANGE_URL: `${server.url}/range/` });
  asked = [];
  answer = lines;
  await sql('delete from audit_events');
});

const choose = (password: string) => setPassword(OPERATOR, { id: person.id, password });
const unchecked = () => sql("select 1 from audit_events where event = 'person.password_unchecked'");

test('a leaked password is rejected, and the leak service receives only five digits of its digest', async () => {
  await expect(choose(LEAKED)).rejects.toMatchObject({
    faults: [{ field: 'password', message: expect.stringContaining('in a data breach') }],
  });
  expect(asked).toEqual([{ url: `/range/${sha1(LEAKED).slice(0, 5)}`, padding: 'true' }]);
  expect(await unchecked()).toEqual([]);
});

test('a line with count 0 in the response of the leak service matches no password', async () => {
  await choose(FRESH);
  expect(asked).toHaveLength(1);
  expect(await unchecked()).toEqual([]);
});

test('passwords on the shipped list cause no outgoing call', async () => {
  await expect(choose('Password123')).rejects.toMatchObject({ faults: [{ field: 'password' }] });
  expect(asked).toEqual([]);
});

test.each<[string, (response: http.ServerResponse) => void]>([
  ['breaks off', (response) => response.destroy()],
  ['has an error', (response) => response.writeHead(503).end()],
  ['sends elsewhere', (response) => response.writeHead(302, { location: '/' }).end()],
  ['sends too much', (response) => response.end('A'.repeat(100_000))],
  ['sends a page', (response) => response.end('<html>')],
])('a password is accepted if the service %s', async (how, act) => {
  answer = act;
  await choose(FRESH);
  // an HTML page with status 200 is a valid response without matches
  expect(await unchecked()).toHaveLength(how === 'sends a page' ? 0 : 1);
});

test('if the leak service does not respond, the password is accepted after a short wait, and an audit event is written', async () => {
  answer = () => {};
  await choose(FRESH);
  expect(await unchecked()).toHaveLength(1);
});

test('PASSWORD_MIN_LENGTH raises the minimum length, counted in characters', async () => {
  loadSettings({ ...process.env, PASSWORD_MIN_LENGTH: '15' });
  await expect(choose('fourteen chars')).rejects.toMatchObject({
    faults: [{ message: 'a password has at least 15 characters' }],
  });
  await choose('fifteen chars ü');
});
