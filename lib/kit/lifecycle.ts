// Is this process on its way out? Then it says so at /ready, and still answers whoever has not heard.
import { processWide } from './process-wide.ts';

const slot = processWide<true>('draining');

export function beginDraining(): void {
  slot.value = true;
}

export function isDraining(): boolean {
  return slot.value === true;
}
