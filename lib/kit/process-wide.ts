// State that must exist once in a process. Next bundles its own copy of lib/, so a variable of a module may exist
// twice.

type Slot<Value> = { value?: Value | undefined };

/** The slot with this name: the same object for every copy of the caller, without a value at first. */
export function processWide<Value>(name: string): Slot<Value> {
  const key = Symbol.for(`gatehouse.${name}`);
  if (!Reflect.has(globalThis, key)) Reflect.set(globalThis, key, {});
  return Reflect.get(globalThis, key);
}
