// Reads docs/snippets, code of other programs, and fills in values of a client or an API, quoted for the language.
// Each file is read once. The build includes the files (outputFileTracingIncludes in next.config.mjs).
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type FillValues, fill, type Quotes, type Template, templateOf } from '#lib/kit/fill.ts';
import { ownValue } from '#lib/kit/wire.ts';

/**
 * `for`: a purpose other than sign-in plus API call; the page translates it. `framework`: the developer's choice.
 * `install`: a shell command. `unrun`: tests parse the code, but no test runs it.
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

// Quotes values from users by the rules of each language, because a quote in a URL must not end the string.

/** A JavaScript string in single quotes. */
const js = (value: string): string =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/**
 * A JSON string, which is also valid in Python, Go, C#, Swift and YAML. In Swift `\(` would be special, but JSON
 * never produces it.
 */
const json = (value: string): string => JSON.stringify(value);

/** A Kotlin string: escapes `$`, which starts a variable in a string. */
const kotlin = (value: string): string => json(value).replaceAll('$', '\\$');

/** A PHP string in single quotes: only quotes and backslashes are escaped. */
const php = (value: string): string => `'${value.replaceAll(/['\\]/g, '\\$&')}'`;

const inSingleQuotes = (value: string) => `'${value.replaceAll("'", "'\\''")}'`;
/** A word of a POSIX shell: in single quotes, or unquoted if no character is special. */
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
    // code for nginx.conf has no separate quotes for texts
    text: text ?? plain,
    plain,
    /** a query parameter inside double quotes of a shell; `!` is encoded, because interactive shells expand it */
    query: (value) => encodeURIComponent(value).replaceAll('!', '%21'),
    /** part of a string inside double quotes of a shell */
    double: (value) => value.replaceAll(/["\\$`]/g, '\\$&'),
    /** the middle of a shell word, where `~` is not special */
    word: (value) => (/^[\w@%+=:,./~-]+$/.test(value) ? value : inSingleQuotes(value)),
  };
}

/** An unquoted value: port, origin, address of the gateway. */
function plain(value: string): string {
  if (/[\s\p{Cc}"`$\\;{}<>]/u.test(value)) throw new Error(`${JSON.stringify(value)} needs quotes`);
  return value;
}
