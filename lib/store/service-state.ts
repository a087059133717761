// The state of the service: maintenance, queues, readiness.
import { type Db, database } from './prisma.ts';
import { refreshSnapshot, snapshotState, within } from './snapshot.ts';
import { sql } from './sql.ts';
import { statement } from './statement.ts';

// Last maintenance run, and queue lengths.

const MOST_WORDS = 300;

/** Records a run of any instance; the newest run replaces the others. */
export async function noteMaintenance(turn: { deleted: number; complete: boolean }): Promise<void> {
  await database().$executeRaw(sql`insert into maintenance_runs (finished_at, deleted, complete)
    values (now(), ${turn.deleted}::int, ${turn.complete}::boolean)
    on conflict (id) do update set finished_at = excluded.finished_at, deleted = excluded.deleted,
      complete = excluded.complete, failed_at = null, failure = null`);
}

/** Records a failure and keeps the time of the last success. */
export async function noteFailedMaintenance(why: string): Promise<void> {
  await database().$executeRaw(sql`insert into maintenance_runs (failed_at, failure) values (now(), ${why.slice(0, MOST_WORDS)})
    on conflict (id) do update set failed_at = excluded.failed_at, failure = excluded.failure`);
}

/** Returns null if maintenance has never run. */
export const selectMaintenance = (db: Db) =>
  db.maintenanceRun.findUnique({ where: { id: 1 }, omit: { id: true } });

const MOST_EVENTS = 10_000;

/** Lengths of the queues. Counts undelivered webhook events up to MOST_EVENTS. */
export async function selectQueueLengths(db: Db) {
  const [subscriptions, registrations, logouts, oldest, cursor] = await Promise.all([
    db.subscription.count({ where: { state: 'pending' } }),
    db.personRegistration.count({ where: { kind: 'waiting' } }),
    db.logoutDelivery.count(),
    db.logoutDelivery.findFirst({ orderBy: { id: 'asc' }, select: { createdAt: true } }),
    db.webhookCursor.findUnique({ where: { id: 1 } }),
  ]);
  const waiting =
    cursor &&
    (await db.auditEvent.count({ where: { id: { gt: cursor.lastEventId } }, take: MOST_EVENTS + 1 }));
  return {
    subscriptions,
    registrations,
    logouts,
    oldestLogout: oldest?.createdAt ?? null,
    webhook: cursor && { waiting: waiting ?? 0, failures: cursor.failures },
  };
}

// Readiness: the database is reachable, the schema exists, and the registry snapshot is current.

export type Readiness = { database: 'ok' | 'unreachable'; schema: 'ok' | 'missing' | 'unknown' };

const ready = statement({
  name: 'ready',
  takes: {},
  returns: { found: 'boolean' },
  text: () => "select to_regclass('directory_version') is not null as found",
});

export async function isDatabaseReady(): Promise<Readiness> {
  try {
    const [row] = await ready({});
    return { database: 'ok', schema: row?.found ? 'ok' : 'missing' };
  } catch {
    return { database: 'unreachable', schema: 'unknown' };
  }
}

/**
 * `loading`: the first load has not finished. `behind`: the database has had a newer version for longer than a load
 * takes. `failed`: the last load failed.
 */
type RegistryReadiness = 'ok' | 'loading' | 'behind' | 'failed' | 'unknown';

const ASK_MS = 1_000;
const MAY_LAG_MS = 5_000;

/**
 * Queries the current version, and loads the registry if this version is not loaded. Both operations can continue after
 * the response.
 */
export async function isRegistryReady(mayLagMs = MAY_LAG_MS): Promise<RegistryReadiness> {
  await within(
    ASK_MS,
    refreshSnapshot().catch(() => undefined),
    undefined,
  );
  const { known, behindSince, fault } = snapshotState();
  if (fault !== null) return 'failed';
  if (!known) return 'loading';
  return behindSince !== null && performance.now() - behindSince > mayLagMs ? 'behind' : 'ok';
}

/** Returns the complete readiness. If the schema is missing, the snapshot check is skipped. */
export async function readiness(): Promise<Readiness & { snapshot: RegistryReadiness }> {
  const databaseReadiness = await isDatabaseReady();
  return {
    ...databaseReadiness,
    snapshot: databaseReadiness.schema === 'ok' ? await isRegistryReady() : 'unknown',
  };
}
