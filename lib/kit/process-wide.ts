// What must exist once a process: Next bundles a copy of the core of its own, so a module's variable may exist twice.

type Slot<Value> = { value?: Value | undefined };

/** The place of that name, the same for every copy of the caller; empty until somebody fills it. */
export function processWide<Value>(name: string): Slot<Value> {
  const all = globalThis as unknown as Record<symbol, Slot<Value> | undefined>;
  const key = Symbol.for(`gatehouse.${name}`);
  all[key] ??= {};
  return all[key];
}
