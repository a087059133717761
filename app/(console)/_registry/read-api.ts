// The values of an API's form, read as its definition says. The operation checks them.
import { api, formFields, type Unchecked } from '#lib/registry/index.ts';

type Read = { one: (name: string) => string; all: (name: string) => readonly string[] };

export function apiOfForm({ one, all }: Read): Unchecked & { id: string } {
  const descriptions = all('scopeDescription');
  const scopes = all('scopeName')
    .map((name, at) => ({ name: name.trim(), description: (descriptions[at] ?? '').trim() }))
    .filter(({ name, description }) => name !== '' || description !== '');
  const read = {
    text: (name: string) => one(name).trim(),
    choice: one,
    number: (name: string) => (/^\d{1,15}$/.test(one(name).trim()) ? Number(one(name)) : Number.NaN),
    checkbox: (name: string) => all(name).length > 0,
    list: (name: string) => all(name).filter((value) => value.trim() !== ''),
  };
  const values = formFields(api).map(({ name, kind }) => [name, read[kind](name)]);
  return { ...Object.fromEntries(values), id: one('id').trim(), scopes };
}
