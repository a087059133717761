// Process state: process-wide values, background work, start and end of the process.

type Slot<Value> = { value?: Value | undefined };

/** Returns the named slot: one object shared by all copies of the module, initially empty. */
export function processWide<Value>(name: string): Slot<Value> {
  const key = Symbol.for(`gatehouse.${name}`);
  if (!Reflect.has(globalThis, key)) Reflect.set(globalThis, key, {});
  return Reflect.get(globalThis, key);
}

// Shutdown flag: /ready fails, other requests are still answered.

const stopping = processWide<true>('draining');

export function beginDraining(): void {
  stopping.value = true;
}

export function isDraining(): boolean {
  return stopping.value === true;
}

// Work that continues after the response: mails, calls, audit events. A process waits for this work before it ends or
// sleeps.

// shared by all module copies: each copy waits for all background work
const running = processWide<Set<Promise<void>>>('background');
const underWay = () => {
  running.value ??= new Set();
  return running.value;
};

/** `work` has begun, and never rejects. */
export function inBackground(work: Promise<void>): Promise<void> {
  const done = work.finally(() => underWay().delete(done));
  underWay().add(done);
  return done;
}

/** Waits at most `patienceMs` for all background work, including new work. Returns whether all work ended. */
export async function settleBackground(patienceMs: number): Promise<boolean> {
  const patience = Promise.withResolvers<'over'>();
  const timer = setTimeout(() => patience.resolve('over'), patienceMs);
  let ended: unknown;
  while (underWay().size > 0 && ended !== 'over')
    ended = await Promise.race([Promise.all(underWay()), patience.promise]);
  clearTimeout(timer);
  return underWay().size === 0;
}

// Caches values that are equal for everyone, keyed by their inputs.

/** `name`: cache name. Beyond `most` keys, the least recently used one is evicted. */
export function keepMade<Value>(name: string, most: number): (key: string, make: () => Value) => Value {
  const slot = processWide<Map<string, { made: Value }>>(`kept ${name}`);
  return (key, make) => {
    slot.value ??= new Map();
    const kept = slot.value;
    const found = kept.get(key) ?? { made: make() };
    kept.delete(key);
    if (kept.size >= most) kept.delete(kept.keys().next().value ?? '');
    kept.set(key, found);
    return found.made;
  };
}
