// Reads a posted form as text, with every value of each name in order (application/x-www-form-urlencoded, or
// multipart/form-data if the form accepts a file). Parses the form of an object according to the object's definition.
import type { z } from 'zod';
import { BODY_LIMIT_BYTES, type HttpRequest } from '#lib/http/message.ts';
import { readText, UnreadableParams } from '#lib/http/params.ts';
import { findUnstorable } from '#lib/kit/text.ts';
import { MAX_LOGO_BYTES } from '#lib/registry/brand.ts';
import { type FormField, formFields } from '#lib/registry/definition.ts';
import { settings } from '#lib/settings/settings.ts';
import { readText as readTypedText } from './typed-texts.ts';

/**
 * Maximum number of fields, enough for an API with the maximum number of scopes. The limit of the body's length also
 * applies.
 */
const MAX_FIELDS = 4000;
/** Maximum number of parts in an upload form. */
const MAX_PARTS = 100;

/**
 * A row of fields. `language` and `texts`: description in several languages. `required_acr` and `groups`:
 * requirements of a scope.
 */
export type Pair = {
  name: string;
  description: string;
  language?: string;
  texts?: string;
  required_acr?: string;
  groups?: string;
};

const MORE = ['language', 'texts', 'required_acr', 'groups'] as const;

export class Fields {
  readonly entries: readonly (readonly [string, string])[];
  /**
   * uploaded files by field name; always empty for a form that is displayed again, because a draft keeps only texts
   */
  readonly files: ReadonlyMap<string, Buffer>;
  constructor(
    entries: readonly (readonly [string, string])[],
    files: ReadonlyMap<string, Buffer> = new Map(),
  ) {
    this.entries = entries;
    this.files = files;
  }

  /** First value; empty if missing. */
  one(name: string): string {
    return this.entries.find(([key]) => key === name)?.[1] ?? '';
  }

  /** Returns the first value; undefined if it is empty or contains only white space. */
  text(name: string): string | undefined {
    return this.one(name).trim() || undefined;
  }

  has(name: string): boolean {
    return this.entries.some(([key]) => key === name);
  }

  /** Returns every value, including empty values, because the nth values of two names form a pair. */
  all(name: string): string[] {
    return this.entries.filter(([key]) => key === name).map(([, value]) => value);
  }

  /** The non-empty values, trimmed. */
  list(name: string): string[] {
    return this.all(name)
      .map((value) => value.trim())
      .filter((value) => value !== '');
  }

  /** Returns the rows of `<name>.name`, `.description` and further fields, trimmed; empty rows are omitted. */
  pairs(name: string): Pair[] {
    const [descriptions = [], ...rest] = ['description', ...MORE].map((part) => this.all(`${name}.${part}`));
    return this.all(`${name}.name`)
      .map((line, at) => ({
        name: line.trim(),
        description: (descriptions[at] ?? '').trim(),
        ...Object.fromEntries(
          MORE.map((part, of) => [part, rest[of]?.[at]?.trim()]).filter(([, value]) => value),
        ),
      }))
      .filter(
        (pair) =>
          pair.name !== '' ||
          pair.description !== '' ||
          pair.texts !== undefined ||
          pair.groups !== undefined,
      );
  }

  /** A whole number, or NaN. */
  number(name: string): number {
    const value = this.one(name).trim();
    return /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  }
}

/**
 * Returns null if the body is not a form. `isOurs`: checks the anti-forgery token in the first field of an
 * upload form. Returns 'forged' if the token is invalid.
 */
export async function readFields(
  request: HttpRequest,
  isOurs: ((token: string) => Promise<boolean>) | null = null,
): Promise<Fields | 'forged' | null> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (isOurs && type === 'multipart/form-data') return readMultipart(request, isOurs);
  if (type !== 'application/x-www-form-urlencoded') return null;
  return checkEntries([...new URLSearchParams(await readText(request))]);
}

function checkEntries(entries: [string, string][], files?: ReadonlyMap<string, Buffer>): Fields {
  if (entries.length > MAX_FIELDS) throw new UnreadableParams(`more than ${MAX_FIELDS} fields`, 413);
  // browsers send no NUL for typed text, so a program sent this body
  if (findUnstorable(entries)) throw new UnreadableParams('a field contains a NUL character');
  return new Fields(entries, files);
}

/** Limit of the file plus the limit of the other fields. */
const UPLOAD_BYTES = MAX_LOGO_BYTES + BODY_LIMIT_BYTES;

/**
 * Matches the only allowed form: exactly one parameter, a valid boundary (RFC 2046 §5.1.1), so that every
 * parser finds the same boundary.
 */
const MULTIPART =
  /^multipart\/form-data[ \t]*;[ \t]*boundary=(?:"([\w'()+,./:=?-]{1,70})"|([\w'+.-]{1,70}))[ \t]*$/i;

const NO_MULTIPART = 'the body is not multipart/form-data';

/** Throws UnreadableParams if the header has no boundary, several boundaries, or an unusual spelling. */
function boundaryOf({ headers }: HttpRequest): string {
  const [, quoted, token] = MULTIPART.exec(headers['content-type'] ?? '') ?? [];
  const boundary = quoted ?? token;
  if (boundary === undefined) throw new UnreadableParams(NO_MULTIPART);
  return boundary;
}

/** Number of part delimiters in the body, excluding the last. */
function parts(body: Buffer, boundary: string): number {
  const delimiter = `--${boundary}`;
  let count = -1;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length))
    count += 1;
  return count;
}

/** Number of bytes that contain the first part: more than any token together with the headers of its part. */
const FIRST_PART_BYTES = 2_048;

/** Returns the form token in the first part, if the part has the syntax that browsers send; otherwise empty. */
function tokenBefore(body: Buffer, boundary: string): string {
  const start = `--${boundary}\r\nContent-Disposition: form-data; name="anti_forgery"\r\n\r\n`;
  const head = body.toString('latin1', 0, FIRST_PART_BYTES);
  const end = head.indexOf(`\r\n--${boundary}`, start.length);
  return head.startsWith(start) && end >= 0 ? head.slice(start.length, end) : '';
}

/** Parses multipart/form-data (RFC 7578). An empty file field is an empty file without a name. */
async function readMultipart(
  request: HttpRequest,
  isOurs: (token: string) => Promise<boolean>,
): Promise<Fields | 'forged'> {
  const boundary = boundaryOf(request);
  const bytes = await request.body(UPLOAD_BYTES);
  if (bytes === 'too-large')
    throw new UnreadableParams(`the file is larger than ${MAX_LOGO_BYTES} bytes`, 413);
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  const body = Buffer.from(bytes);
  // the token is checked and the parts are counted before parsing, because its cost grows with the number of parts
  if (!(await isOurs(tokenBefore(body, boundary)))) return 'forged';
  if (parts(body, boundary) > MAX_PARTS) throw new UnreadableParams(`more than ${MAX_PARTS} fields`, 413);
  const formData = await new Response(body, { headers }).formData().catch(() => {
    throw new UnreadableParams(NO_MULTIPART);
  });
  const [entries, files]: [[string, string][], Map<string, Buffer>] = [[], new Map()];
  for (const [name, value] of formData) {
    if (typeof value === 'string') entries.push([name, value]);
    else if (value.size > 0) files.set(name, Buffer.from(await value.arrayBuffer()));
  }
  return checkEntries(entries, files);
}

// Parses the form input of an object according to its definition. The operation validates the result.

/**
 * Omits missing fields. A field below an option that is not selected is treated as empty. `prefix`: precedes the name
 * of each form field.
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

/** The value of an empty field. */
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
    return readTypedText(
      { first: text, language: typed.one(`${name}.language`), lines: typed.one(`${name}.texts`) },
      defaultLanguage,
    );
  if (as === 'json') return text === '' && kind === 'pairs' ? [] : readJson(text);
  // spaces at the start of a password are significant
  return as === 'password' ? typed.one(name) || undefined : text;
}

function scopeOf({ description: first, language = '', texts: lines = '', groups = '', ...rest }: Pair) {
  const description = readTypedText({ first, language, lines }, defaultLanguage);
  return { ...rest, description, ...(groups !== '' && { groups: idsIn(groups) }) };
}

const idsIn = (text: string): string[] => text.split(/[\s,]+/).filter((id) => id !== '');

/** Merges the groups of rows with equal names; null if there are no rows. */
function groupsByName(rows: readonly Pair[]): Record<string, string[]> | null {
  const byName = Map.groupBy(rows, (row) => row.name);
  const groups = [...byName].map(([name, all]): [string, string[]] => [
    name,
    [...new Set(all.flatMap((row) => idsIn(row.description)))],
  ]);
  return groups.length === 0 ? null : Object.fromEntries(groups);
}

const defaultLanguage = () => settings().defaultLanguage;

/** Empty text becomes null. Invalid JSON stays a text, which the definition rejects. */
function readJson(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
