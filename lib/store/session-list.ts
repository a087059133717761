// The console's own sessions, and what people see and end of every session. The cookie's id is hashed before it gets here.
import type { Role } from '#lib/registry/index.ts';
import { query } from './pool.ts';
import { type Db, ownConnection } from './transaction.ts';

export type ConsoleSession = {
  personId: string;
  email: string | null;
  name: string;
  roles: Role[];
  authMethodId: string;
  authTime: Date;
};

/** The living console session and its person, as they are now; null: signed out. Counts as activity. */
export async function findConsoleSession(
  idHash: Uint8Array,
  idleSeconds: number,
): Promise<ConsoleSession | null> {
  const [row] = await query<ConsoleSession>({
    name: 'console-session-find',
    text: `
with live as (
  select s.id_hash, p.id as "personId", p.email, p.name,
    case when m.type = 'local' then p.roles else '{}' end as roles,
    s.auth_method_id as "authMethodId", s.auth_time as "authTime"
  from sessions s join people p on p.id = s.person_id join auth_methods m on m.id = s.auth_method_id
  where s.id_hash = $1 and s.kind = 'console' and s.ended_at is null and s.expires_at > now()
    and s.last_seen_at > now() - make_interval(secs => $2) and p.disabled_at is null and s.person_epoch = p.epoch
), touched as (
  update sessions set last_seen_at = now() where id_hash = (select id_hash from live)
    and last_seen_at < now() - interval '20 seconds'
)
select * from live`,
    values: [idHash, idleSeconds],
  });
  return row ?? null;
}

export type SessionRow = {
  /** SHA-256 of the session's id, hexadecimal: names the session and opens nothing */
  id: string;
  kind: 'sign-in' | 'console';
  personId: string;
  personLabel: string;
  authMethodId: string;
  methodName: string;
  authTime: Date;
  lastSeenAt: Date;
  ip: string | null;
  userAgent: string | null;
};

/** Living sessions, the newest first; each part that is null is not asked about. */
export async function selectSessions(asked: {
  personId: string | null;
  kind: string | null;
  search: string | null;
  after: [time: string, id: string] | null;
  limit: number;
  idleSeconds: number;
}): Promise<(SessionRow & { key: string })[]> {
  // the key's time is to the microsecond
  return ownConnection.query({
    text: `select encode(s.id_hash, 'hex') as id, s.kind, s.person_id as "personId",
        coalesce(p.email, nullif(p.name, ''), p.id::text) as "personLabel", s.auth_method_id as "authMethodId",
        coalesce(m.name, s.auth_method_id) as "methodName", s.auth_time as "authTime", s.last_seen_at as "lastSeenAt",
        s.ip, s.user_agent as "userAgent", s.auth_time::text as key
      from sessions s join people p on p.id = s.person_id left join auth_methods m on m.id = s.auth_method_id
      where s.ended_at is null and s.expires_at > now() and s.last_seen_at > now() - make_interval(secs => $1)
        and s.person_epoch = p.epoch and ($2::uuid is null or s.person_id = $2) and ($3::text is null or s.kind = $3)
        and ($4::text is null or s.person_id in (select id from people
          where position($4 in coalesce(email, '')) > 0 or position($4 in lower(name)) > 0))
        and ($5::timestamptz is null or (s.auth_time, s.id_hash) < ($5::timestamptz, decode($6, 'hex')))
      order by s.auth_time desc, s.id_hash desc limit $7`,
    values: [
      asked.idleSeconds,
      asked.personId,
      asked.kind,
      asked.search,
      asked.after?.[0] ?? null,
      asked.after?.[1] ?? null,
      asked.limit,
    ],
  });
}

export type EndedSession = { personId: string; authMethodId: string };

/** Ends one session; with `personId` only if it is theirs. */
export async function endSessionRow(
  db: Db,
  id: string,
  personId: string | null,
): Promise<EndedSession | null> {
  const [row] = await db.query<EndedSession>({
    text: `update sessions set ended_at = now()
      where id_hash = decode($1, 'hex') and ended_at is null and ($2::uuid is null or person_id = $2)
      returning person_id as "personId", auth_method_id as "authMethodId"`,
    values: [id, personId],
  });
  return row ?? null;
}

/** Ends a person's sessions of every method, but for one; gives their number. */
export async function endPersonSessions(
  db: Db,
  personId: string,
  except: Uint8Array | null,
): Promise<EndedSession[]> {
  return db.query<EndedSession>({
    text: `update sessions set ended_at = now()
      where person_id = $1 and ended_at is null and expires_at > now() and ($2::bytea is null or id_hash <> $2)
      returning person_id as "personId", auth_method_id as "authMethodId"`,
    values: [personId, except],
  });
}
