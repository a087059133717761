// The whole registry: comparison with the configuration file, export, ownership by the file, and counts.

import { setTimeout } from 'node:timers/promises';
import { apiRow } from '#lib/catalogue/apis/definition.ts';
import { API_ROW } from '#lib/catalogue/apis/rows.ts';
import { clientRow } from '#lib/catalogue/clients/definition.ts';
import { CLIENT_ROW, CLIENT_TABLES } from '#lib/catalogue/clients/rows.ts';
import { groupRow } from '#lib/catalogue/groups/definition.ts';
import { GROUP_ROW, GROUPS_BY_HAND } from '#lib/catalogue/groups/rows.ts';
import { authMethodRow } from '#lib/catalogue/methods/definition.ts';
import { AUTH_METHOD_ROW } from '#lib/catalogue/methods/rows.ts';
import { personRow } from '#lib/catalogue/people/definition.ts';
import { PERSON_ROW } from '#lib/catalogue/people/rows.ts';
import { subscriptionRow } from '#lib/catalogue/subscriptions/definition.ts';
import { SUBSCRIPTION_ROWS } from '#lib/catalogue/subscriptions/rows.ts';
import { DatabaseUnavailable } from './pool.ts';
import { type Db, database, readRow, readRows, tryLockName } from './prisma.ts';
import { raw, sql } from './sql.ts';

/** Rows of the whole registry. Hashes are hexadecimal. */
export type RegistryRows = Awaited<ReturnType<typeof loadRegistry>>;

/**
 * Loads every object that a configuration file can contain, except document clients. `emails`: users to load in
 * addition to managed users and users with a role. `refused`: the last decision was a rejection, or the revocation of
 * an approval. `groupsByHand`: groups assigned manually, not by a rule.
 */
export async function loadRegistry(db: Db, emails: readonly string[] = []) {
  return {
    groups: await readRows(db, groupRow.shape)`select ${GROUP_ROW} from groups g order by g.position, g.id`,
    authMethods: await readRows(db, { ...authMethodRow.shape, sealedSecret: 'text?' })`
      select ${AUTH_METHOD_ROW}, m.sealed_secret as "sealedSecret" from auth_methods m
      order by m.position, m.id`,
    apis: await readRows(db, { ...apiRow.shape, introspectionSecretHash: 'text?' })`
      select ${API_ROW}, encode(a.introspection_secret_hash, 'hex') as "introspectionSecretHash"
      from apis a order by a.position, a.id`,
    clients: await readRows(db, { ...clientRow.shape, configSecretHash: 'text?' })`
      select ${CLIENT_ROW}, encode(c.config_secret_hash, 'hex') as "configSecretHash"
      ${CLIENT_TABLES} where c.origin is distinct from 'document' order by c.created_at, c.client_id`,
    subscriptions: await readRows(db, { ...subscriptionRow.shape, refused: 'boolean' })`
      select coalesce((select e.to_state <> 'approved' or e.undone_at is not null
          from subscription_events e where e.client_id = s.client_id and e.api_id = s.api_id and e.to_state <> 'pending'
          and (e.undone_at is null or e.to_state = 'approved') order by e.id desc limit 1), false) as refused,
        ${SUBSCRIPTION_ROWS} where c.origin is distinct from 'document'
        order by s.created_at, s.client_id, s.api_id`,
    people: await readRows(db, {
      ...personRow.shape,
      email: 'text',
      configPassword: 'text?',
      groupsByHand: 'text[]',
    })`
      select ${PERSON_ROW}, p.config_password as "configPassword",
      ${raw(GROUPS_BY_HAND)} as "groupsByHand" from people p
      where p.email is not null and (p.managed or p.roles <> '{}' or p.email = any (${emails}))
      order by p.created_at, p.email`,
  };
}

const APPLY_WAIT_MS = 50_000;

/**
 * Serializes concurrent applies of configuration files, also from several hosts. It polls the lock, because an apply
 * can run longer than a statement may.
 */
export async function lockRegistry(db: Db): Promise<void> {
  const end = performance.now() + APPLY_WAIT_MS;
  while (!(await tryLockName(db, 'apply'))) {
    if (performance.now() > end) throw new DatabaseUnavailable('another apply still runs');
    await setTimeout(100);
  }
}

/** Marks named objects as managed by the file and sets their order, with one statement per table. */
export async function markManaged(
  db: Db,
  named: {
    groups: string[];
    methods: string[];
    apis: string[];
    clients: string[];
    emails: string[];
    subscriptions: [string, string][];
  },
): Promise<void> {
  for (const [table, ids] of [
    ['groups', named.groups],
    ['auth_methods', named.methods],
    ['apis', named.apis],
  ] as const) {
    await db.$executeRaw(sql`update ${raw(table)} t set managed = true, position = o.position::int - 1
      from unnest(${ids}::text[]) with ordinality as o (id, position)
      where t.id = o.id and (not t.managed or t.position <> o.position::int - 1)`);
  }
  await db.$executeRaw(
    sql`update clients set managed = true where client_id = any (${named.clients}) and not managed`,
  );
  await db.$executeRaw(
    sql`update people set managed = true, let_in_at = null where email = any (${named.emails}) and not managed`,
  );
  const [clients, apis] = [0, 1].map((part) => named.subscriptions.map((pair) => pair[part]));
  await db.$executeRaw(sql`update subscriptions s set managed = true
    from unnest(${clients}::text[], ${apis}::text[]) as o (client_id, api_id)
    where s.client_id = o.client_id and s.api_id = o.api_id and not s.managed`);
}

export async function countRegistry() {
  const row = await readRow(database(), {
    apis: 'int',
    authMethods: 'int',
    clients: 'int',
    people: 'int',
    subscriptions: 'int',
    sessions: 'int',
  })`
    select (select count(*)::int from apis) as apis,
    (select count(*)::int from auth_methods) as "authMethods", (select count(*)::int from clients) as clients,
    (select count(*)::int from people) as people, (select count(*)::int from subscriptions) as subscriptions,
    (select count(*)::int from sessions where ended_at is null and expires_at > now()) as sessions`;
  if (!row) throw new Error('the registry could not be counted');
  return row;
}
