// The list of sessions, and the end of sessions, for users and administrators.
import { sessionRow } from '#lib/catalogue/people/definition.ts';
import { isNamed, type PeopleSearch } from '#lib/catalogue/people/rows.ts';
import { equals, list } from './list.ts';
import { type Db, readRow } from './prisma.ts';
import { joinSql, raw, sql } from './sql.ts';
import type { ColdRow } from './statement.ts';

export type SessionFilter = {
  personId: string | null;
  kind: string | null;
  search: PeopleSearch | null;
  idleSeconds: number;
};

/**
 * Finds users first: PostgreSQL estimates that any search matches a third of all users, and would scan every session.
 */
const ofPeople = (search: PeopleSearch) =>
  search.people === null
    ? sql`s.person_id in (select p.id from people p where ${isNamed(search)})`
    : sql`s.person_id = any(${search.people}::uuid[])`;

/** The list of active sessions, the newest first. */
export const SESSIONS = list({
  returns: sessionRow.omit({ current: true }).shape,
  rows: raw(`encode(s.id_hash, 'hex') as id, s.kind, s.person_id as "personId",
    coalesce(p.email, nullif(p.name, ''), p.username, p.id::text) as "personLabel", s.auth_method_id as "authMethodId",
    coalesce(m.name, s.auth_method_id) as "methodName", s.auth_time as "authTime", s.last_seen_at as "lastSeenAt",
    s.ip, s.user_agent as "userAgent", s.name
    from sessions s join people p on p.id = s.person_id left join auth_methods m on m.id = s.auth_method_id`),
  orders: {
    'signed-in': {
      key: [
        ['s.auth_time', 'time'],
        ['s.id_hash', 'hash'],
      ],
      begins: 'desc',
    },
  },
  where: ({ personId, kind, search, idleSeconds }: SessionFilter) => [
    sql`s.ended_at is null and s.expires_at > now() and s.person_epoch = p.epoch
      and s.last_seen_at > now() - make_interval(secs => ${idleSeconds})`,
    equals('s.person_id', personId),
    equals('s.kind', kind),
    search && ofPeople(search),
  ],
});

const ENDED_SESSION = { personId: 'uuid', authMethodId: 'text' } as const;
export type EndedSession = ColdRow<typeof ENDED_SESSION>;

/**
 * Ends a session and its duplicates with the same sid, which a form sent twice creates. `personId`: ends them only if
 * that user owns them.
 */
export async function endSessionRow(
  db: Db,
  id: string,
  personId: string | null,
): Promise<EndedSession | null> {
  const end = () =>
    readRow(db, ENDED_SESSION)`
      update sessions set ended_at = now()
    where ${joinSql([sql`(person_id, sid) in (select person_id, sid from sessions where id_hash = decode(${id}, 'hex'))`, raw('ended_at is null'), equals('person_id', personId)], ' and ')}
    returning person_id as "personId", auth_method_id as "authMethodId"`;
  const endedSession = await end();
  // raising the level of a session replaces its id, so a second run finds a session that was raised during the first
  return (await end()) ?? endedSession;
}

/** Names the device of a session and of sessions with the same sid. Returns false for an unknown session. */
export async function nameSession(
  db: Db,
  { personId, id, name }: { personId: string; id: string; name: string | null },
): Promise<boolean> {
  const call = () =>
    db.$executeRaw(sql`update sessions set name = ${name} where ended_at is null and person_id = ${personId}
      and sid in (select sid from sessions where id_hash = decode(${id}, 'hex') and person_id = ${personId})`);
  const named = await call();
  // raising the level of a session replaces its id, so a second run finds a session that was raised during the first
  return named + (await call()) > 0;
}

/** Ends a user's sessions of every method except one, and returns their number. */
export async function endPersonSessions(
  db: Db,
  personId: string,
  except: Uint8Array | null,
): Promise<number> {
  const end = () =>
    db.$executeRaw(sql`update sessions set ended_at = now() where person_id = ${personId}
    and ended_at is null and expires_at > now() and id_hash is distinct from ${except}::bytea`);
  const ended = await end();
  // raising the level of a session replaces its id, so a second run finds a session that was raised during the first
  return ended + (await end());
}
