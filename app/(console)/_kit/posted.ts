// A posted form as text, every value of each name in order (application/x-www-form-urlencoded, or multipart/form-data where
// the form takes a file), and what was typed into the form of an object, as its definition has it.
import type { z } from 'zod';
import { BODY_LIMIT_BYTES, type HttpRequest } from '#lib/http/message.ts';
import { readText, UnreadableParams } from '#lib/http/params.ts';
import { findUnstorable } from '#lib/kit/text.ts';
import { MAX_LOGO_BYTES } from '#lib/registry/brand.ts';
import { type FormField, formFields } from '#lib/registry/definition.ts';
import { settings } from '#lib/settings/settings.ts';
import { readText as readTypedText } from './typed-texts.ts';

/** Of an API with as many scopes as it may have; the length of the body limits it too. */
const MAX_FIELDS = 4000;
/** Of a form that brings a file. */
const MAX_PARTS = 100;

/**
 * A row. `language` and `texts`: of a description in several languages; `required_acr`, `groups`: of
 * a scope that asks for them
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
  /** only the texts of a form that comes back are kept */
  readonly files: ReadonlyMap<string, Buffer>;
  constructor(
    entries: readonly (readonly [string, string])[],
    files: ReadonlyMap<string, Buffer> = new Map(),
  ) {
    this.entries = entries;
    this.files = files;
  }

  /** The first value; empty where there is none. */
  one(name: string): string {
    return this.entries.find(([key]) => key === name)?.[1] ?? '';
  }

  /** The first value; undefined where it is empty or white space. */
  given(name: string): string | undefined {
    return this.one(name).trim() || undefined;
  }

  has(name: string): boolean {
    return this.entries.some(([key]) => key === name);
  }

  /** Every value, empty ones too: the nth value of one name belongs to the nth of another. */
  all(name: string): string[] {
    return this.entries.filter(([key]) => key === name).map(([, value]) => value);
  }

  /** The values that are not empty, trimmed. */
  list(name: string): string[] {
    return this.all(name)
      .map((value) => value.trim())
      .filter((value) => value !== '');
  }

  /** Rows of fields, `<name>.name`, `.description` and what else a row may have, trimmed; empty ones are left out. */
  pairs(name: string): Pair[] {
    const [descriptions = [], ...rest] = ['description', ...MORE].map((part) => this.all(`${name}.${part}`));
    return this.all(`${name}.name`)
      .map((one, at) => ({
        name: one.trim(),
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
 * Null: the body is no form. `isOurs`: of a form that takes a file, whether its first field, the anti-forgery token, is
 * ours; 'forged' where it says no.
 */
export async function readFields(
  request: HttpRequest,
  isOurs: ((token: string) => Promise<boolean>) | null = null,
): Promise<Fields | 'forged' | null> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (isOurs && type === 'multipart/form-data') return readMultipart(request, isOurs);
  if (type !== 'application/x-www-form-urlencoded') return null;
  return checked([...new URLSearchParams(await readText(request))]);
}

function checked(entries: [string, string][], files?: ReadonlyMap<string, Buffer>): Fields {
  if (entries.length > MAX_FIELDS) throw new UnreadableParams(`more than ${MAX_FIELDS} fields`, 413);
  // no keyboard types a NUL
  if (findUnstorable(entries)) throw new UnreadableParams('a field holds a NUL character');
  return new Fields(entries, files);
}

/** The file, and as much again as the fields of a form may have. */
const UPLOAD_BYTES = MAX_LOGO_BYTES + BODY_LIMIT_BYTES;

/** Exactly one parameter, a boundary of RFC 2046 §5.1.1, so that no parser finds another one in it. */
const MULTIPART =
  /^multipart\/form-data[ \t]*;[ \t]*boundary=(?:"([\w'()+,./:=?-]{1,70})"|([\w'+.-]{1,70}))[ \t]*$/i;

const NO_MULTIPART = 'the body is not multipart/form-data';

/** UnreadableParams where the header names none, several, or one in another spelling. */
function boundaryOf({ headers }: HttpRequest): string {
  const [, quoted, token] = MULTIPART.exec(headers['content-type'] ?? '') ?? [];
  const boundary = quoted ?? token;
  if (boundary === undefined) throw new UnreadableParams(NO_MULTIPART);
  return boundary;
}

/** How often the delimiter of the parts is in the body, but for the last. */
function parts(body: Buffer, boundary: string): number {
  const delimiter = `--${boundary}`;
  let count = -1;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length))
    count += 1;
  return count;
}

/** No token is longer, with its part's headers. */
const FIRST_PART_BYTES = 2_048;

/** The value of the first part, as browsers write it, where it is the token of the form; empty otherwise. */
function tokenBefore(body: Buffer, boundary: string): string {
  const start = `--${boundary}\r\nContent-Disposition: form-data; name="anti_forgery"\r\n\r\n`;
  const head = body.toString('latin1', 0, FIRST_PART_BYTES);
  const end = head.indexOf(`\r\n--${boundary}`, start.length);
  return head.startsWith(start) && end >= 0 ? head.slice(start.length, end) : '';
}

/** RFC 7578. A field for a file that is left empty is an empty file without a name. */
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
  // asked and counted before the parts are taken apart, which costs more the more there are
  if (!(await isOurs(tokenBefore(body, boundary)))) return 'forged';
  if (parts(body, boundary) > MAX_PARTS) throw new UnreadableParams(`more than ${MAX_PARTS} fields`, 413);
  const sent = await new Response(body, { headers }).formData().catch(() => {
    throw new UnreadableParams(NO_MULTIPART);
  });
  const [entries, files]: [[string, string][], Map<string, Buffer>] = [[], new Map()];
  for (const [name, value] of sent) {
    if (typeof value === 'string') entries.push([name, value]);
    else if (value.size > 0) files.set(name, Buffer.from(await value.arrayBuffer()));
  }
  return checked(entries, files);
}

// What was typed into the form of an object, as its definition has it. The operation checks it.

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
    return readTypedText(
      { first: text, language: typed.one(`${name}.language`), lines: typed.one(`${name}.texts`) },
      defaultLanguage,
    );
  if (as === 'json') return text === '' && kind === 'pairs' ? [] : readJson(text);
  // a password may begin with a space
  return as === 'password' ? typed.one(name) || undefined : text;
}

function scopeOf({ description: first, language = '', texts: lines = '', groups = '', ...rest }: Pair) {
  const description = readTypedText({ first, language, lines }, defaultLanguage);
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
