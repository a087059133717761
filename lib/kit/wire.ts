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

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
export type FromWire<Body> = {
  [Key in keyof Body as Key extends string ? Camel<Key> : never]: Body[Key];
};

/** The names of one level; what they hold stays as it is. */
export function fromWire<Body extends object>(body: Body): FromWire<Body> {
  return Object.fromEntries(Object.entries(body).map(([key, part]) => [camel(key), part])) as FromWire<Body>;
}

export const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
