// Many small steps of work with room for others between them, where they run beside others.
import { setImmediate } from 'node:timers/promises';

/** Hashing this much takes less than a millisecond. */
const SLICE_BYTES = 65_536;

/** `bytes`: about what one step hashes. */
export async function inSlices(count: number, bytes: number, step: (n: number) => void): Promise<void> {
  const steps = Math.max(1, Math.floor(SLICE_BYTES / bytes));
  for (let n = 0; n < count; n += 1) {
    if (n % steps === steps - 1) await setImmediate();
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
