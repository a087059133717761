// What was typed into the form of an object, as its definition has it. The operation checks it.
import type { z } from 'zod';
import { type FormField, formFields } from '#lib/registry/index.ts';
import type { Fields } from './fields.ts';

/** A field that the form did not have is left out. `prefix` stands before each name in the form. */
export function readForm<Of extends z.ZodObject>(of: Of, typed: Fields, prefix = ''): z.input<Of> {
  const values = formFields(of).map((field) => [field.name, read(field, typed, `${prefix}${field.name}`)]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function read({ kind, as, optional }: FormField, typed: Fields, name: string): unknown {
  const text = typed.one(name).trim();
  if (kind === 'checkbox') return typed.has(name);
  if (kind === 'pairs' && as !== 'json') return typed.pairs(name);
  if (kind === 'list')
    return as === 'words' ? (text === '' ? undefined : text.split(/\s+/)) : typed.list(name);
  if (!typed.has(name)) return undefined;
  if (kind === 'number') return text === '' && optional ? undefined : typed.number(name);
  if (as === 'json') return text === '' && kind === 'pairs' ? [] : readJson(text);
  // a password may begin with a space
  return as === 'password' ? typed.one(name) || undefined : text;
}

/** Nothing is null; what is no JSON stays a text, which the definition refuses. */
function readJson(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
