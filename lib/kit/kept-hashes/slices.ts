// Many small steps of work on the main thread, with room for others between them.
import { setImmediate } from 'node:timers/promises';

const STEPS = 1_000;

export async function inSlices(count: number, step: (n: number) => void): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    if (n % STEPS === STEPS - 1) await setImmediate();
    step(n);
  }
}

const ITOA64 = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytes with the lowest first, six bits a character, as crypt(3) writes numbers. */
export function crypt64(bytes: readonly number[], length: number): string {
  let value = bytes.reduce((sum, byte, at) => sum + byte * 256 ** at, 0);
  let text = '';
  for (let n = 0; n < length; n += 1) {
    text += ITOA64.charAt(value % 64);
    value = Math.floor(value / 64);
  }
  return text;
}
