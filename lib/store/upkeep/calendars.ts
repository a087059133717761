// Addresses at which calendar programs read what expires. Only the hash of an address's last part is kept.
import type { Role } from '#lib/registry/index.ts';
import { type Db, first, query, sql } from '../database/index.ts';
import type { ChecklistName } from './checklists.ts';

export type CalendarRow = { list: ChecklistName; createdAt: Date; lastReadAt: Date | null };

export async function selectCalendars(db: Db, personId: string): Promise<CalendarRow[]> {
  const rows = await db.calendar.findMany({
    where: { personId },
    select: { list: true, createdAt: true, lastReadAt: true },
    orderBy: { list: 'asc' },
  });
  return rows as CalendarRow[];
}

/** In the place of the one before, which ends with this statement. True: there was one. */
export async function replaceCalendar(
  db: Db,
  { personId, list, tokenHash }: { personId: string; list: ChecklistName; tokenHash: Uint8Array },
): Promise<boolean> {
  const row = await first<{ replaced: boolean }>(
    db.$queryRaw(sql`insert into calendars (token_hash, person_id, list)
      values (${Buffer.from(tokenHash)}, ${personId}::uuid, ${list})
      on conflict (person_id, list) do update
        set token_hash = excluded.token_hash, created_at = excluded.created_at, last_read_at = null
      returning xmax <> 0 as replaced`),
  );
  return row?.replaced ?? false;
}

export async function deleteCalendar(db: Db, personId: string, list: ChecklistName): Promise<boolean> {
  return (await db.calendar.deleteMany({ where: { personId, list } })).count > 0;
}

export type CalendarOwner = { personId: string; list: ChecklistName; roles: Role[]; disabled: boolean };

/** Whose it is, with the roles that they have now; null: there is none of this hash. */
export async function findCalendar(tokenHash: Uint8Array): Promise<CalendarOwner | null> {
  const [row] = await query<CalendarOwner>(sql`select k.person_id as "personId", k.list, p.roles,
      p.disabled_at is not null as disabled
    from calendars k join people p on p.id = k.person_id where k.token_hash = ${Buffer.from(tokenHash)}`);
  return row ?? null;
}

/** Writes at most once an hour. */
export async function noteCalendarRead(tokenHash: Uint8Array): Promise<void> {
  await query(sql`update calendars set last_read_at = now() where token_hash = ${Buffer.from(tokenHash)}
    and (last_read_at is null or last_read_at < now() - interval '1 hour')`);
}
