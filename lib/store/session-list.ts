// The console's own sessions, and what people see and end of every session. The cookie's id is hashed before it gets here.
import type { Role } from '#lib/registry/index.ts';
import { contains, equals, list } from './list.ts';
import { query } from './pool.ts';
import { joined, raw, sql } from './sql.ts';
import type { Db } from './transaction.ts';

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

export type SessionFilter = {
  personId: string | null;
  kind: string | null;
  search: string | null;
  idleSeconds: number;
};

/** Living sessions, the newest first. */
export const SESSIONS = list<SessionRow, SessionFilter>({
  rows: raw(`encode(s.id_hash, 'hex') as id, s.kind, s.person_id as "personId",
    coalesce(p.email, nullif(p.name, ''), p.id::text) as "personLabel", s.auth_method_id as "authMethodId",
    coalesce(m.name, s.auth_method_id) as "methodName", s.auth_time as "authTime", s.last_seen_at as "lastSeenAt",
    s.ip, s.user_agent as "userAgent"
    from sessions s join people p on p.id = s.person_id left join auth_methods m on m.id = s.auth_method_id`),
  key: [
    ['s.auth_time', 'time'],
    ['s.id_hash', 'hash'],
  ],
  order: 'desc',
  where: ({ personId, kind, search, idleSeconds }) => {
    const named = contains(search, `coalesce(email, '')`, 'lower(name)');
    return [
      sql`s.ended_at is null and s.expires_at > now() and s.person_epoch = p.epoch
        and s.last_seen_at > now() - make_interval(secs => ${idleSeconds})`,
      equals('s.person_id', personId),
      equals('s.kind', kind),
      named && sql`s.person_id in (select id from people where ${named})`,
    ];
  },
});

export type EndedSession = { personId: string; authMethodId: string };

/** Ends one session; with `personId` only if it is theirs. */
export function endSessionRow(db: Db, id: string, personId: string | null): Promise<EndedSession | null> {
  const where = joined(
    [sql`id_hash = decode(${id}, 'hex') and ended_at is null`, equals('person_id', personId)],
    ' and ',
  );
  return db.one(sql`update sessions set ended_at = now() where ${where}
    returning person_id as "personId", auth_method_id as "authMethodId"`);
}

/** Ends a person's sessions of every method, but for one; gives their number. */
export async function endPersonSessions(
  db: Db,
  personId: string,
  except: Uint8Array | null,
): Promise<number> {
  const ended = await db.query(sql`update sessions set ended_at = now() where person_id = ${personId}
    and ended_at is null and expires_at > now() and id_hash is distinct from ${except}::bytea returning 1`);
  return ended.length;
}
