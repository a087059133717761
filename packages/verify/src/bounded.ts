/** Inserts an entry as newest; evicts the oldest above `most` entries. */
export function setBounded<Value>(map: Map<string, Value>, key: string, value: Value, most = 10_000): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as string);
}

/** Formats a token or request value for a reason: limited length, no control characters. */
export const boundedText = (value: unknown): string => String(JSON.stringify(value)).slice(0, 200);
