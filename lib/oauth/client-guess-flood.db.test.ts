// Guesses with invented names fill no table, and a guesser gets no additional attempts at another method's address.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { query } from '#lib/store/pool.ts';
import { REQUESTS } from '#lib/store/refusals.ts';
import { ask, givenFixtures } from '#testing/in-process/in-process.ts';

const sql = <Row = { n: number }>(text: string) => query<Row>({ text, values: [] });
const count = async (from: string) => (await sql(`select count(*)::int as n from ${from}`))[0]?.n ?? 0;

/** Writes the refusals that this process has collected: reading the list of refused requests writes them first. */
const writeNoted = () => REQUESTS.select({ clientId: '', failedOnly: true }, { after: null, limit: 1 });

beforeAll(async () => {
  setLogLevel('silent');
  await givenFixtures();
  await sql("insert into auth_methods (id, type, name) values ('pw-2', 'local', 'The same store')");
  await sql("insert into combinations (auth_method_id, api_id) values ('pw-2', 'orders')");
});
beforeEach(async () => {
  await writeNoted();
  await sql('truncate attempts, audit_events, refused_requests');
});

const post = async (method: string, form: Record<string, string>, address: string | undefined) =>
  (await ask(`/auth/${method}/api/orders/token`, { form, address })).status;
const guess = (username: string, address = '192.0.2.1', method = 'pw') =>
  post(method, { grant_type: 'password', client_id: 'trunat', username, password: 'x' }, address);
const invent = (address: string | undefined) =>
  post(
    'pw',
    { grant_type: 'refresh_token', client_id: randomUUID(), client_secret: 'x', refresh_token: 'x' },
    address,
  );
const counted = (statuses: unknown[]) => ({
  checked: statuses.filter((status) => status === 400 || status === 401).length,
  refused: statuses.filter((status) => status === 429).length,
});

test('LG-01: an account has ten sign-in attempts in total, across all local methods', async () => {
  const statuses = [];
  for (let tries = 0; tries < 8; tries += 1)
    for (const method of ['pw', 'pw-2'])
      statuses.push(await guess('alice@example.com', `192.0.2.${tries}`, method));
  expect(counted(statuses)).toEqual({ checked: 10, refused: 6 });
});

/** Simulates this number of wrong passwords from the last used address. */
const already = (times: number) =>
  sql(`update attempts set count = ${times}, failed = ${times} where key like '3address:%' and failed = 1`);
/** Runs the requests in batches of 20, so that they do not wait long for connections. */
async function many(times: number, one: () => Promise<number | undefined>) {
  const statuses = [];
  for (let done = 0; done < times; done += 20)
    statuses.push(...(await Promise.all(Array.from({ length: 20 }, one))));
  return counted(statuses);
}

test('LG-04: an IPv4-mapped address in hexadecimal shares the limit of its dotted form only', async () => {
  expect(await guess(randomUUID(), '::ffff:c633:6407')).toBe(400);
  await already(59);
  expect(await guess(randomUUID(), '0:0:0:0:0:ffff:c633:6407')).toBe(400);
  expect(await guess(randomUUID(), '198.51.100.7')).toBe(429);
  expect(await guess(randomUUID(), '::ffff:c633:6408')).toBe(400);
});

test('sign-ins with invented accounts beyond the limit of an IP address store no row', async () => {
  expect(await guess(randomUUID())).toBe(400);
  await already(58);
  expect([await guess(randomUUID()), await guess(randomUUID()), await guess(randomUUID())]).toEqual([
    400, 400, 429,
  ]);
  await writeNoted();
  const rows = [await count('attempts'), await count('audit_events')];
  expect(await many(300, () => guess(randomUUID()))).toEqual({ checked: 0, refused: 300 });
  await writeNoted();
  expect([await count('attempts'), await count('audit_events')]).toEqual(rows);
  // wrong passwords cause one event, and the limit another; each occurs twice if a ten-minute window ends during the
  // test
  expect(rows[1]).toBeLessThanOrEqual(4);
});

test('invented client ids count as one client: few rows remain, even for callers without an IP address', async () => {
  for (const address of ['192.0.2.3', undefined]) {
    await sql('truncate attempts, audit_events');
    expect(await many(200, () => invent(address))).toEqual({ checked: 60, refused: 140 });
    // `attempts` contains rows of limits, and rows that limit audit events
    expect(await count('attempts')).toBeLessThan(8);
    expect(await count('audit_events')).toBeLessThanOrEqual(2);
  }
});

test('rejected authorize requests that name one client are counted in at most two rows', async () => {
  const refuse = (state: string) => {
    const asked = { client_id: 'conf', redirect_uri: `https://${state}.example/`, state };
    return ask(`/auth/pw/api/orders/authorize?${new URLSearchParams(asked)}`, { address: '192.0.2.5' });
  };
  for (let times = 0; times < 50; times += 1) await refuse(randomUUID());
  const noted = () => sql("select sum(count)::int as n from refused_requests where client_id = 'conf'");
  await expect.poll(noted).toEqual([{ n: 50 }]);
  // two rows if a ten-minute window ended between the requests
  expect(await count("refused_requests where client_id = 'conf'")).toBeLessThanOrEqual(2);
});
