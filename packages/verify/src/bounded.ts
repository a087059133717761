/** Inserts the entry as newest. If the map has more than `most` entries, evicts the oldest. */
export function setBounded<Value>(map: Map<string, Value>, key: string, value: Value, most = 10_000): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as string);
}

/** Formats a value from a token or request for an error reason: limited in length, without control characters. */
export const boundedText = (value: unknown): string => String(JSON.stringify(value)).slice(0, 200);
