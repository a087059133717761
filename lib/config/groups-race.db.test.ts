// Groups are changed while a sign-in adds its user to them or removes its user from them. Each of the two
// transactions may wait for the other's commit, but there is no deadlock.
import type pg from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { changeGroup, createGroup } from '#lib/catalogue/groups/operations.ts';
import { deleteAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { applyRuledGroups } from '#lib/store/hot/person-facts.ts';
import { sql } from '#testing/data/registry.ts';
import { withClient } from '#testing/data/sql.ts';
import { applyConfiguration } from './apply.ts';

const rule = (value: string) => `from: [{ auth_method: staff, claim: groups, values: [${value}] }]`;
const RULED = { a: `  - { id: a, ${rule('x')} }\n`, b: `  - { id: b, ${rule('x')} }\n` };
const METHODS = `auth_methods:
  - { id: local, type: local }
  - { id: staff, type: external, verify_url: https://staff.example/verify }
`;
const apply = (groups: string, prune = false, methods = METHODS) =>
  applyConfiguration(`${methods}groups:\n${groups}`, { env: {}, prune });

let personId: string;
beforeEach(async () => {
  await sql('truncate auth_methods, apis, people, groups cascade');
  await apply(RULED.a + RULED.b);
  const [person] = await sql<{ id: string }>("insert into people (name) values ('Ada') returning id");
  personId = person?.id ?? '';
  await sql(
    "insert into external_identities (auth_method_id, subject, person_id) values ('staff', 'ada', $1)",
    [personId],
  );
});
const signIn = (...groups: string[]) =>
  applyRuledGroups({ personId, authMethodId: 'staff', groups: { in: groups, unknown: [] }, saidAt: null });
/** Statement of a sign-in, in a transaction without a retry after a deadlock. */
const signInOnce = (...groups: string[]) =>
  withClient(process.env['DATABASE_URL'] ?? '', (client) =>
    client.query("select apply_group_rules($1, 'staff', $2, '{}', null)", [personId, groups]),
  );
const groupsOf = async () =>
  (await sql<{ id: string }>('select group_id as id from group_members order by 1')).map(({ id }) => id);
/** Number of connections that wait for a lock. */
const waiting = async () =>
  (
    await sql(
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    )
  ).length;

/**
 * Starts the change and the sign-in while a third connection locks the group. The sign-in starts after the
 * change has begun to wait for that lock.
 */
async function both(held: string, change: () => Promise<unknown>, goes: () => Promise<unknown>) {
  await withClient(process.env['DATABASE_URL'] ?? '', async (third: pg.Client) => {
    await third.query('begin');
    await third.query('select from groups where id = $1 for share', [held]);
    const changing = change();
    await expect.poll(waiting).toBe(1);
    const signing = goes();
    let isOver = false;
    void signing.finally(() => (isOver = true)).catch(() => {});
    await expect.poll(async () => isOver || (await waiting()) === 2).toBe(true);
    await third.query('commit');
    await Promise.all([changing, signing]);
  });
}

test('apply and a sign-in change the same groups in opposite order, and both succeed', async () => {
  const named = (id: string) => `  - { id: ${id}, name: New, ${rule('x')} }\n`;
  await both(
    'a',
    () => apply(named('b') + named('a')),
    () => signInOnce('a', 'b'),
  );
  expect(await groupsOf()).toEqual(['a', 'b']);
});

test('apply removes a group’s rule while a sign-in leaves that group and joins another', async () => {
  await signIn('a');
  const changed = `  - { id: a }\n  - { id: b, name: New, ${rule('x')} }\n`;
  await both(
    'b',
    () => apply(changed),
    () => signInOnce('b'),
  );
  expect(await groupsOf()).toEqual(['b']);
});

test.each(['apply', 'console'] as const)(
  'a method that is deleted by %s during a sign-in leaves no memberships of its groups',
  async (by) => {
    const without = () =>
      apply(
        '  - { id: a, name: New }\n  - { id: b, name: New }\n',
        true,
        METHODS.replace(/ +- \{ id: staff.*\n/, ''),
      );
    const remove = () => deleteAuthMethod(OPERATOR, { id: 'staff' });
    await both('b', by === 'apply' ? without : remove, () => signInOnce('a', 'b'));
    expect(await groupsOf()).toEqual([]);
  },
);

test('if one person signs in twice at once with different groups, the result of the later sign-in stays', async () => {
  for (let turn = 0; turn < 10; turn += 1) {
    await Promise.all([signIn('a'), signIn('b'), signIn('a', 'b'), signIn()]);
    await signIn('a');
    expect(await groupsOf()).toEqual(['a']);
  }
});

test.each([createGroup, changeGroup])(
  'a group rule is rejected if its method is deleted while the rule is saved',
  async (write) => {
    await sql("insert into auth_methods (id, type, name) values ('leaving', 'broker', 'Leaving')");
    await withClient(process.env['DATABASE_URL'] ?? '', async (third: pg.Client) => {
      await third.query('begin');
      await third.query("delete from auth_methods where id = 'leaving'");
      const from = [{ auth_method: 'leaving', claim: 'groups', values: ['x'] }];
      const written = write(OPERATOR, { id: write === createGroup ? 'c' : 'b', name: 'New', from });
      const refused = expect(written).rejects.toThrow('no authentication method leaving');
      await expect.poll(waiting).toBe(1);
      await third.query('commit');
      await refused;
    });
  },
);
