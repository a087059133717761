// Is this process on its way out? Then it says so at /ready, and still answers whoever has not heard.
const SLOT = Symbol.for('gatehouse.draining');
const slot = globalThis as unknown as { [SLOT]?: true };

export function beginDraining(): void {
  slot[SLOT] = true;
}

export function isDraining(): boolean {
  return slot[SLOT] === true;
}
