// Answers that are the same for everybody are made once for what they depend on, and kept.
import { processWide } from './process-wide.ts';

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
