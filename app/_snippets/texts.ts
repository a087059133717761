// Reads docs/snippets, code of other programs, and fills in values of a client or an API, quoted for the language. Each
// file is read once; the files come with the build (outputFileTracingIncludes in next.config.mjs).
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type FillValues, fill, type Quotes, type Template, templateOf } from '#lib/kit/fill.ts';
import { ownValue } from '#lib/kit/wire.ts';

/**
 * `for`: a purpose other than sign-in plus API call, translated by the page. `framework`: the developer's choice.
 * `install`: a shell command. `unrun`: tests parse it, no test runs it.
 */
export type Snippet = {
  label: string;
  for?: 'signed-in-user' | 'application-token';
  framework: string;
  code: string;
  /** file extension, such as `py` */
  language: string;
  install?: string;
  unrun?: true;
};

const FOLDER = path.resolve('docs/snippets');
const templates = new Map<string, Template>();

export function filledSnippet(file: string, values: FillValues): Pick<Snippet, 'code' | 'language'> {
  let template = templates.get(file);
  if (!template) {
    template = templateOf(file, (name) => readFileSync(path.join(FOLDER, name), 'utf8'));
    templates.set(file, template);
  }
  return { code: fill(template, values, quotesFor(file)), language: path.extname(file).slice(1) };
}

// Quotes untrusted values by the rules of each language: a quote in a URL must not end the string.

/** JavaScript, single quotes. */
const js = (value: string): string =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** Python, Go, C#, Swift and YAML read a text as JSON writes it. Swift: JSON never writes `\(`. */
const json = (value: string): string => JSON.stringify(value);

/** Kotlin: `$` starts a name inside a text. */
const kotlin = (value: string): string => json(value).replaceAll('$', '\\$');

/** PHP, single quotes: escapes quotes and backslashes only. */
const php = (value: string): string => `'${value.replaceAll(/['\\]/g, '\\$&')}'`;

const inSingleQuotes = (value: string) => `'${value.replaceAll("'", "'\\''")}'`;
/** POSIX shell: single quotes, or bare if every character is literal. */
const shell = (value: string): string => (/^[\w@%+=:,./-]+$/.test(value) ? value : inSingleQuotes(value));

const TEXTS: Readonly<Record<string, (value: string) => string>> = {
  '.mjs': js,
  '.ts': js,
  '.tsx': js,
  '.vue': js,
  '.py': json,
  '.go': json,
  '.cs': json,
  '.swift': json,
  '.yml': json,
  '.kt': kotlin,
  '.php': php,
  '.sh': shell,
};

function quotesFor(file: string): Quotes {
  const text = ownValue(TEXTS, path.extname(file));
  return {
    // nginx.conf has no places of this kind
    text: text ?? plain,
    plain,
    /** in a query inside shell double quotes; interactive shells expand `!` */
    query: (value) => encodeURIComponent(value).replaceAll('!', '%21'),
    /** inside shell double quotes */
    double: (value) => value.replaceAll(/["\\$`]/g, '\\$&'),
    /** in the middle of a shell word, where a tilde is literal */
    word: (value) => (/^[\w@%+=:,./~-]+$/.test(value) ? value : inSingleQuotes(value)),
  };
}

/** Unquoted: port, origin, gateway address. */
function plain(value: string): string {
  if (/[\s\p{Cc}"`$\\;{}<>]/u.test(value)) throw new Error(`${JSON.stringify(value)} needs quotes`);
  return value;
}
