// The only place that reads the clock. All instances use the database's time: each keeps the offset of its own machine,
// so a machine clock that is minutes off does no harm.
import { processWide } from './process-wide.ts';

/** milliseconds that the database is ahead of this machine */
const slot = processWide<number>('clock');
/** Smaller offsets may come from the round trip and are ignored. */
const TOLERANCE_MS = 500;
let shiftedMs = 0;

export function now(): Date {
  return new Date(Date.now() + (slot.value ?? 0) + shiftedMs);
}

/** The time of this machine's own clock. */
export function machineNow(): Date {
  return new Date(Date.now() + shiftedMs);
}

/** Seconds since 1970, for `iat` and `exp` (RFC 7519 §2). */
export function nowSeconds(): number {
  return Math.floor(now().getTime() / 1000);
}

/** Sets the offset from the database's time, in milliseconds since 1970. */
export function followClock(databaseMs: number): void {
  const offset = databaseMs - Date.now();
  if (Math.abs(offset - (slot.value ?? 0)) > TOLERANCE_MS)
    slot.value = Math.abs(offset) > TOLERANCE_MS ? offset : 0;
}

/** For tests: moves this process's clock. */
export function shiftClock(ms: number): void {
  shiftedMs = ms;
}
