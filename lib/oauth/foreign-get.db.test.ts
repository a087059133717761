// GET requests change no state: a link on another site sets no lasting cookie and changes no row. The test sends a real
// request to each GET address in the table of endpoints, with the session of a user.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { openDoor } from '#testing/in-process/in-process-door.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import { send } from '#testing/net/http.ts';
import type { Listening } from '#testing/net/listen.ts';
import { endpoints } from './endpoints.ts';

/** Fixture values for parameters; a new parameter requires an entry. */
const PARAMS: Readonly<Record<string, string>> = {
  authMethodId: 'pw',
  apiId: 'orders',
  code: 'a-code',
  hash: 'f'.repeat(64),
};
const ADDRESSES = endpoints
  .filter(({ methods }) => methods.includes('GET'))
  .map(({ pattern }) =>
    pattern.replaceAll(/:(\w+)/g, (_, name: string) => PARAMS[name] ?? `no-value-of-${name}`),
  );

/** Names of parameters that a user might choose: names that Gatehouse uses, and names that other services use. */
const CHOICES = new URLSearchParams({
  ...{ theme: 'dark', language: 'de', lang: 'de', locale: 'de', ui_locales: 'de', columns: 'id,name' },
  ...{ order: 'name', remember: 'true', trust: 'true', done: 'language', to: '/admin/clients' },
});
const AUTHORIZE = new URLSearchParams({ client_id: 'tru', response_type: 'code', scope: 'read', state: 'x' });
const FOREIGN = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'accept-language': 'fr',
  referer: 'https://evil.example/',
};

/** Tables for refused requests. Their rows are written after the response. */
const NOTES = new Set(['refusals', 'refused_requests']);
/** The authorize endpoint issues a code to a trusted client. No other GET of the table writes to the database. */
const WRITES: Readonly<Record<string, readonly string[]>> = {
  '/auth/pw/api/orders/authorize': ['audit_events', 'audit_events_default', 'codes'],
};
/** Lifetime of the transaction cookie, which binds a sign-in. No other cookie outlives the browser session. */
const MOST_SECONDS = 600;

let door: Listening;
let cookie: string;
beforeAll(async () => {
  door = await openDoor();
  await givenFixtures();
  // the first request creates the signing keys
  await send(`${door.url}/auth/pw/api/orders/jwks`);
  ({ cookie } = await signInTo('alice@example.com'));
});
afterAll(async () => {
  await door.close();
  loadSettings();
});

/** Computes a digest of each table's rows. */
async function digests(): Promise<Map<string, string>> {
  const tables = await sql<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  );
  const found = new Map<string, string>();
  for (const { name } of tables) {
    const [row] = await sql<{ digest: string | null }>(
      `select md5(string_agg(t::text, '|' order by t::text)) as digest from "${name}" t`,
    );
    found.set(name, row?.digest ?? '');
  }
  return found;
}

test.each(ADDRESSES)('a cross-site GET of %s sets no lasting cookie and changes no row', async (address) => {
  expect(address).not.toContain('no-value-of');
  const before = await digests();
  for (const query of [CHOICES, new URLSearchParams([...CHOICES, ...AUTHORIZE])])
    for (const more of [
      {},
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' },
    ]) {
      const answer = await send(`${door.url}${address}?${query}`, {
        headers: { ...FOREIGN, ...more, cookie },
      });
      expect(answer.status).toBeLessThan(500);
      for (const kept of answer.headers['set-cookie'] ?? []) {
        expect(kept).not.toMatch(/theme|language|columns/i);
        expect(Number(/Max-Age=(\d+)/i.exec(kept)?.[1] ?? 0), kept).toBeLessThanOrEqual(MOST_SECONDS);
        expect(kept).not.toMatch(/expires=/i);
      }
    }
  const after = await digests();
  const changed = [...after].filter(([name, digest]) => before.get(name) !== digest).map(([name]) => name);
  expect(changed.filter((name) => !NOTES.has(name)).toSorted()).toEqual(WRITES[address] ?? []);
});

test('the test of cross-site GET requests covers each GET row of the endpoint table', () => {
  expect(ADDRESSES.length).toBeGreaterThan(20);
});
