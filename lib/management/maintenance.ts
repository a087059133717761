// What a running service does for itself: deletes expired rows, rotates keys that are due, reseals values of an older
// GATEHOUSE_SECRET, asks directories about people who are signed in, sends mails about requests. Safe on every instance
// at the same time; a failure is logged and tried again at the next turn.
import { deliverEvents, startWebhook } from '#lib/audit/webhook.ts';
import { recheckPeople, startRechecks } from '#lib/auth-methods/recheck.ts';
import { rotateDueKeys } from '#lib/keys/keys.ts';
import { log } from '#lib/kit/log.ts';
import { sendRequestMails, startRequestMails } from '#lib/mail/request-mails.ts';
import { settings } from '#lib/settings/settings.ts';
import { deleteExpired, type Swept } from '#lib/store/cleanup.ts';
import { noteFailedMaintenance, noteMaintenance } from '#lib/store/service-state.ts';
import { resealStored } from './reseal.ts';

const EVERY_MS = 10 * 60_000;
/** For deleting in one turn; a scheduler's request has a minute in all. */
const DELETING_MS = 30_000;
/** For asking directories about their people, in the same minute. */
const RECHECKING_MS = 15_000;

/** One turn; returns the deleted rows by table, and whether none is left. `rest`: of `deleteExpired`. */
export async function maintain(rest = restAfter(0)): Promise<Swept> {
  try {
    const swept = await turnOnce(rest);
    const deleted = Object.values(swept.deleted).reduce((sum, rows) => sum + rows, 0);
    await noteMaintenance({ deleted, complete: swept.done });
    return swept;
  } catch (error) {
    // where it is the database that is away, this fails too
    await noteFailedMaintenance((error as Error).message).catch(() => {});
    throw error;
  }
}

async function turnOnce(rest: number): Promise<Swept> {
  await resealStored();
  await rotateDueKeys();
  const swept = await deleteExpired({ budgetMs: DELETING_MS, rest });
  // without lasting processes only this call delivers events, sends mails and asks directories
  await deliverEvents();
  await sendRequestMails();
  if (!settings().lasting) await recheckPeople(RECHECKING_MS);
  log().debug(swept, 'maintenance done');
  return swept;
}

/**
 * How long to rest between two batches, after so many turns of half a minute that were not enough. Refreshes come
 * first, but not for ever: what is written faster than it is deleted would fill the disk.
 */
const restAfter = (turns: number): number => (turns < 20 ? 3 : turns < 120 ? 1 : 0);

/** Starts the timer with a first turn at once; returns a function that stops it. */
export function startMaintenance(): () => void {
  let stopped = false;
  let busy = false;
  const turn = async () => {
    if (busy) return;
    busy = true;
    try {
      // continues until everything that has ended is deleted
      for (let turns = 0; !stopped; turns += 1) if ((await maintain(restAfter(turns))).done) break;
    } catch (error) {
      log().warn({ reason: (error as Error).message }, 'maintenance failed; it will be tried again');
    } finally {
      busy = false;
    }
  };
  void turn();
  const timer = setInterval(() => void turn(), EVERY_MS);
  timer.unref();
  const stops = [startWebhook(), startRechecks(), startRequestMails()];
  return () => {
    stopped = true;
    clearInterval(timer);
    for (const stop of stops) stop();
  };
}
