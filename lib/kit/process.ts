// State of the process: values that exist once per process, background work, and start and end of the process.

type Slot<Value> = { value?: Value | undefined };

/** Returns the slot with this name: one object that all copies of the module share. At first it is empty. */
export function processWide<Value>(name: string): Slot<Value> {
  const key = Symbol.for(`gatehouse.${name}`);
  if (!Reflect.has(globalThis, key)) Reflect.set(globalThis, key, {});
  return Reflect.get(globalThis, key);
}

// Set during shutdown: /ready fails, but all other requests are still answered.

const stopping = processWide<true>('draining');

export function beginDraining(): void {
  stopping.value = true;
}

export function isDraining(): boolean {
  return stopping.value === true;
}

// Work that continues after the response: mails, calls, audit events. A process waits for this work before it ends or
// sleeps.

// shared by all copies of the module, so that each copy waits for all background work
const running = processWide<Set<Promise<void>>>('background');
const underWay = () => {
  running.value ??= new Set();
  return running.value;
};

/** Registers background work. `work` has already begun, and never rejects. */
export function inBackground(work: Promise<void>): Promise<void> {
  const done = work.finally(() => underWay().delete(done));
  underWay().add(done);
  return done;
}

/**
 * Waits at most `patienceMs` for all background work, including work that starts meanwhile. Returns true if all work
 * has ended.
 */
export async function settleBackground(patienceMs: number): Promise<boolean> {
  const patience = Promise.withResolvers<'over'>();
  const timer = setTimeout(() => patience.resolve('over'), patienceMs);
  let ended: unknown;
  while (underWay().size > 0 && ended !== 'over')
    ended = await Promise.race([Promise.all(underWay()), patience.promise]);
  clearTimeout(timer);
  return underWay().size === 0;
}

// Caches values that are the same for everyone, keyed by their inputs.

/**
 * Creates a cache with this `name`. If there are more than `most` keys, the cache evicts the least recently
 * used key.
 */
export function keepMade<Value>(name: string, most: number): (key: string, make: () => Value) => Value {
  const slot = processWide<Map<string, { made: Value }>>(`kept ${name}`);
  return (key, make) => {
    slot.value ??= new Map();
    const cache = slot.value;
    const entry = cache.get(key) ?? { made: make() };
    cache.delete(key);
    if (cache.size >= most) cache.delete(cache.keys().next().value ?? '');
    cache.set(key, entry);
    return entry.made;
  };
}
