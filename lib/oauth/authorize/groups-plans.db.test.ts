// Query cost of groups: for APIs without groups, sign-in and token statements look up no groups. Issued tokens lose
// scopes after the user leaves a group.
import pg from 'pg';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { createGroup, setPersonGroups } from '#lib/catalogue/groups/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { introspect } from '#testing/in-process/delegations.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { openIdTokens, signInTo } from '#testing/in-process/openid.ts';

const HOT = ['authorize', 'code-redeem', 'refresh-rotate', 'token-live'];
const FUNCTIONS = ['is_of_groups', 'scopes_of_groups'];
const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };

beforeAll(async () => {
  await givenFixtures();
  await createGroup(OPERATOR, { id: 'editors', name: 'Editors' });
  await setPersonGroups(OPERATOR, { id: 'alice@example.com', groups: ['editors'] });
});
const withScope = (groups?: string[]) =>
  changeApi(OPERATOR, {
    id: 'orders',
    scopes: [{ name: 'read', description: 'x', ...(groups && { groups }) }],
  });

afterEach(() => vi.restoreAllMocks());

/** Counts the group lookups of each statement. Each statement runs twice; the first run is rolled back. */
async function callsOf(work: () => Promise<unknown>): Promise<Map<string, number>> {
  const calls = new Map<string, number>();
  const { query } = pg.Pool.prototype;
  vi.spyOn(pg.Pool.prototype, 'query').mockImplementation(async function (this: pg.Pool, asked: never) {
    const { name, text, values } = asked as { name: string; text: string; values: unknown[] };
    if (name === 'group-scopes') calls.set(name, 1);
    if (HOT.includes(name)) {
      const client = await this.connect();
      await client.query('begin');
      await client.query("set local track_functions = 'pl'");
      await client.query(text, values);
      const { rows } = await client.query(
        'select coalesce(sum(calls), 0)::int as n from pg_stat_xact_user_functions where funcname = any ($1)',
        [FUNCTIONS],
      );
      await client.query('rollback');
      client.release();
      calls.set(name, rows[0].n);
    }
    return Reflect.apply(query, this, [asked]);
  } as never);
  await work();
  vi.restoreAllMocks();
  return calls;
}

test('an API without groups causes no group lookup, and a scope that is restricted to groups adds one lookup to each statement', async () => {
  const { cookie } = await signInTo('alice@example.com');
  const journey = async () => {
    const tokens = await openIdTokens(TRU, { cookie, scope: 'read' });
    const form = { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] ?? '' };
    const refreshed = jsonOf(await ask('/auth/pw/api/orders/token', { form: { ...TRU, ...form } }));
    expect((await introspect(String(refreshed['access_token']), 'orders'))['active']).toBe(true);
  };
  await withScope();
  await journey();
  expect(Object.fromEntries(await callsOf(journey))).toEqual(
    Object.fromEntries(HOT.map((name) => [name, 0])),
  );
  await withScope(['editors']);
  const calls = await callsOf(journey);
  expect([...calls.keys()].toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
    'authorize',
    'code-redeem',
    'group-scopes',
    'refresh-rotate',
    'token-live',
  ]);
  for (const [name, n] of calls) expect([name, n > 0]).toEqual([name, true]);
});

test.each(['jwt', 'opaque'] as const)(
  'leaving a group removes its scope from issued tokens immediately: %s',
  async (format) => {
    const scopes = [
      { name: 'read', description: 'x' },
      { name: 'write', description: 'y', groups: ['editors'] },
    ];
    await changeApi(OPERATOR, { id: 'orders', accessTokenFormat: format, scopes });
    await setPersonGroups(OPERATOR, { id: 'alice@example.com', groups: ['editors'] });
    const { cookie } = await signInTo('alice@example.com');
    const both = await openIdTokens(TRU, { cookie, scope: 'read write' });
    const one = await openIdTokens(TRU, { cookie, scope: 'write' });
    const told = async (token: string | undefined) => {
      const { active, scope } = await introspect(token, 'orders');
      return { active, scope };
    };
    const verified = async (token: string | undefined, scope: string) =>
      (await ask(`/verify/orders?scope=${scope}`, { headers: { authorization: `Bearer ${token}` } })).status;
    const all = { active: true, scope: 'read write' };
    expect([await told(both['refresh_token']), await told(both['access_token'])]).toEqual([all, all]);
    expect(await verified(both['access_token'], 'write')).toBe(200);
    await setPersonGroups(OPERATOR, { id: 'alice@example.com', groups: [] });
    const part = { active: true, scope: 'read' };
    expect([await told(both['refresh_token']), await told(both['access_token'])]).toEqual([part, part]);
    expect(await verified(both['access_token'], 'write')).toBe(403);
    expect(await verified(both['access_token'], 'read')).toBe(200);
    expect(await told(one['access_token'])).toEqual({ active: false });
    expect(await verified(one['access_token'], 'write')).toBe(401);
  },
);
