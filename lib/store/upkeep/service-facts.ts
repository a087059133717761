// What the service has before it, and the last turn of its maintenance.
import { query } from '../database/pool.ts';
import type { Db } from '../database/prisma.ts';
import { sql } from '../database/sql.ts';

export type MaintenanceRun = {
  finishedAt: Date | null;
  deleted: number;
  complete: boolean;
  failedAt: Date | null;
  failure: string | null;
};

const MOST_WORDS = 300;

/** Of any instance; the newest counts. */
export async function noteMaintenance(turn: { deleted: number; complete: boolean }): Promise<void> {
  await query(sql`insert into maintenance_runs (finished_at, deleted, complete)
    values (now(), ${turn.deleted}::int, ${turn.complete}::boolean)
    on conflict (id) do update set finished_at = excluded.finished_at, deleted = excluded.deleted,
      complete = excluded.complete, failed_at = null, failure = null`);
}

/** Keeps when the last one went through. */
export async function noteFailedMaintenance(why: string): Promise<void> {
  await query(sql`insert into maintenance_runs (failed_at, failure) values (now(), ${why.slice(0, MOST_WORDS)})
    on conflict (id) do update set failed_at = excluded.failed_at, failure = excluded.failure`);
}

/** Null: none yet. */
export const selectMaintenance = (db: Db): Promise<MaintenanceRun | null> =>
  db.maintenanceRun.findUnique({ where: { id: 1 }, omit: { id: true } });

export type QueueLengths = {
  /** requests of clients that wait for a decision */
  subscriptions: number;
  /** people who asked for an account, and wait */
  registrations: number;
  /** clients that are still to be told of a sign-out, and the oldest of these */
  logouts: number;
  oldestLogout: Date | null;
  /** events that the webhook has not got, counted to 10,000; and how often in a row it failed. Null: it never ran */
  webhook: { waiting: number; failures: number } | null;
};

const MOST_EVENTS = 10_000;

export async function selectQueueLengths(db: Db): Promise<QueueLengths> {
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
