// Reads parameters from a query, a form or a JSON body: one value per name. Repeated names are recorded. An empty
// value is treated as missing (RFC 6749 §3.1, §3.2), and a malformed escape is an error.
import type { HttpRequest } from './message.ts';

export type Params = {
  /** first non-empty value of each name */
  readonly values: ReadonlyMap<string, string>;
  /** names that occur more than once */
  readonly repeated: ReadonlySet<string>;
  /** for repeated names: the values after the first non-empty value; missing if no name is repeated */
  readonly more?: ReadonlyMap<string, readonly string[]>;
};

/** Thrown if the text is not a valid form, JSON object or UTF-8. The reason can be displayed safely. */
export class UnreadableParams extends Error {
  override name = 'UnreadableParams';
  readonly status: 400 | 413;
  constructor(reason: string, status: 400 | 413 = 400) {
    super(reason);
    this.status = status;
  }
}

const MAX_PARAMETERS = 100;

/**
 * Parses application/x-www-form-urlencoded, including queries. `strict`: only the values of these names must be
 * well-formed. In other values, malformed escapes are parsed as in the WHATWG URL standard.
 */
export function parseForm(text: string, strict?: readonly string[]): Params {
  const pairs: [string, string][] = [];
  if (text !== '') {
    let parts = 1;
    for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) parts += 1;
    if (parts > MAX_PARAMETERS) throw new UnreadableParams(`more than ${MAX_PARAMETERS} parameters`);
    for (const part of text.split('&')) {
      if (part === '') continue;
      const [, given = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(part) ?? [];
      const name = strict ? decodeAnyhow(given) : decode(given);
      pairs.push([name, strict && !strict.includes(name) ? decodeAnyhow(value) : decode(value)]);
    }
  }
  return collect(pairs);
}

/** Parses a flat JSON object whose members are strings. */
export function parseJson(text: string): Params {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnreadableParams('the body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UnreadableParams('the JSON body must be an object');
  }
  const members = Object.values(value);
  if (!members.every((member) => typeof member === 'string')) {
    throw new UnreadableParams('every member of the JSON body must be a string');
  }
  // Each string is parsed individually, because JSON.parse keeps only the last of two equal names, and V8 14 misreads
  // a name that contains escapes. In a flat object of strings, every second string is a name.
  const strings = (text.match(/"(?:[^"\\]|\\.)*"/g) ?? []).map((written) => JSON.parse(written) as string);
  const pairs = strings.flatMap((name, at) => (at % 2 === 0 ? [[name, strings[at + 1] ?? ''] as const] : []));
  const names = new Set(pairs.map(([name]) => name));
  if (strings.length !== members.length * 2 || names.size !== members.length) {
    throw new UnreadableParams('a member of the JSON body is repeated');
  }
  return collect(pairs);
}

/** Parameters of a request's body: form or JSON, at most 64 KiB, UTF-8. */
export async function readBodyParams(request: HttpRequest): Promise<Params> {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  if (type !== 'application/x-www-form-urlencoded' && type !== 'application/json') {
    throw new UnreadableParams(
      'the content type must be application/x-www-form-urlencoded or application/json',
    );
  }
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw new UnreadableParams('the character set must be UTF-8');
  }
  const text = await readText(request);
  return type === 'application/json' ? parseJson(text) : parseForm(text);
}

/** The body as text: UTF-8, at most 64 KiB. */
export async function readText(request: HttpRequest): Promise<string> {
  const bytes = await request.body();
  if (bytes === 'too-large') throw new UnreadableParams('the body is larger than 64 KiB', 413);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableParams('the body is not UTF-8');
  }
}

const decodeAnyhow = (part: string): string => new URLSearchParams(`=${part}`).get('') ?? '';

function decode(part: string): string {
  if (!part.includes('%') && !part.includes('+')) return part;
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    throw new UnreadableParams('a percent escape is malformed');
  }
}

function collect(pairs: readonly (readonly [string, string])[]): Params {
  const values = new Map<string, string>();
  const seen = new Set<string>();
  const repeated = new Set<string>();
  let more: Map<string, string[]> | undefined;
  for (const [name, value] of pairs) {
    if (seen.has(name)) repeated.add(name);
    seen.add(name);
    if (value === '') continue;
    if (values.has(name)) {
      more ??= new Map();
      more.set(name, [...(more.get(name) ?? []), value]);
    } else values.set(name, value);
  }
  return { values, repeated, ...(more && { more }) };
}
