// What was typed into the form of an object, as its definition has it. The operation checks it.
import type { z } from 'zod';
import { type FormField, formFields } from '#lib/registry/fields/form-fields.ts';
import { settings } from '#lib/settings/settings.ts';
import { Fields, type Pair } from './fields.ts';
import { readText } from './texts.ts';

/**
 * A field that the form did not have is left out. A field below a choice that was not made counts as empty. `prefix`
 * precedes each name in the form.
 */
export function readForm<Of extends z.ZodObject>(of: Of, typed: Fields, prefix = ''): z.input<Of> {
  const fields = formFields(of);
  const values = fields.map((field) => {
    const name = `${prefix}${field.name}`;
    return [field.name, isAsked(field, fields, typed, prefix) ? read(field, typed, name) : nothing(field)];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function isAsked({ under }: FormField, fields: readonly FormField[], typed: Fields, prefix: string): boolean {
  if (under === undefined || !typed.has(`${prefix}${under.of}`)) return true;
  const above = fields.find(({ name }) => name === under.of);
  return typed.one(`${prefix}${under.of}`) === under.is && (!above || isAsked(above, fields, typed, prefix));
}

/** What an empty field gives. */
const nothing = (field: FormField): unknown =>
  read(field, new Fields(field.kind === 'checkbox' ? [] : [[field.name, '']]), field.name);

function read({ kind, as, optional, isNullable, isText }: FormField, typed: Fields, name: string): unknown {
  const text = typed.one(name).trim();
  if (kind === 'checkbox') return typed.has(name);
  if (kind === 'pairs' && as !== 'json') return typed.pairs(name).map(scopeOf);
  if (as === 'groups') return typed.has(`${name}.name`) ? groupsByName(typed.pairs(name)) : undefined;
  if (kind === 'list')
    return as === 'words' ? (text === '' ? undefined : text.split(/\s+/)) : typed.list(name);
  if (!typed.has(name)) return undefined;
  if (text === '' && isNullable && as !== 'json') return null;
  if (kind === 'number') return text === '' && optional ? undefined : typed.number(name);
  if (isText)
    return readText(
      { first: text, language: typed.one(`${name}.language`), lines: typed.one(`${name}.texts`) },
      defaultLanguage,
    );
  if (as === 'json') return text === '' && kind === 'pairs' ? [] : readJson(text);
  // a password may begin with a space
  return as === 'password' ? typed.one(name) || undefined : text;
}

function scopeOf({ description: first, language = '', texts: lines = '', groups = '', ...rest }: Pair) {
  const description = readText({ first, language, lines }, defaultLanguage);
  return { ...rest, description, ...(groups !== '' && { groups: idsIn(groups) }) };
}

const idsIn = (text: string): string[] => text.split(/[\s,]+/).filter((id) => id !== '');

/** A name that was typed twice has the groups of both rows; none is null. */
function groupsByName(rows: readonly Pair[]): Record<string, string[]> | null {
  const byName = Map.groupBy(rows, (row) => row.name);
  const groups = [...byName].map(([name, all]): [string, string[]] => [
    name,
    [...new Set(all.flatMap((row) => idsIn(row.description)))],
  ]);
  return groups.length === 0 ? null : Object.fromEntries(groups);
}

const defaultLanguage = () => settings().defaultLanguage;

/** Nothing is null; what is no JSON stays a text, which the definition refuses. */
function readJson(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
