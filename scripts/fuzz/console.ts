// Tests every page and form of the console with hostile values in each path segment, query parameter and field. Names
// come from the source code, so new ones are included automatically.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { api } from '#lib/catalogue/apis/definition.ts';
import { newClient } from '#lib/catalogue/clients/definition.ts';
import { authMethod } from '#lib/catalogue/methods/definition.ts';
import { METHOD_KINDS } from '#lib/catalogue/methods/kinds.ts';
import { person } from '#lib/catalogue/people/definition.ts';
import { formFields } from '#lib/registry/definition.ts';
import { HOSTILE_TEXTS } from './hostile.ts';

export type Attempt = {
  /** address with its query */
  address: string;
  /** form fields; `null`: page request */
  fields: [string, string][] | null;
  form: string;
  place: string;
  unstorable: boolean;
};

/** pattern `/admin/apis/[apiId]`, and the requested address `/admin/apis/orders` */
type ConsolePage = { pattern: string; address: string };
type Console = {
  pages: readonly ConsolePage[];
  forms: Record<string, Record<string, unknown>>;
  quick: boolean;
};

const APP = path.resolve(import.meta.dirname, '../../app');
/** Length of a value that exceeds the limit of a header. */
const TOO_LONG = 500;

function namesIn(...patterns: RegExp[]): string[] {
  const files = readdirSync(APP, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  const names = files.flatMap((file) => {
    const text = readFileSync(path.join(APP, file), 'utf8');
    return patterns.flatMap((pattern) =>
      [...text.matchAll(pattern)].flatMap((match) => listNames(match[1] ?? '')),
    );
  });
  return [...new Set(names)];
}

/** Returns the names in texts such as `search = '', cursor` or `'event', 'actor'`. */
const listNames = (text: string) => text.split(',').flatMap((part) => /^\s*'?(\w+)'?/.exec(part)?.[1] ?? []);

export const queryNames = () =>
  namesIn(
    /query\['(\w+)'\]/g,
    /const \{([^}]+)\} = query;/g,
    /const FILTERS = \[([^\]]+)\]/g,
    /\bquery\.(\w+)/g,
  );
export const fieldNames = () => [
  ...new Set([
    ...namesIn(/fields\.\w+\('(\w+)'\)/g, /\bname="([a-z]\w*)"/g, /\b(?:one|all|list|number)\('(\w+)'\)/g),
    ...[api, newClient, person, authMethod].flatMap((object) => definedNames(object)),
    ...METHOD_KINDS.flatMap(({ config }) => definedNames(config, 'config.')),
  ]),
];

/** Field names of forms generated from a definition. */
const definedNames = (object: z.ZodObject, prefix = '') =>
  formFields(object).flatMap(({ name, kind }) =>
    kind === 'pairs' ? [`${name}.name`, `${name}.description`] : [`${prefix}${name}`],
  );

export function* hostileConsole({ pages, forms, quick }: Console): Generator<Attempt> {
  const texts = HOSTILE_TEXTS.filter((one) => !quick || one.quick);
  const names = queryNames();
  for (const { pattern, address } of pages) {
    const parts = pattern.split('/');
    const real = address.split('?')[0]?.split('/') ?? [];
    for (const { name, value, unstorable = false, quick: often } of texts) {
      const text = String(value);
      const page = (to: string, what: string): Attempt => ({
        address: to,
        fields: null,
        form: '',
        place: `${pattern} ${what}: ${name}`,
        unstorable,
      });
      for (const [at, part] of parts.entries()) {
        if (!part.startsWith('[') || text === '') continue;
        yield page(real.with(at, encodeURIComponent(text)).join('/'), part);
      }
      const query = (asked: readonly string[]) =>
        `${real.join('/')}?${new URLSearchParams(asked.map((one) => [one, text]))}`;
      if (text.length < TOO_LONG) yield page(query(names), 'every name');
      // each parameter is tested separately, because the first invalid parameter hides faults of the others
      for (const one of quick || !often ? ['cursor', 'search'] : names) yield page(query([one]), one);
    }
  }
  const fields = fieldNames().filter((name) => name !== 'anti_forgery');
  for (const [area, table] of Object.entries(forms)) {
    for (const form of Object.keys(table)) {
      for (const { name, value, unstorable = false, quick: often } of texts) {
        const filled = fields.map((field): [string, string] => [field, String(value)]);
        const attempt = { address: `/${area}/submit/${form}`, form, unstorable };
        // all fields together can exceed the form's size limit
        const short = String(value).length < TOO_LONG;
        if (short) yield { ...attempt, fields: filled, place: `${area}/${form} every field: ${name}` };
        if (quick || !often) continue;
        for (const one of filled)
          yield { ...attempt, fields: [one], place: `${area}/${form} ${one[0]}: ${name}` };
      }
    }
  }
}

/** Describes a wrong response. `null`: correct. */
export function faultOfPage({ unstorable }: Attempt, status: number, text: string): string | null {
  if (status >= 500 || status === 0) return `status ${status}`;
  if (unstorable && status < 400) return `status ${status} to what can not be stored`;
  return /<script>alert|<img src=x/i.test(text) ? 'something reflected unescaped' : null;
}
