// Pages of a list by key: the cursor is the order and the key of the last row, so that page 1,000 costs what page 1
// does and a row that comes or goes meanwhile moves no other.
import { z } from 'zod';
import { MOST_COUNTED } from '#lib/registry/objects/counts.ts';
import type { List } from '#lib/store/database/list.ts';
import { faultAt } from './refusals/codes.ts';
import { Refused } from './refused.ts';

export type Page<Row> = {
  rows: Row[];
  /** the cursor of the next page; null: this is the last */
  next: string | null;
  /** the cursor of the page before; null: this is the first */
  previous: string | null;
  /** of a `counted` page: how many rows all pages have, above MOST_COUNTED about so many; null: it is the only one */
  total?: number | null;
  /** of a `counted` page: its order, and how each order of the list begins, such as `-created` */
  order?: string;
  orders?: readonly string[];
};
export type Asked = {
  search?: string | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
  /** a name of the list's orders, `-` before it turns it around; left out or unknown: the list's own */
  order?: string | undefined;
  /** for a page that people read: how many there are */
  counted?: boolean | undefined;
};

/** Each order and the one that turns it around: `created`, `-created`. */
export const bothWays = (orders: readonly string[]): string[] =>
  orders.flatMap((order) => [order, order.startsWith('-') ? order.slice(1) : `-${order}`]);

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

/** One page. Refused: an invalid limit or cursor, or a cursor of another order. */
export async function readPage<Row, Filter>(
  list: List<Row, Filter>,
  asked: Asked,
  filter: Filter,
): Promise<Page<Row>> {
  const limit = limitOf(asked);
  const { name: order, shapes } = list.order(asked.order);
  const { after, before } = placeOf(asked, order, shapes, list.orders);
  // one row more tells whether there is another page in that direction
  const found = await list.select(filter, { order, after, before, limit: limit + 1 });
  const isMore = found.length > limit;
  const rows = isMore ? (before ? found.slice(1) : found.slice(0, limit)) : found;
  // a page that lost its rows meanwhile still leads to the others
  const next = before || isMore ? cursorOf(order, rows.at(-1)?.key ?? before, '') : null;
  const previous = after || (before && isMore) ? cursorOf(order, rows[0]?.key ?? after, BACK) : null;
  const page = { rows: rows.map(({ row }) => row), next, previous };
  if (!asked.counted) return page;
  const isOne = next === null && previous === null;
  const total = isOne ? null : await totalOf(list, filter);
  return { ...page, total, order, orders: list.orders };
}

/** Above MOST_COUNTED the planner's number, in two digits; MOST_COUNTED + 1 where it takes them for fewer. */
async function totalOf<Row, Filter>(list: List<Row, Filter>, filter: Filter): Promise<number> {
  const counted = await list.count(filter, MOST_COUNTED + 1);
  if (counted <= MOST_COUNTED) return counted;
  return Math.max(counted, Number((await list.estimate(filter)).toPrecision(2)));
}

/** Before the key of a cursor that leads back. */
const BACK = '-';

const cursorOf = (
  order: string,
  key: readonly string[] | null | undefined,
  direction: typeof BACK | '',
): string | null =>
  key ? `${direction}${Buffer.from(JSON.stringify([order, ...key])).toString('base64url')}` : null;

function limitOf({ limit = DEFAULT_LIMIT }: Asked): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new Refused(
      'page.rows',
      { most: MAX_LIMIT },
      {
        faults: [faultAt('limit', 'page.limit', { most: MAX_LIMIT })],
      },
    );
  }
  return limit;
}

/** What is searched for, as it was typed; null: nothing. */
export function typedSearchOf({ search }: Asked): string | null {
  const text = search?.trim().slice(0, 200) ?? '';
  return text === '' || text.includes('\u0000') ? null : text;
}

/** In lower case. */
export const searchOf = (asked: Asked): string | null => typedSearchOf(asked)?.toLowerCase() ?? null;

type Place = { after: string[] | null; before: string[] | null };

/** The key after which the page starts, or before which it ends; neither: the first page. */
function placeOf(
  { cursor = '' }: Asked,
  order: string,
  shapes: readonly RegExp[],
  orders: readonly string[],
): Place {
  if (cursor === '') return { after: null, before: null };
  // a base64url may begin with a hyphen; the JSON of a key, which begins with a bracket, never does
  const isBack = cursor.startsWith(BACK);
  const [of = '', ...key] =
    cursorKey.safeParse(parse(isBack ? cursor.slice(BACK.length) : cursor)).data ?? [];
  if (of !== order && bothWays(orders).includes(of)) {
    const faults = [faultAt('cursor', 'page.cursor_of_order', { of, order })];
    throw new Refused('page.other_order', { of, order }, { faults });
  }
  if (of === order && key.length === shapes.length && shapes.every((shape, at) => shape.test(key[at] ?? '')))
    return isBack ? { after: null, before: key } : { after: key, before: null };
  const faults = [faultAt('cursor', 'page.cursor')];
  throw new Refused('page.unknown', {}, { faults });
}

const cursorKey = z.array(z.string());

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}
