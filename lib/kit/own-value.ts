/**
 * The value of a table's own name. Every object inherits names (`constructor`, `toString`) that a text from outside may
 * ask for.
 */
export const ownValue = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
