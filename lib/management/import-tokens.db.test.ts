// Import of refresh tokens: each line is imported once, no token is stored in plain text, and unusable lines are
// reported with their number.
import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { setClientDisabled } from '#lib/catalogue/clients/rows.ts';
import { removePerson } from '#lib/catalogue/people/rows.ts';
import { removeSubscription } from '#lib/catalogue/subscriptions/rows.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import type { SourceFile } from '#lib/kit/source-file.ts';
import { endAllOfClient, removeFromRegistry } from '#lib/store/endings.ts';
import { type Db, inTransaction } from '#lib/store/prisma.ts';
import { fixturePerson } from '#testing/data/fixtures.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { OPENID_PATH } from '#testing/in-process/openid.ts';
import { importTokens } from './moving-in.ts';
import { OPERATOR } from './policy.ts';

let alice = '';
beforeAll(async () => {
  setLogLevel('silent');
  await givenFixtures();
  const [row] = await sql<{ id: string }>('select id from people where email = $1', [
    fixturePerson('alice').email,
  ]);
  alice = row?.id ?? '';
});

const fileOf = (...lines: object[]): SourceFile => ({
  name: 'tokens.jsonl',
  chunks: async function* () {
    yield Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  },
});
const imported = async (file: SourceFile, dryRun = false) => {
  const faults: string[] = [];
  const totals = await importTokens(OPERATOR, {
    file,
    dryRun,
    progress: (found) => faults.push(...found.map(({ line, because }) => `${line}: ${because}`)),
  });
  return { totals: { ...totals }, faults };
};
const TOKEN = 'a-token-of-another-service-0001';
const line = (over: object = {}) => ({
  token: TOKEN,
  client_id: 'tru',
  api: 'orders',
  auth_method: 'pw',
  subject: alice,
  scopes: ['read'],
  auth_time: '2026-10-01T08:00:00Z',
  expires_at: '2999-01-01T00:00:00Z',
  ...over,
});
const refresh = (refresh_token: string) =>
  ask(`${OPENID_PATH}/token`, {
    form: {
      client_id: 'tru',
      client_secret: 'tru-secret-of-the-fixtures',
      grant_type: 'refresh_token',
      refresh_token,
    },
  });

test('an imported token, stored plain or as a digest, is redeemed once, and a second import does not change it', async () => {
  const second = 'a-token-of-another-service-0002';
  const sha256 = createHash('sha256').update(second).digest('hex');
  const { token: _, ...rest } = line();
  const file = fileOf(line(), { ...rest, sha256 }, line());
  const none = { refused: 0, unchanged: 1 };
  expect(await imported(file, true)).toEqual({ totals: { imported: 2, ...none }, faults: [] });
  expect(await sql('select 1 from former_tokens')).toEqual([]);
  expect(await imported(file)).toEqual({ totals: { imported: 2, ...none }, faults: [] });
  expect((await imported(file)).totals).toEqual({ imported: 0, unchanged: 3, refused: 0 });
  const stored = JSON.stringify([
    await sql('select * from former_tokens'),
    await sql('select * from audit_events'),
  ]);
  for (const token of [TOKEN, second]) {
    expect(stored).not.toContain(token);
    const given = await refresh(token);
    expect(given.status, String(given.body)).toBe(200);
    expect(jsonOf(given)['scope']).toBe('read');
    expect((await refresh(token)).status).toBe(400);
  }
  // a second import does not make used tokens valid again
  expect((await imported(file)).totals).toEqual({ imported: 0, unchanged: 3, refused: 0 });
  expect((await refresh(TOKEN)).status).toBe(400);
});

test('an unusable line of a token import is reported with a reason and without its token', async () => {
  const secret = 'another-token-of-another-service';
  const { faults, totals } = await imported(
    fileOf(
      line({ token: secret, client_id: 'nowhere' }),
      line({ token: secret, api: 'nowhere' }),
      line({ token: secret, subject: 'nobody-here' }),
      line({ token: secret, expires_at: '2020-01-01T00:00:00Z' }),
      line({ token: secret, sha256: 'ab'.repeat(32) }),
      line({ token: 'short' }),
      line({ token: secret, expires_at: 'soon', more: 1 }),
    ),
  );
  expect(totals).toEqual({ imported: 0, unchanged: 0, refused: faults.length });
  expect(faults).toEqual([
    '1: there is no client nowhere',
    '2: there is no issuer of pw and nowhere',
    '3: nobody has the subject nobody-here',
    '4: has expired',
    '5: must have either token or sha256',
    '6: token must have 16 characters or more',
    expect.stringMatching(/^7: expires_at must be a time/),
    expect.stringMatching(/^7: /),
  ]);
  expect(faults.join()).not.toContain(secret);
});

/**
 * Events that revoke an imported token. `gone`: the row is also deleted, so that a later object with the same name
 * cannot take it over.
 */
const ENDINGS: readonly [string, gone: boolean, end: (db: Db) => Promise<unknown>][] = [
  ['the client is removed', true, (db) => removeFromRegistry(db, 'clients', 'tru')],
  ['the API is removed', true, (db) => removeFromRegistry(db, 'apis', 'orders')],
  ['the method is removed', true, (db) => removeFromRegistry(db, 'auth_methods', 'pw')],
  ['the subscription is removed', true, (db) => removeSubscription(db, { clientId: 'tru', api: 'orders' })],
  ['the person is removed', true, (db) => removePerson(db, alice)],
  ['the API has the method no more', true, () => changeApi(OPERATOR, { id: 'orders', authMethods: ['ext'] })],
  ['all of the client is revoked', false, (db) => endAllOfClient(db, 'tru')],
  ['the client is disabled', false, (db) => setClientDisabled(db, 'tru', true)],
];

test.each(ENDINGS)('an imported token is revoked when %s', async (_, gone, end) => {
  const rows = (db: Db) =>
    db.run<{ used: boolean }>({ text: 'select used_at is not null as used from former_tokens' });
  await sql('truncate former_tokens');
  await imported(fileOf(line({ token: 'a-token-that-is-not-used' })));
  const found = inTransaction(async (db) => {
    expect(await rows(db)).toEqual([{ used: false }]);
    await end(db);
    const left = await rows(db);
    // the rollback leaves the registry unchanged for later tests
    throw Object.assign(new Error('rolled back'), { left });
  });
  await expect(found).rejects.toMatchObject({ left: gone ? [] : [{ used: true }] });
});
