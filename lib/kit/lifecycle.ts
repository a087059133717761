// Whether this process is shutting down: /ready fails then, and other requests are still answered.
import { processWide } from './process-wide.ts';

const slot = processWide<true>('draining');

export function beginDraining(): void {
  slot.value = true;
}

export function isDraining(): boolean {
  return slot.value === true;
}
