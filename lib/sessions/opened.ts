// Session cookies that opened lately: iron-session takes more CPU to open one than authorize in all, and a browser
// sends the same cookie with each request. Only what was sealed here is kept, so a forged cookie takes no place.
import { processWide } from '#lib/kit/process-wide.ts';

export type Opened = { until: number; held?: unknown };

/** 3 MB, of cookies with one method each. */
const MOST = 10_000;

const slot = processWide<Map<string, Opened>>('opened session cookies');

/** `name`: a digest of the cookie and its purpose. */
export function openedBefore(name: string): Opened | undefined {
  const opened = slot.value?.get(name);
  if (opened) keepOpened(name, opened);
  return opened;
}

/** Of too many the one that was not asked for longest goes. */
export function keepOpened(name: string, opened: Opened): void {
  slot.value ??= new Map();
  const kept = slot.value;
  kept.delete(name);
  if (kept.size >= MOST) kept.delete(kept.keys().next().value ?? '');
  kept.set(name, opened);
}
