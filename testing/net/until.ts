import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until `ask` returns true. Returns false if this takes longer than `seconds`. */
export async function until(
  ask: () => boolean | Promise<boolean>,
  { seconds = 30, everyMs = 20 } = {},
): Promise<boolean> {
  const deadline = performance.now() + seconds * 1_000;
  while (!(await ask())) {
    if (performance.now() > deadline) return false;
    await sleep(everyMs);
  }
  return true;
}
