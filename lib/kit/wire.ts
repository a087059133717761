// Names in JSON for others are snake_case, in the code camelCase; times are ISO 8601. What an object holds of its own,
// such as an audit event's details, stays as it is.

const OWN = new Set(['details', 'config']);

export function toWire(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .map(([key, part]) => [snake(key), OWN.has(key) ? part : toWire(part)]),
  );
}

/** The names of one level; what they hold stays as it is, and a name that is no snake_case stays wrong. */
export function fromWire(body: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([key, part]) => [/[A-Z]/.test(key) ? `${key} ` : camel(key), part]),
  );
}

export const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
