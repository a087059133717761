// State of this process: values that exist once, work in the background, and the start and end of the process.

type Slot<Value> = { value?: Value | undefined };

/** The slot with this name: the same object for every copy of the caller, without a value at first. */
export function processWide<Value>(name: string): Slot<Value> {
  const key = Symbol.for(`gatehouse.${name}`);
  if (!Reflect.has(globalThis, key)) Reflect.set(globalThis, key, {});
  return Reflect.get(globalThis, key);
}

// Whether this process is shutting down: /ready fails then, and other requests are still answered.

const stopping = processWide<true>('draining');

export function beginDraining(): void {
  stopping.value = true;
}

export function isDraining(): boolean {
  return stopping.value === true;
}

// Work that continues after its answer: mails, calls, audit notes. A process waits for it before it ends or sleeps.

// what one copy of the code begins, another one waits for
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

/** Waits for all of it, with what it begins meanwhile, at most this long. Gives whether everything has ended. */
export async function settleBackground(patienceMs: number): Promise<boolean> {
  const patience = Promise.withResolvers<'over'>();
  const timer = setTimeout(() => patience.resolve('over'), patienceMs);
  let ended: unknown;
  while (underWay().size > 0 && ended !== 'over')
    ended = await Promise.race([Promise.all(underWay()), patience.promise]);
  clearTimeout(timer);
  return underWay().size === 0;
}

// Answers that are the same for everybody are made once for what they depend on, and kept.

/** `name`: of what is kept. Of more than `most` keys the one that was not asked for longest goes. */
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
