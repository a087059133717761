// Query cost of a required claim: for subscriptions without one, sign-in and token statements look up no claim.
import pg from 'pg';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { changeTerms } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { sql } from '#testing/data/registry.ts';
import { introspect } from '#testing/in-process/delegations.ts';
import { ask, givenFixtures } from '#testing/in-process/in-process.ts';
import { openIdTokens, signInTo } from '#testing/in-process/openid.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const HOT = ['authorize', 'code-redeem', 'refresh-rotate', 'token-live'];

/** Counts the claim lookups of each statement. Each statement runs twice; the first run is rolled back. */
async function callsOf(work: () => Promise<unknown>): Promise<Map<string, number>> {
  const calls = new Map<string, number>();
  const { query } = pg.Pool.prototype;
  vi.spyOn(pg.Pool.prototype, 'query').mockImplementation(async function (this: pg.Pool, asked: never) {
    const { name, text, values } = asked as { name: string; text: string; values: unknown[] };
    if (HOT.includes(name)) {
      const client = await this.connect();
      await client.query('begin');
      await client.query("set local track_functions = 'pl'");
      await client.query(text, values);
      const { rows } = await client.query(
        "select coalesce(sum(calls), 0)::int as n from pg_stat_xact_user_functions where funcname = 'has_claim'",
      );
      await client.query('rollback');
      client.release();
      calls.set(name, rows[0].n);
    }
    return Reflect.apply(query, this, [asked]);
  } as never);
  await work();
  return calls;
}

let cookie: string;
beforeAll(async () => {
  await givenFixtures();
  await sql("update people set email_verified_at = now() where email = 'alice@example.com'");
  ({ cookie } = await signInTo('alice@example.com'));
});
afterEach(() => vi.restoreAllMocks());

async function journey(): Promise<void> {
  const { refresh_token = '' } = await openIdTokens(TRU, { cookie, scope: 'read' });
  const form = { ...TRU, grant_type: 'refresh_token', refresh_token };
  const refreshed = await ask('/auth/pw/api/orders/token', { form });
  const { access_token } = JSON.parse(String(refreshed.body));
  expect((await introspect(access_token, 'orders'))['active']).toBe(true);
}

test('no statement reads external identities if no subscription has a required claim, and every statement reads them if one has', async () => {
  const without = await callsOf(journey);
  expect([...without.keys()].toSorted((a, b) => (a < b ? -1 : 1))).toEqual(HOT);
  expect([...without.values()]).toEqual([0, 0, 0, 0]);
  const requiredClaim = { name: 'email', values: ['@example.com'] };
  await changeTerms(OPERATOR, { clientId: 'tru', api: 'orders', requiredClaim });
  vi.restoreAllMocks();
  for (const [name, n] of await callsOf(journey)) expect([name, n > 0]).toEqual([name, true]);
});
