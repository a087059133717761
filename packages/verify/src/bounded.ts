/** Sets an entry as the newest; of more than `most` the oldest goes. */
export function setBounded<Value>(map: Map<string, Value>, key: string, value: Value, most = 10_000): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as string);
}

/** A value of a token or of a request in a reason: bounded, without control characters. */
export const shown = (value: unknown): string => String(JSON.stringify(value)).slice(0, 200);
