// sector_identifier_uri with a real server on this machine: it is called when a person saves a client, outside of
// transactions.
import http from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { poolStats } from '#lib/store/pool.ts';
import { givenEmptyRegistry, givenPerson, type Person, refusal, sql } from '#testing/data/registry.ts';
import { type Listening, listen } from '#testing/net/listen.ts';
import { changeClient, createClient } from './operations.ts';

const URIS = ['https://a.example/cb', 'https://b.example/cb'];
const settings = (more = {}) =>
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true', ...more });

let server: Listening;
let dora: Person;
let asked: (string | undefined)[];
let answer: (response: http.ServerResponse) => void;
const json = (value: unknown) => (response: http.ServerResponse) => response.end(JSON.stringify(value));

beforeAll(async () => {
  server = await listen(
    http.createServer((request, response) => {
      asked.push(request.url);
      answer(response);
    }),
  );
});
afterAll(() => server.close());
afterEach(() => loadSettings());
beforeEach(async () => {
  settings();
  asked = [];
  answer = json(URIS);
  await givenEmptyRegistry();
  dora = await givenPerson('dora', 'developer');
});

const create = (actor: Parameters<typeof createClient>[0], over: Record<string, unknown> = {}) =>
  createClient(actor, {
    clientId: 'shop',
    name: 'Shop',
    kind: 'confidential',
    redirectUris: URIS,
    subjectType: 'pairwise',
    sectorIdentifierUri: `${server.url}/sector.json`,
    ...over,
  } as never);
const stored = async () => (await sql('select sector_identifier_uri, redirect_uris from clients'))[0];

test('a sector document that lists every redirect URI proves the sector and is fetched once', async () => {
  await create(dora);
  expect(asked).toEqual(['/sector.json']);
  await changeClient(dora, { clientId: 'shop', name: 'The shop' });
  await changeClient(dora, { clientId: 'shop', redirectUris: URIS.slice(0, 1) });
  expect(asked).toHaveLength(1);
  await changeClient(dora, { clientId: 'shop', redirectUris: URIS });
  expect(asked).toHaveLength(2);
});

test.each<[string, (response: http.ServerResponse) => void, string]>([
  ['names one of them', json(URIS.slice(0, 1)), 'https://b.example/cb is missing'],
  ['is an object', json({ redirect_uris: URIS }), 'must give a JSON list'],
  ['holds more than texts', json([...URIS, 7]), 'must give a JSON list'],
  ['is no JSON', (response) => response.end('<html>'), 'must give a JSON list'],
  ['is missing', (response) => response.writeHead(404).end('[]'), 'answers 404'],
  ['is elsewhere', (response) => response.writeHead(302, { location: '/x' }).end(), 'a redirect'],
  ['is too long', (response) => response.end(`[${'"x",'.repeat(20_000)}"x"]`), 'too large'],
  ['hangs up', (response) => response.destroy(), 'no connection'],
])('a list that %s does not prove the sector, and nothing is saved', async (_, badly, words) => {
  answer = badly;
  const refused = await refusal(create(dora));
  expect(refused?.faults).toEqual([
    expect.objectContaining({
      field: 'sectorIdentifierUri',
      code: 'client.wrong_sector',
      message: expect.stringContaining(words),
    }),
  ]);
  expect(refused?.message).toMatch(/^sector_identifier_uri /);
  expect(await stored()).toBeUndefined();
  expect(asked).toEqual(['/sector.json']);
});

test('if a redirect URI is missing in the sector document, the change is rejected and the client remains unchanged', async () => {
  await create(dora);
  const before = await stored();
  const redirectUris = [...URIS, 'https://c.example/cb'];
  expect((await refusal(changeClient(dora, { clientId: 'shop', redirectUris })))?.message).toContain(
    'c.example',
  );
  expect(await stored()).toEqual(before);
  // without the list, the redirect URIs of the client belong to several sectors
  expect(
    (await refusal(changeClient(dora, { clientId: 'shop', sectorIdentifierUri: null })))?.message,
  ).toContain('is missing');
});

test('a sector document at a private address requires permission, and changes by the operator skip the check', async () => {
  settings({ CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'false' });
  const url = server.url.replace('http:', 'https:');
  expect((await refusal(create(dora, { sectorIdentifierUri: `${url}/x` })))?.message).toContain(
    'not a public one',
  );
  await create(OPERATOR);
  expect(asked).toEqual([]);
});

test('while a sector document loads slowly, the change holds no database connection and no lock', async () => {
  await create(OPERATOR, { redirectUris: URIS.slice(0, 1) });
  await sql(`update clients set owner_id = $1`, [dora.id]);
  let release = () => {};
  const arrived = new Promise<void>((resolve) => {
    answer = (response) => {
      release = () => json(URIS)(response);
      resolve();
    };
  });
  const saving = changeClient(dora, { clientId: 'shop', redirectUris: URIS });
  await arrived;
  expect(poolStats().busy).toBe(0);
  // another request changes the address of the list at the same time, so the proof does not match the saved values
  await changeClient(OPERATOR, { clientId: 'shop', sectorIdentifierUri: 'https://other.example/list' });
  release();
  expect((await refusal(saving))?.kind).toBe('stale');
  expect(await stored()).toMatchObject({ redirect_uris: URIS.slice(0, 1) });
});

test('each fetch of a sector document counts as a change by the client’s developer, and is limited', async () => {
  settings({ EDITS_PER_MINUTE: '3' });
  answer = json([]);
  const kinds: (string | undefined)[] = [];
  for (let at = 0; at < 5; at += 1) kinds.push((await refusal(create(dora)))?.kind);
  expect(kinds).toEqual(['invalid', 'invalid', 'invalid', 'slow-down', 'slow-down']);
  expect(asked).toHaveLength(3);
});
