// The only place that reads the clock; tests set it.
let offsetMs = 0;

export function now(): Date {
  return new Date(Date.now() + offsetMs);
}

/** Seconds since 1970. */
export function nowSeconds(): number {
  return Math.floor(now().getTime() / 1000);
}

/** How far tests have moved the clock. */
export function clockShift(): number {
  return offsetMs;
}

/** For tests only: moves this process's clock by so many milliseconds. */
export function shiftClock(ms: number): void {
  offsetMs = ms;
}
