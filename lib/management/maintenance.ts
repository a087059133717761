// What a running service does for itself: deletes what has ended, rotates keys that are due, seals anew what an older
// GATEHOUSE_SECRET sealed. Safe on every instance at the same time; a failure is logged and tried again at the next turn.
import { deliverEvents, startWebhook } from '#lib/audit/index.ts';
import { rotateDueKeys } from '#lib/keys/index.ts';
import { log } from '#lib/kit/index.ts';
import { deleteExpired } from '#lib/store/index.ts';
import { resealStored } from './reseal.ts';

const EVERY_MS = 10 * 60_000;

/** One turn; gives how many rows it deleted, by table. */
export async function maintain(): Promise<Record<string, number>> {
  await resealStored();
  await rotateDueKeys();
  const deleted = await deleteExpired();
  // where no process lasts, this is the webhook's only turn
  await deliverEvents();
  log().debug({ deleted }, 'maintenance done');
  return deleted;
}

/** Starts the service's own timer, with a first turn at once; gives the way to stop it. */
export function startMaintenance(): () => void {
  const turn = () => {
    maintain().catch((error: Error) => {
      log().warn({ reason: error.message }, 'maintenance failed; it will be tried again');
    });
  };
  turn();
  const timer = setInterval(turn, EVERY_MS);
  timer.unref();
  const stopWebhook = startWebhook();
  return () => {
    clearInterval(timer);
    stopWebhook();
  };
}
