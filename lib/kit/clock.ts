// Only this file reads the clock. All instances use database time: each stores its machine’s offset, so a wrong
// machine clock is harmless.
import { log } from './log.ts';
import { processWide } from './process.ts';

/** database time minus machine time, in milliseconds */
const slot = processWide<number>('clock');
/** Ignores smaller offsets, because the round trip may cause them. */
const TOLERANCE_MS = 500;
/** Larger offsets are logged for the operator, once per change. */
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

/** `2026-11-27 22:10 UTC`: time for sentences, minute precision. */
export const utcMinute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
