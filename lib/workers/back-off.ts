// How long the supervisor waits before it replaces a worker: not at all for one that served for a while, longer and
// longer for one that ends soon again and again.

const SOON_MS = 10_000;
const FIRST_MS = 100;
const MOST_MS = 30_000;

/** `failures`: how often in a row it ended soon, before and now. */
export function pauseBefore(end: { failures: number; isReady: boolean; livedMs: number }): {
  failures: number;
  pauseMs: number;
} {
  if (end.isReady && end.livedMs >= SOON_MS) return { failures: 0, pauseMs: 0 };
  const failures = end.failures + 1;
  return { failures, pauseMs: Math.min(MOST_MS, FIRST_MS * 2 ** (failures - 1)) };
}
