// The keys of the configuration file, as rows of docs/reference/configuration.md: from gatehouse.schema.json, which follows from
// the definitions.
import { jsonSchema } from '#lib/config/schema.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const propertiesOf = (value: unknown): Json => (isObject(value) ? value : {});

/** Returns the schema objects of a section: one per type of sign-in method for methods, otherwise a single one. */
function entriesOf(section: string): Json[] {
  const schema: unknown = JSON.parse(jsonSchema());
  const listed = propertiesOf(isObject(schema) && schema['properties'])[section];
  const items = listOf(isObject(listed) && listed['anyOf']).find((one) => one['type'] === 'array')?.['items'];
  if (!isObject(items)) throw new Error(`the file has no section ${section}`);
  return Array.isArray(items['oneOf']) ? listOf(items['oneOf']) : [items];
}

/** Formats names of keys and values as code. */
const asCode = (text: string, values: readonly string[]) =>
  text
    .replaceAll(
      /(?<![`\w{])(?:[a-z]+(?:_[a-z]+)+|\{[^}]*\}(?:\/[\w/]+)?|\[[a-z]+\]|\*\.[\w.]+)(?![`\w])/g,
      '`$&`',
    )
    .replaceAll(/(?<![`\w-])([a-z0-9.-]+)(?=:| or | and |, |;|$)/g, (word) =>
      values.includes(word) ? `\`${word}\`` : word,
    );

function defaultOf(key: string, field: Json, required: unknown): string {
  if (Array.isArray(required) && required.includes(key)) return 'required';
  const value = field['default'];
  return value === undefined || value === '' ? '' : `\`${String(value)}\``;
}

function valuesOf(field: Json): string[] {
  const all = [field, ...listOf(field['anyOf'])].flatMap((one) =>
    Array.isArray(one['enum']) ? one['enum'] : [],
  );
  return all.filter((value) => typeof value === 'string' && value !== '');
}

function meaningOf(section: string, key: string, field: Json): string {
  const { description } = field;
  if (typeof description !== 'string' || description === '')
    throw new Error(`${section}: ${key} has no description: add .describe(…) to its definition`);
  const values = valuesOf(field);
  const unnamed = values.filter((value) => !description.includes(value));
  const choices = unnamed.length > 0 ? ` (${unnamed.map((value) => `\`${value}\``).join(', ')})` : '';
  return `${asCode(description, values)}${choices}`;
}

/**
 * Returns rows with key, meaning and default. The rows of methods also contain the kinds of methods that have the
 * key.
 */
export function fileKeys(section: string): string[][] {
  const entries = entriesOf(section);
  const rows = new Map<string, { kinds: string[]; meaning: string; unset: string }>();
  for (const entry of entries) {
    const fields = propertiesOf(entry['properties']);
    const kind = propertiesOf(fields['type'])['const'];
    for (const [key, field] of Object.entries(fields)) {
      // `_env` keys are listed together with the key of the value
      if (key.endsWith('_env') || !isObject(field)) continue;
      const meaning = meaningOf(section, key, field);
      const unset = defaultOf(key, field, entry['required']);
      const shown = `${key in fields && `${key}_env` in fields ? `\`${key}\`, \`${key}_env\`` : `\`${key}\``}`;
      const row = rows.get(shown) ?? { kinds: [], meaning, unset };
      if (row.meaning !== meaning)
        throw new Error(`${section}: ${key} means two things: give both kinds one .describe(…)`);
      rows.set(shown, { ...row, kinds: [...row.kinds, String(kind)] });
    }
  }
  const inAll = (kinds: string[]) => kinds.length === entries.length;
  return [...rows].map(([key, { kinds, meaning, unset }]) =>
    entries.length > 1
      ? [key, inAll(kinds) ? 'all' : kinds.join(', '), meaning, unset]
      : [key, meaning, unset],
  );
}
