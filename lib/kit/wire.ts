// In JSON of the interface, names are in snake_case and times in ISO 8601. The code uses camelCase and Date.
// `details`, `config`, `claims` and texts by language are passed through unchanged, because their names are data.

const UNCHANGED = new Set([
  'details',
  'config',
  'claims',
  'token',
  'name',
  'description',
  'clientName',
  'clientNames',
  'apiName',
  'texts',
  'roles',
]);

export function toWire(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .map(([key, part]) => [snake(key), UNCHANGED.has(key) ? part : toWire(part)]),
  );
}

/**
 * Renames only members at the top level. A name in camelCase gets a trailing space, so that every schema rejects it.
 */
export function fromWire(body: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([key, part]) => [/[A-Z]/.test(key) ? `${key} ` : camel(key), part]),
  );
}

export const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Returns the value of an own property. Text from outside may equal a name that every object inherits, such as
 * `constructor` or `toString`.
 */
export const ownValue = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
