// Work that continues after its answer: mails, calls, audit notes. A process waits for it before it ends or sleeps.
import { processWide } from './process-wide.ts';

// what one copy of the code begins, another one waits for
const slot = processWide<Set<Promise<void>>>('background');
const underWay = () => {
  slot.value ??= new Set();
  return slot.value;
};

/** `work` has begun, and never rejects. */
export function inBackground(work: Promise<void>): Promise<void> {
  const done = work.finally(() => underWay().delete(done));
  underWay().add(done);
  return done;
}

/** Waits for all of it, with what it begins meanwhile, at most this long. Gives whether everything has ended. */
export async function settleBackground(patienceMs: number): Promise<boolean> {
  const patience = Promise.withResolvers<'over'>();
  const timer = setTimeout(() => patience.resolve('over'), patienceMs);
  let ended: unknown;
  while (underWay().size > 0 && ended !== 'over')
    ended = await Promise.race([Promise.all(underWay()), patience.promise]);
  clearTimeout(timer);
  return underWay().size === 0;
}
