import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteExpired } from '#lib/store/cleanup.ts';
import { startFixtureBroker } from '#testing/brokers/broker.ts';
import { attempt } from '#testing/net/http.ts';
import type { Answer } from '#testing/net/sent.ts';
import { type Context, type Fault, PLAIN } from '../../support/context.ts';
import type { Instance } from '../../support/instance.ts';

/** Limits of passwords per address and per /48 network, as in docs/reference/storage.md. */
const PASSWORDS = { each: 60, wide: 600 };
const STARTS_IN_FIVE_SECONDS = 500;
const AT_ONCE = 100;
const HERE = '192.0.2.7';

type Flood = { name: string; request: (instance: Instance, number: number) => Promise<Answer> };

const from = (address: string) => ({ 'x-forwarded-for': address });
const wrongPassword = (instance: Instance, address: string) =>
  attempt(`${instance.url}/auth/pw/api/orders/token`, {
    form: {
      client_id: 'trunat',
      grant_type: 'password',
      username: `${randomUUID()}@example.com`,
      password: 'x',
    },
    headers: from(address),
  });
const authorize = (instance: Instance, method: string, more: Record<string, string>) => {
  const query = {
    client_id: PLAIN.clientId,
    redirect_uri: PLAIN.redirectUri,
    response_type: 'code',
    ...more,
  };
  return attempt(`${instance.url}/auth/${method}/api/orders/authorize?${new URLSearchParams(query)}`, {
    headers: from(HERE),
  });
};

const FLOODS: readonly Flood[] = [
  { name: 'invented accounts', request: (instance) => wrongPassword(instance, HERE) },
  {
    name: 'invented accounts, each from a /64 of its own',
    request: (instance, number) => wrongPassword(instance, `2001:db8:9:${(number + 1).toString(16)}::1`),
  },
  {
    name: 'invented clients',
    request: (instance) =>
      attempt(`${instance.url}/auth/pw/api/orders/token`, {
        form: {
          client_id: randomUUID(),
          client_secret: 'x',
          grant_type: 'refresh_token',
          refresh_token: 'x',
        },
        headers: from(HERE),
      }),
  },
  {
    name: 'refused requests in a client’s name',
    request: (instance) => authorize(instance, 'pw', { redirect_uri: `https://${randomUUID()}.example/` }),
  },
  {
    name: 'sign-ins at a broker that nobody finishes',
    request: (instance) => authorize(instance, 'brk', { state: randomUUID(), junk: 'x'.repeat(8_000) }),
  },
];

export const anonymousFloods: Fault = {
  name: 'anonymous-floods',
  title: 'strangers who want to fill the database',
  async run(context) {
    const times = context.quick ? 300 : 10_000;
    const instance = await context.instance('only', { env: { TRUST_PROXY: '1' } });
    await givenBroker(context, instance);
    const began = performance.now();
    const before = await rows(context);
    for (const flood of FLOODS) await pour(instance, flood, times);
    const seconds = (performance.now() - began) / 1000;
    const after = await rows(context);
    const rowGrowth = (table: string) => (after[table] ?? 0) - (before[table] ?? 0);
    // time windows can begin just before the flood and just before its end
    const windows = Math.ceil(seconds / 5) + 1;
    const bounds: Record<string, number> = {
      // one account per checked password, plus a /64 network
      attempts: PASSWORDS.each + 2 * PASSWORDS.wide + 100,
      audit_events: 40,
      refusals: 20,
      refused_requests: 5,
      broker_states: Math.min(times, windows * STARTS_IN_FIVE_SECONDS),
    };
    const broken = Object.entries(bounds)
      .filter(([table, most]) => rowGrowth(table) > most)
      .map(([table, most]) => `${table} grew by ${rowGrowth(table)} rows, ${most} at most`);
    const [{ size = 0 } = {}] = await context.sql<{ size: number }>(
      'select coalesce(max(length(sealed_request)), 0)::int as size from broker_states',
    );
    if (size === 0 || size > 4_000) broken.push(`a pending sign-in takes ${size} characters`);
    if (!(await getsIn(context, instance))) broken.push('somebody else does not get in');
    const filled = Object.keys(bounds).reduce((sum, table) => sum + rowGrowth(table), 0) / seconds;
    const deleting = await cleanUp(context, broken);
    if (deleting < filled) broken.push(`${filled} rows a second come, ${deleting} go`);
    const grew = Object.keys(bounds).map((table) => `${table} ${rowGrowth(table)}`);
    return {
      broken,
      notes: `${FLOODS.length} × ${times} requests: ${grew.join(', ')}; ${filled.toFixed(0)} rows a second came, ${deleting.toFixed(0)} went`,
    };
  },
};

/** Signs a user in from an unused address, after the shared window of five seconds has passed. */
async function getsIn(context: Context, instance: Instance): Promise<boolean> {
  const { email, password } = context.person(1);
  const client = context.client(instance);
  for (let second = 0; second < 7; second += 1) {
    if (await client.signIn(email, password)) return true;
    if (client.last?.status !== 429) return false;
    await sleep(1000);
  }
  return false;
}

async function givenBroker(context: Context, instance: Instance): Promise<void> {
  const databaseUrl = context.postgres.urlOf(context.database, 'owner');
  const broker = await startFixtureBroker(databaseUrl, [instance.door.url]);
  context.onEnd(() => broker.close());
}

async function pour(instance: Instance, { request }: Flood, times: number): Promise<void> {
  let number = 0;
  const pourer = async () => {
    while (number < times) await request(instance, number++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, pourer));
}

const TABLES = ['attempts', 'audit_events', 'refusals', 'refused_requests', 'broker_states'];
async function rows(context: Context): Promise<Record<string, number>> {
  const counts = TABLES.map((table) => `(select count(*)::int from ${table}) as ${table}`);
  const [row] = await context.sql<Record<string, number>>(`select ${counts.join(', ')}`);
  return row ?? {};
}

/** Deletes the expired rows of a ten-hour flood at maximum speed. Returns the number of deleted rows per second. */
async function cleanUp(context: Context, broken: string[]): Promise<number> {
  const each = context.quick ? 20_000 : 500_000;
  await context.sql("update attempts set expires_at = now() - interval '2 hours'");
  await context.sql("update broker_states set expires_at = now() - interval '1 second'");
  await context.sql("update refusals set window_start = window_start - interval '1 hour'");
  await context.sql(
    `insert into attempts (key, count, expires_at)
     select 'k' || n, 1, now() - interval '2 hours' from generate_series(1, $1) n`,
    [each],
  );
  await context.sql(
    `insert into broker_states (state_hash, auth_method_id, browser_hash, sealed_request, expires_at)
     select sha256(n::text::bytea), 'brk', '', repeat(md5(n::text), 40), now() - interval '1 second'
     from generate_series(1, $1) n`,
    [each],
  );
  const began = performance.now();
  const { deleted, done } = await context.inside(deleteExpired);
  const seconds = (performance.now() - began) / 1000;
  const left = await rows(context);
  if (!done) broken.push('clean-up stopped before it was done');
  for (const table of ['attempts', 'broker_states', 'refusals'])
    if (left[table] !== 0) broken.push(`${left[table]} rows of ${table} were left`);
  return Object.values(deleted).reduce((sum, count) => sum + count, 0) / seconds;
}
