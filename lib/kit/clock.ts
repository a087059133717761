// The only place that reads the clock. All instances use the database's time: each keeps the offset of its own machine,
// so a machine clock that is minutes off does no harm.
import { log } from './log.ts';
import { processWide } from './process.ts';

/** milliseconds that the database is ahead of this machine */
const slot = processWide<number>('clock');
/** Smaller offsets may come from the round trip and are ignored. */
const TOLERANCE_MS = 500;
/** From here on an operator is told, once for each such change. */
const TOLD_MS = 5_000;
let toldMs = 0;
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

/** `2026-11-27 22:10 UTC`: a time in a sentence, to the minute. */
export const utcMinute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
