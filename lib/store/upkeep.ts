// Checklists for a new installation, and objects that expire soon.
import { type Db, readRow, readRows } from './prisma.ts';
import { raw, sql } from './sql.ts';
import { type ColdRow, narrowTo } from './statement.ts';

// Checklists for a new installation: steps that an administrator marked as done, users who hid a list, and facts about
// a developer's applications.

export type ChecklistName = 'service' | 'own';

export async function selectDoneSteps(db: Db): Promise<string[]> {
  return (await db.checklistStep.findMany({ select: { step: true } })).map(({ step }) => step);
}

/** Returns false if the step is already in this state. */
export async function setStepDone(db: Db, step: string, done: boolean): Promise<boolean> {
  const { count } = done
    ? await db.checklistStep.createMany({ data: [{ step }], skipDuplicates: true })
    : await db.checklistStep.deleteMany({ where: { step } });
  return count > 0;
}

export const isChecklistAway = async (db: Db, personId: string, list: ChecklistName): Promise<boolean> =>
  (await db.checklistAway.count({ where: { personId, list } })) > 0;

export async function setChecklistAway(
  db: Db,
  personId: string,
  list: ChecklistName,
  away: boolean,
): Promise<void> {
  if (away) await db.checklistAway.createMany({ data: [{ personId, list }], skipDuplicates: true });
  else await db.checklistAway.deleteMany({ where: { personId, list } });
}

const DEVELOPER_FACTS = {
  clients: 'int',
  /** client id of one of the applications, for links */
  clientId: 'text?',
  /** true: a pending or approved subscription of the user's clients exists */
  subscribed: 'boolean',
  approved: 'boolean',
  /** true: a client received a token, as far as stored tokens and the audit log show */
  tokens: 'boolean',
  /** `redirects`: a non-native client has redirect URIs. `https`: one of them uses https */
  redirects: 'boolean',
  https: 'boolean',
  /** the highest level that the person's factors reach */
  factorLevel: 'int',
} as const;

/** Returns facts about the clients that a user owns. */
export async function selectDeveloperFacts(db: Db, personId: string) {
  const facts = await readRow(db, DEVELOPER_FACTS)`
    with mine as (select client_id, application_type, redirect_uris, created_at from clients where owner_id = ${personId}::uuid)
      select (select count(*)::int from mine) as clients,
        (select client_id from mine order by created_at desc, client_id limit 1) as "clientId",
        exists (select from mine join subscriptions s using (client_id) where s.state in ('approved', 'pending')) as subscribed,
        exists (select from mine join subscriptions s using (client_id) where s.state = 'approved') as approved,
        (exists (select from mine join token_families f using (client_id))
          or exists (select from mine join machine_tokens t using (client_id))
          or exists (select from mine where exists (select from audit_events e
            where e.client_id = mine.client_id and e.event = 'token.issued' and e.at > mine.created_at))) as tokens,
        exists (select from mine where application_type <> 'native' and redirect_uris <> '{}') as redirects,
        exists (select from mine, unnest(redirect_uris) as uri where application_type <> 'native' and uri like 'https://%') as https,
        (select factor_level::int from people where id = ${personId}::uuid) as "factorLevel"`;
  if (!facts) throw new Error('the database answers nothing');
  return facts;
}

// Objects that expire within some days, by kind. Objects of users are counted per day, without names.

const EXPIRING_ROW = {
  kind: narrowTo<'secret' | 'delegations' | 'allowances' | 'invitations' | 'registrations'>('text'),
  /** earliest expiry; the other counted objects expire on the same day (UTC) */
  at: 'timestamptz',
  count: 'int',
  clientId: 'text?',
  clientName: 'text?',
  apiId: 'text?',
  apiName: 'text?',
  authMethodId: 'text?',
  methodName: 'text?',
  /** identifies a secret among the secrets of a client */
  ref: 'text',
} as const;
export type ExpiringRow = ColdRow<typeof EXPIRING_ROW>;

type Asked = {
  days: number;
  /** owner of the clients; null: clients of every owner, and objects without a client */
  ownerId: string | null;
  most: number;
};

const NOBODY = raw('null::text, null::text');
const DAY = (of: string) => raw(`date_trunc('day', ${of} at time zone 'UTC')`);

/** Lists objects by expiry, the earliest first, then by name. */
export function selectExpiring(db: Db, { days, ownerId, most }: Asked): Promise<ExpiringRow[]> {
  const soon = sql`now() + make_interval(days => ${days}::int)`;
  const client = sql`c.disabled_at is null and (${ownerId}::uuid is null or c.owner_id = ${ownerId}::uuid)`;
  const unowned = sql`${ownerId}::uuid is null`;
  return readRows(db, EXPIRING_ROW)`
    select 'secret' as kind, s.expires_at as at, 1 as count, c.client_id as "clientId", c.name as "clientName",
        null::text as "apiId", null::text as "apiName", null::text as "authMethodId", null::text as "methodName", s.id::text as ref
      from client_secrets s join clients c using (client_id)
      where s.expires_at > now() and s.expires_at < ${soon} and ${client}
    union all
    select 'delegations', min(d.ends), count(*)::int, d.client_id, d.client_name, d.api_id, d.api_name, ${NOBODY}, ''
      from (select c.client_id, c.name as client_name, a.id as api_id, a.name as api_name,
          least(g.until, g.given_at + make_interval(days => s.max_days)) as ends
        from delegations g join clients c using (client_id) join apis a on a.id = g.api_id
          left join subscriptions s on s.client_id = g.client_id and s.api_id = g.api_id
        where g.until > now() and ${client} and (c.identity_changed_at is null or g.given_at >= c.identity_changed_at)) d
      where d.ends > now() and d.ends < ${soon}
      group by 4, 5, 6, 7, ${DAY('d.ends')}
    union all
    select 'allowances', min(k.ends), count(*)::int, k.client_id, k.client_name, k.api_id, k.api_name, ${NOBODY}, ''
      from (select c.client_id, c.name as client_name, a.id as api_id, a.name as api_name,
          allowed_at(o.scopes, o.updated_at, o.earlier_scopes, o.scopes, null) + make_interval(days => s.max_days) as ends
        from subscriptions s join clients c using (client_id) join apis a on a.id = s.api_id
          join consents o on o.client_id = s.client_id and o.api_id = s.api_id
        where s.max_days is not null and s.state = 'approved' and ${client}
          and (c.identity_changed_at is null or o.updated_at >= c.identity_changed_at)) k
      where k.ends > now() and k.ends < ${soon}
      group by 4, 5, 6, 7, ${DAY('k.ends')}
    union all
    select case r.kind when 'invited' then 'invitations' else 'registrations' end, min(r.expires_at), count(*)::int,
        ${NOBODY}, ${NOBODY}, m.id, m.name, ''
      from person_registrations r join auth_methods m on m.id = r.auth_method_id
      where r.kind in ('invited', 'waiting') and r.expires_at > now() and r.expires_at < ${soon} and ${unowned}
      group by 1, m.id, m.name, ${DAY('r.expires_at')}
    order by at, kind, "clientId", "apiId", "authMethodId", ref limit ${most}`;
}
