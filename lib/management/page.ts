// Pages of a list by key: the cursor is the key of the last row, so that page 1,000 costs what page 1 does and a row that
// comes or goes meanwhile moves no other.
import { z } from 'zod';
import type { List } from '#lib/store/index.ts';
import { Refused } from './refused.ts';

export type Page<Row> = {
  rows: Row[];
  /** the cursor of the next page; null: this is the last */
  next: string | null;
};
export type Asked = {
  search?: string | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
};

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

/** One page. Refused: an invalid limit or cursor. */
export async function readPage<Row, Filter>(
  list: List<Row, Filter>,
  asked: Asked,
  filter: Filter,
): Promise<Page<Row>> {
  const limit = limitOf(asked);
  // one row more tells whether there is a next page
  const rows = await list.select(filter, { after: keyOf(asked, list.shapes), limit: limit + 1 });
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const next = last ? Buffer.from(JSON.stringify(last.key)).toString('base64url') : null;
  return { rows: rows.slice(0, limit).map(({ row }) => row), next };
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
function keyOf({ cursor }: Asked, shapes: readonly RegExp[]): string[] | null {
  if (cursor === undefined || cursor === '') return null;
  const key = cursorKey.safeParse(parse(cursor)).data;
  if (key?.length === shapes.length && shapes.every((shape, at) => shape.test(key[at] ?? ''))) return key;
  const faults = [{ field: 'cursor', message: 'is not one that a page of this list gave' }];
  throw new Refused('this page does not exist: start at the first one', 'invalid', { faults });
}

const cursorKey = z.array(z.string());

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}
