// Only this file reads the clock. All instances use the time of the database: each stores the offset of its machine,
// so a wrong clock of a machine does no harm.
import { log } from './log.ts';
import { processWide } from './process.ts';

/** offset in milliseconds: the time of the database minus the time of this machine */
const slot = processWide<number>('clock');
/** An offset of at most this many milliseconds is ignored, because the round trip may cause it. */
const TOLERANCE_MS = 500;
/** An offset of more than this many milliseconds is logged for the operator, once per change of the offset. */
const TOLD_MS = 5_000;
let toldMs = 0;
let shiftedMs = 0;

export function now(): Date {
  return new Date(Date.now() + (slot.value ?? 0) + shiftedMs);
}

/** Current time of this machine's clock. */
export function machineNow(): Date {
  return new Date(Date.now() + shiftedMs);
}

/** Seconds since 1970, for `iat` and `exp` (RFC 7519 §2). */
export function nowSeconds(): number {
  return Math.floor(now().getTime() / 1000);
}

/** Sets the offset of this machine. `databaseMs`: the database's time in milliseconds since 1970. */
export function followClock(databaseMs: number): void {
  const offset = databaseMs - Date.now();
  if (Math.abs(offset - (slot.value ?? 0)) > TOLERANCE_MS)
    slot.value = Math.abs(offset) > TOLERANCE_MS ? offset : 0;
  if (Math.abs(offset - toldMs) <= TOLD_MS) return;
  toldMs = Math.abs(offset) > TOLD_MS ? offset : 0;
  if (toldMs === 0) return;
  const seconds = Math.round(Math.abs(offset) / 1_000);
  log().warn(
    `the clock of this machine is ${seconds} s ${offset < 0 ? 'ahead of' : 'behind'} the database's, by which the service goes`,
  );
}

/** For tests: moves this process's clock. */
export function shiftClock(ms: number): void {
  shiftedMs = ms;
}

/** Returns the time in UTC for sentences, with the precision of a minute: `2026-11-27 22:10 UTC`. */
export const utcMinute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
