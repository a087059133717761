// The keys that the configuration file may have at a place, for errors about an unknown one.
import { nearest } from '#lib/kit/nearest.ts';
import { jsonSchema } from './schema.ts';

type Schema = {
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

/** Of the file's own schema. `path`: as zod gives it, such as `['apis', 0]`. */
function keysAt(path: readonly PropertyKey[]): string[] {
  const root = JSON.parse(jsonSchema()) as Schema;
  const places = path.reduce<Schema[]>(
    (found, part) =>
      found.flatMap((schema) => {
        const { properties, items, additionalProperties } = schema;
        const inner = typeof part === 'number' ? items : (properties?.[String(part)] ?? additionalProperties);
        return typeof inner === 'object' ? alternatives(inner) : [];
      }),
    alternatives(root),
  );
  return [...new Set(places.flatMap(({ properties = {} }) => Object.keys(properties)))];
}

const alternatives = (schema: Schema): Schema[] => [
  schema,
  ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap(alternatives),
];

/** `; did you mean access_token_ttl?`, or nothing. */
export function meantKey(path: readonly PropertyKey[], key: string): string {
  // a key of another variant of the object is known, and wrong here
  const keys = keysAt(path);
  const meant = keys.includes(key) ? null : nearest(key, keys);
  return meant === null ? '' : `; did you mean ${meant}?`;
}
