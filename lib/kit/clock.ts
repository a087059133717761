// The only place that reads the clock; tests set it. Seconds where the wire wants seconds.
let offsetMs = 0;

export function now(): Date {
  return new Date(Date.now() + offsetMs);
}

/** Seconds since 1970, as `iat` and `exp` want them (RFC 7519 §2). */
export function nowSeconds(): number {
  return Math.floor(now().getTime() / 1000);
}

/** For tests only: moves this process's clock by so many milliseconds. */
export function shiftClock(ms: number): void {
  offsetMs = ms;
}
