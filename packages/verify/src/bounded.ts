/** Sets an entry as the newest; of more than `most` the oldest goes. */
export function setBounded<Value>(map: Map<string, Value>, key: string, value: Value, most = 10_000): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as string);
}
