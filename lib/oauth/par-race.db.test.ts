// A pushed request yields one code if requests are concurrent: at two instances, and with statements that wait for each
// other.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { beforeAll, expect, test } from 'vitest';
import { sha256 } from '#lib/kit/random.ts';
import { deleteExpired } from '#lib/store/cleanup.ts';
import { sql } from '#testing/data/registry.ts';
import { withClient } from '#testing/data/sql.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { ASKED, TRU } from '#testing/in-process/issuer-host.ts';
import { OPENID_PATH, signInTo } from '#testing/in-process/openid.ts';

let cookie: string;

beforeAll(async () => {
  await givenFixtures();
  ({ cookie } = await signInTo('alice@example.com'));
});

async function pushed(): Promise<{ uri: string; target: string }> {
  const uri = String(jsonOf(await ask(`${OPENID_PATH}/par`, { form: { ...ASKED, ...TRU } }))['request_uri']);
  return { uri, target: `${OPENID_PATH}/authorize?client_id=tru&request_uri=${uri}` };
}
const come = async (target: string) => locationOf(await ask(target, { headers: { cookie } }));
const outcome = (location: string) => {
  const { searchParams } = new URL(location);
  return searchParams.has('code') ? 'code' : searchParams.get('error');
};

/**
 * Starts another process with the same settings and a loaded registry. On command it sends `times` concurrent requests.
 */
async function startInstance(target: string, times: number) {
  const program = `
    (await import('#lib/settings/settings.ts')).loadSettings();
    (await import('#lib/kit/log.ts')).setLogLevel('silent');
    const { handleHttp } = await import('#lib/oauth/endpoints.ts');
    const [path, query] = ${JSON.stringify(target)}.split('?');
    const ask = (query) => handleHttp({ method: 'GET', path, query, headers: { cookie: ${JSON.stringify(cookie)} },
      body: async () => Buffer.alloc(0), peerAddress: undefined, requestId: crypto.randomUUID() });
    await ask('');
    console.log('ready');
    process.stdin.once('data', async () => {
      const answers = await Promise.all(Array.from({ length: ${times} }, () => ask(query)));
      console.log(JSON.stringify(answers.map(({ headers }) => headers.location)));
      process.exit();
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  return async (): Promise<string[]> => {
    child.stdin.write('go\n');
    const { value } = await lines.next();
    if (child.exitCode === null) await once(child, 'exit');
    return JSON.parse(value ?? '') as string[];
  };
}

test('RFC 9126 §7.3: of 100 parallel uses of one request_uri over two instances, exactly one receives a code', async () => {
  const { target } = await pushed();
  const there = await startInstance(target, 50);
  const codes = 'select count(*)::int as n from codes';
  const [before] = await sql<{ n: number }>(codes);
  const all = await Promise.all([there(), Promise.all(Array.from({ length: 50 }, () => come(target)))]);
  const outcomes = all.flat().map(outcome).toSorted();
  expect(outcomes).toEqual(['code', ...Array<string>(99).fill('invalid_request_uri')]);
  const [after] = await sql<{ n: number }>(codes);
  expect(Number(after?.n) - Number(before?.n)).toBe(1);
});

const lockWaits = async () =>
  (
    await sql<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  )[0]?.n;

test.each([
  ['commit', 'invalid_request_uri'],
  ['rollback', 'code'],
])(
  'a second use of a request_uri waits for the first, and after the first’s %s it results in %s',
  async (end, expected) => {
    const { uri, target } = await pushed();
    const url = process.env['DATABASE_URL'] ?? '';
    await withClient(url, async (other) => {
      await other.query('begin');
      await other.query("insert into used_requests values ($1, now() + interval '1 day')", [sha256(uri)]);
      const waiting = come(target);
      await expect.poll(lockWaits).toBe(1);
      await other.query(end);
      expect(outcome(await waiting)).toBe(expected);
    });
  },
);

test('many concurrent pushed requests cause no deadlock, and the cleanup deletes expired ones', async () => {
  await sql('delete from used_requests');
  const targets = await Promise.all(Array.from({ length: 30 }, pushed));
  const all = [...targets, ...targets.toReversed()];
  const outcomes = (await Promise.all(all.map(({ target }) => come(target)))).map(outcome).toSorted();
  expect(outcomes.slice(0, 31)).toEqual([...Array<string>(30).fill('code'), 'invalid_request_uri']);
  const rows = async () => (await sql('select 1 from used_requests')).length;
  await deleteExpired();
  expect(await rows()).toBe(30);
  await sql("update used_requests set expires_at = now() - interval '1 second'");
  await deleteExpired();
  expect(await rows()).toBe(0);
});
