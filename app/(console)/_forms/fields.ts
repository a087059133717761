// A posted form as text: every value of each name, in order. Only application/x-www-form-urlencoded, as browsers send it.
import type { HttpRequest } from '#lib/http/index.ts';
import { findUnstorable } from '#lib/kit/index.ts';

/** The body cannot be read as a form; `message` completes "It is …". */
export class UnreadableForm extends Error {
  override name = 'UnreadableForm';
  readonly status: 400 | 413 | 415;
  constructor(message: string, status: 400 | 413 | 415) {
    super(message);
    this.status = status;
  }
}

const MAX_FIELDS = 500;

export class Fields {
  readonly entries: readonly (readonly [string, string])[];
  constructor(entries: readonly (readonly [string, string])[]) {
    this.entries = entries;
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

  /** A whole number, or NaN. */
  number(name: string): number {
    const value = this.one(name).trim();
    return /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  }
}

export async function readFields(request: HttpRequest): Promise<Fields> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') throw new UnreadableForm('not a form', 415);
  const bytes = await request.body();
  if (bytes === 'too-large') throw new UnreadableForm('larger than 64 KiB', 413);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableForm('not UTF-8', 400);
  }
  const entries = [...new URLSearchParams(text)];
  if (entries.length > MAX_FIELDS) throw new UnreadableForm(`more than ${MAX_FIELDS} fields`, 413);
  // no keyboard enters a NUL
  if (findUnstorable(entries)) throw new UnreadableForm('not text: it holds a NUL character', 400);
  return new Fields(entries);
}
