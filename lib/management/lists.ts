// Lists: their pages, their ranges of days and their orders.
import { z } from 'zod';
import { APIS } from '#lib/catalogue/apis/rows.ts';
import { CLIENTS } from '#lib/catalogue/clients/rows.ts';
import { GROUPS } from '#lib/catalogue/groups/rows.ts';
import { AUTH_METHODS } from '#lib/catalogue/methods/rows.ts';
import { personRegistrations, waitingPeople } from '#lib/catalogue/people/registrations.ts';
import { findPersonById, PEOPLE } from '#lib/catalogue/people/rows.ts';
import { SUBSCRIPTIONS } from '#lib/catalogue/subscriptions/rows.ts';
import type { Change, Fault } from '#lib/registry/definition.ts';
import { MOST_COUNTED } from '#lib/registry/values.ts';
import { AUDIT_EVENTS, SIGN_INS } from '#lib/store/audit.ts';
import type { DayRange, List } from '#lib/store/list.ts';
import { database } from '#lib/store/prisma.ts';
import { SESSIONS } from '#lib/store/session-list.ts';
import type { Actor } from './policy.ts';
import { faultAt, Refused, refuseFaults } from './refused.ts';

// Pages of a list by key: the cursor contains the order and the key of the last row. So page 1,000 costs as much as
// page 1, and a row that is added or deleted moves no other row.

export type Page<Row> = {
  rows: Row[];
  /** cursor of the next page; `null`: last page */
  next: string | null;
  /** cursor of the previous page; `null`: first page */
  previous: string | null;
  /** for `counted` pages: the number of rows, approximate above MOST_COUNTED; `null`: the list has a single page */
  total?: number | null;
  /** for `counted` pages: the present order, and each order with its initial direction, such as `-created` */
  order?: string;
  orders?: readonly string[];
};
export type Asked = {
  search?: string | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
  /** name of the order, reversed by the prefix `-`; missing or unknown: the list’s default order */
  order?: string | undefined;
  /** true: the result also contains the total number of rows, for lists that users see */
  counted?: boolean | undefined;
};
/** Input of a list whose query over HTTP has this shape. */
export type ListInput<Shape extends z.ZodObject> = Omit<Asked, 'search'> & Change<z.output<Shape>>;

/** Each order in both directions: `created`, `-created`. */
const bothWays = (orders: readonly string[]): string[] =>
  orders.flatMap((order) => [order, order.startsWith('-') ? order.slice(1) : `-${order}`]);

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;

/** Returns one page. Throws Refused for an invalid limit or cursor, or for a cursor of another order. */
export async function readPage<Row, Filter>(
  list: List<Row, Filter>,
  query: Asked,
  filter: Filter,
): Promise<Page<Row>> {
  const limit = limitOf(query);
  const { name: order, shapes } = list.order(query.order);
  const { after, before } = placeOf(query, order, shapes, list.orders);
  // reads one more row, which shows whether another page follows in that direction
  const selectedRows = await list.select(filter, { order, after, before, limit: limit + 1 });
  const isMore = selectedRows.length > limit;
  const rows = isMore ? (before ? selectedRows.slice(1) : selectedRows.slice(0, limit)) : selectedRows;
  // a page whose rows were all deleted still has links to the pages next to it
  const next = before || isMore ? cursorOf(order, rows.at(-1)?.key ?? before, '') : null;
  const previous = after || (before && isMore) ? cursorOf(order, rows[0]?.key ?? after, BACK) : null;
  const page = { rows: rows.map(({ row }) => row), next, previous };
  if (!query.counted) return page;
  const isOne = next === null && previous === null;
  const total = isOne ? null : await totalOf(list, filter);
  return { ...page, total, order, orders: list.orders };
}

/**
 * Counts the rows up to MOST_COUNTED. If there are more, returns the estimate of PostgreSQL's planner, rounded to two
 * digits and at least MOST_COUNTED + 1.
 */
async function totalOf<Row, Filter>(list: List<Row, Filter>, filter: Filter): Promise<number> {
  const counted = await list.count(filter, MOST_COUNTED + 1);
  if (counted <= MOST_COUNTED) return counted;
  return Math.max(counted, Number((await list.estimate(filter)).toPrecision(2)));
}

/** Prefix of a cursor for the previous page. */
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

/** The search text as typed; `null`: it is empty. */
export function typedSearchOf({ search }: Asked): string | null {
  const text = search?.trim().slice(0, 200) ?? '';
  return text === '' || text.includes('\u0000') ? null : text;
}

/** The search text in lower case. */
export const searchOf = (query: Asked): string | null => typedSearchOf(query)?.toLowerCase() ?? null;

type Place = { after: string[] | null; before: string[] | null };

/**
 * Returns the key before the first row of the page, or after its last row. Without both, the list starts at its first
 * page.
 */
function placeOf(
  { cursor = '' }: Asked,
  order: string,
  shapes: readonly RegExp[],
  orders: readonly string[],
): Place {
  if (cursor === '') return { after: null, before: null };
  // base64url can start with a hyphen, but an encoded JSON array never does
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

// Ranges of whole days in the user's time zone, including the first and the last day.

/** `createdFrom`, `createdTo`: days such as 2026-01-31. */
export type Days<Name extends string> = { [Side in `${Name}${'From' | 'To'}`]?: string | undefined };

const DAY = /^(?:19|[2-9]\d)\d\d-\d\d-\d\d$/;

function dayOf(text: string | undefined): Temporal.PlainDate | null | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return DAY.test(text) ? Temporal.PlainDate.from(text) : null;
  } catch {
    return null;
  }
}

/** Returns the faults of the ranges: a day is invalid, or the start is after the end. */
export function faultsOfDays<Name extends string>(names: readonly Name[], dayFilter: Days<Name>): Fault[] {
  const dayTexts = dayFilter as Record<string, string | undefined>;
  return names.flatMap((name) => {
    const sides = [`${name}From`, `${name}To`];
    const [from, to] = sides.map((side) => dayOf(dayTexts[side]));
    const wrong = sides.filter((side) => dayOf(dayTexts[side]) === null);
    if (wrong.length > 0) return wrong.map((side) => faultAt(side, 'days.wrong'));
    const isTurned = from && to && Temporal.PlainDate.compare(from, to) > 0;
    return isTurned ? [faultAt(`${name}To`, 'days.turned')] : [];
  });
}

/** Time zone of this actor's days: the time zone in the profile, otherwise UTC. */
export async function zoneOf(actor: Actor): Promise<string> {
  if (actor.kind !== 'person') return 'UTC';
  const person = await findPersonById(database(), actor.id);
  return person?.zoneinfo ?? 'UTC';
}

/** Returns the ranges keyed by name. Throws Refused with the faults that `faultsOfDays` finds. */
export async function rangesOf<Name extends string>(
  actor: Actor,
  names: readonly Name[],
  dayFilter: Days<Name>,
): Promise<{ [Range in Name]?: DayRange }> {
  refuseFaults(faultsOfDays(names, dayFilter));
  const dayTexts = dayFilter as Record<string, string | undefined>;
  const days = names.map(
    (name) => [name, dayOf(dayTexts[`${name}From`]), dayOf(dayTexts[`${name}To`])] as const,
  );
  const named = days.filter(([, from, to]) => from || to);
  if (named.length === 0) return {};
  const timeZone = await zoneOf(actor);
  const start = (day: Temporal.PlainDate | null | undefined, after = 0) =>
    day ? new Date(day.add({ days: after }).toZonedDateTime({ timeZone }).epochMilliseconds) : null;
  return Object.fromEntries(
    named.map(([name, from, to]) => [name, { from: start(from), before: start(to, 1) }]),
  ) as { [Range in Name]?: DayRange };
}

// Orders that programs can request, by list.

/** The default order is first. Each order is followed by its reverse: `-created`, `created`. */
export const LIST_ORDERS = {
  apis: bothWays(APIS.orders),
  audit: bothWays(AUDIT_EVENTS.orders),
  authMethods: bothWays(AUTH_METHODS.orders),
  clients: bothWays(CLIENTS.orders),
  groups: bothWays(GROUPS.orders),
  invitations: bothWays(personRegistrations.INVITATIONS.orders),
  people: bothWays(PEOPLE.orders),
  sessions: bothWays(SESSIONS.orders),
  signIns: bothWays(SIGN_INS.orders),
  subscriptions: bothWays(SUBSCRIPTIONS.orders),
  waiting: bothWays(waitingPeople.WAITING.orders),
};

export type ListName = keyof typeof LIST_ORDERS;

// Query parameters that several lists share. Only their shape is validated; the operation validates the values.

export const paging = {
  cursor: z
    .string()
    .max(1000)
    .optional()
    .describe('`next` or `previous` of another page, with the order and filters of that page'),
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
};
/** `defaultOrder`: the default order of the route, if it differs from the default of the list. */
export function pageQuery(list: ListName, defaultOrder = LIST_ORDERS[list][0]) {
  const orders = LIST_ORDERS[list];
  const order = z.enum(orders, `must be one of ${orders.join(', ')}`);
  return {
    ...paging,
    order: order.optional().describe(`\`-\` reverses the order; default: \`${defaultOrder}\``),
  };
}
export const searchQuery = { search: z.string().max(200).optional() };
/** Pages of a list that has no filters besides the search. */
export const searchedPage = (list: ListName) => z.strictObject({ ...pageQuery(list), ...searchQuery });
const day = (what: string) => z.string().max(20).optional().describe(what);
/** Parameters for ranges of whole days in the time zone of the caller: `from` and `to`. */
export const dayRanges = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(
    names.flatMap((name) => [
      [`${name}From`, day('a day, such as 2026-01-31, in the time zone of the caller, or in UTC')],
      [`${name}To`, day('the last day, inclusive')],
    ]),
  ) as { [Side in `${Name}${'From' | 'To'}`]: z.ZodOptional<z.ZodString> };
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const activity = z.enum(['active', 'disabled']).optional();
