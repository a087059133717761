// Pages of a list by key: the cursor is the last row's key, so that page 1,000 costs what page 1 does and a row that
// comes or goes meanwhile moves no other.
import { Refused } from './refused.ts';

export type Page<Row> = {
  rows: Row[];
  /** asks for the next page; null: there is none */
  next: string | null;
};
export type Asked = {
  search?: string | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
};

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

type Key<Parts extends readonly RegExp[]> = { -readonly [At in keyof Parts]: string };

/** One page of a list that is ordered by a key of these parts. Refused: a limit or a cursor that makes no sense. */
export async function readPage<Row, const Parts extends readonly RegExp[]>(
  asked: Asked,
  list: {
    parts: Parts;
    select: (from: { after: Key<Parts> | null; limit: number }) => Promise<Row[]>;
    key: (row: Row) => Key<Parts>;
  },
): Promise<Page<Row>> {
  const limit = limitOf(asked);
  // one more than the page has: it only says that there is a next page
  const rows = await list.select({ after: keyOf(asked, list.parts), limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last ? list.key(last) : null;
  return { rows: shown, next: next && Buffer.from(JSON.stringify(next)).toString('base64url') };
}

export function withoutKey<Row extends { key: string }>({ key: _, ...row }: Row): Omit<Row, 'key'> {
  return row;
}

function limitOf({ limit = DEFAULT_LIMIT }: Asked): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new Refused(`a page has 1 to ${MAX_LIMIT} rows`, 'invalid', {
      faults: [{ field: 'limit', message: `must be a whole number from 1 to ${MAX_LIMIT}` }],
    });
  }
  return limit;
}

/** What is searched for, in lower case; null: nothing. */
export function searchOf({ search }: Asked): string | null {
  const text = search?.trim().toLowerCase().slice(0, 200) ?? '';
  return text === '' || text.includes('\u0000') ? null : text;
}

/** The key after which the page starts; null: the first page. */
function keyOf<Parts extends readonly RegExp[]>({ cursor }: Asked, parts: Parts): Key<Parts> | null {
  if (cursor === undefined || cursor === '') return null;
  const key = parse(cursor);
  const fits =
    Array.isArray(key) &&
    key.length === parts.length &&
    parts.every((part, at) => typeof key[at] === 'string' && part.test(key[at] as string));
  if (!fits) {
    const faults = [{ field: 'cursor', message: 'is not one that a page of this list gave' }];
    throw new Refused('this page does not exist: start at the first one', 'invalid', { faults });
  }
  return key as Key<Parts>;
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

/** Parts of keys. */
export const TEXT_PART = /^[^\0]{0,500}$/s;
export const UUID_PART = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const NUMBER_PART = /^\d{1,18}$/;
/** PostgreSQL's own text of a timestamp, to the microsecond */
export const TIME_PART = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d)?$/;
export const HASH_PART = /^[0-9a-f]{64}$/;
