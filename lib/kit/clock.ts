// The only place that reads the clock. All instances go by the database's: each measures how far its own machine is off, so
// that a clock which is minutes wrong makes no token, key or form wrong.
import { processWide } from './process-wide.ts';

const slot = processWide<number>('clock');
/** What a round trip may cost, and no more. */
const TOLERANCE_MS = 500;
let shiftedMs = 0;

export function now(): Date {
  return new Date(Date.now() + (slot.value ?? 0) + shiftedMs);
}

/** What this machine believes. */
export function machineNow(): Date {
  return new Date(Date.now() + shiftedMs);
}

/** Seconds since 1970, as `iat` and `exp` want them (RFC 7519 §2). */
export function nowSeconds(): number {
  return Math.floor(now().getTime() / 1000);
}

/** The database says that it is so late. */
export function followClock(databaseMs: number): void {
  const offset = databaseMs - Date.now();
  if (Math.abs(offset - (slot.value ?? 0)) > TOLERANCE_MS)
    slot.value = Math.abs(offset) > TOLERANCE_MS ? offset : 0;
}

/** For tests only: moves this process's clock by so many milliseconds. */
export function shiftClock(ms: number): void {
  shiftedMs = ms;
}
