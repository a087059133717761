/** Puts an entry at the end of a map that holds so many: the one that was not put there for longest goes first. */
export function keepRecent<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  if (map.size >= most) map.delete(map.keys().next().value ?? '');
  map.set(key, value);
}
