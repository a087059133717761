// Global search: resolves a text to matching objects with one statement. Each part uses an index or a small table and
// returns few rows. The caller's permissions select the parts.
import { z } from 'zod';
import { BUILT_IN_API } from '#lib/catalogue/apis/definition.ts';
import { isDecidable } from '#lib/catalogue/subscriptions/rows.ts';
import { canonicalEmail, canonicalSearch } from '#lib/kit/text.ts';
import { GRANT_EVENTS } from '#lib/registry/audit-event.ts';
import { MOST_FOUND } from '#lib/registry/values.ts';
import { anyOf, begins, contains, equals, isUuid } from './list.ts';
import { type Db, readRows } from './prisma.ts';
import { joinSql, raw, type Sql, sql } from './sql.ts';

// Interpretations of a search text: a host, a pair of client and API, or a request id.

const V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reads the time in a request id, which is a UUIDv7 (RFC 9562 §5.7). */
function timeOfRequestId(text: string): string | null {
  const [, high, low] = V7.exec(text.toLowerCase()) ?? [];
  return high === undefined ? null : new Date(Number.parseInt(`${high}${low}`, 16)).toISOString();
}

const HOST = /^(?:\[[0-9a-f:.]+\]|localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+)$/;

/** Extracts an address's host, or returns the text if it names a host. */
function hostIn(text: string): string | null {
  const address = /^[a-z][a-z0-9+.-]*:\/\/(\[[^\]]*\]|[^/?#:@]+)/i.exec(text)?.[1];
  const host = (address ?? text.replace(/:\d{1,5}$/, '')).toLowerCase();
  return HOST.test(host) ? host : null;
}

/** Parses `client api`; a slash or plus can also separate the two ids. */
function pairIn(text: string): [client: string, api: string] | null {
  const [client, api, ...more] = text.split(/\s*[+/]\s+|\s+[+/]\s*|\s+/);
  if (client && api && more.length === 0) return [client, api];
  const [left, right, ...others] = text.split('/');
  return left && right && others.length === 0 ? [left, right] : null;
}

/** Minutes before and after the time in a request id, because clocks differ and a request can take a while. */
const AROUND_MINUTES = 10;

export async function findByText(db: Db, text: string, scope: FindScope): Promise<FoundThing[]> {
  const parts = partsOf(text, scope).map((part) => sql`(${part} limit ${MOST_FOUND})`);
  if (parts.length === 0) return [];
  return readRows(db, foundThing.shape)`${joinSql(parts, ' union all ')}`;
}

type Part = {
  kind: FoundKind;
  by: FoundThing['by'];
  exact?: boolean;
  /** SQL of the columns for id, API, name and description */
  columns: [id: string, api: string, name: string, about: string];
  from: string;
  where: (Sql | null)[];
  /** column that sorts the matches, if `where` matches the beginning of this column */
  order?: string;
};

const part = ({ kind, by, exact = false, columns: [id, api, name, about], from, where, order }: Part): Sql =>
  sql`select ${kind}::text as kind, ${raw(`${id}::text as id, ${api}::text as api, ${name}::text as name, ${about}::text as about`)},
    ${by}::text as by, ${exact}::bool as exact from ${raw(from)} where ${joinSql(where, ' and ')}
    ${raw(order === undefined ? '' : `order by ${order} using ~<~`)}`;

function partsOf(text: string, scope: FindScope): Sql[] {
  return [
    ...(scope.people ? people(text) : []),
    ...(scope.clientsOf === undefined ? [] : clients(text, scope.clientsOf)),
    ...subscriptions(text, scope),
    ...(scope.registry || scope.apis ? apis(text, scope.registry) : []),
    ...(scope.registry ? methods(text) : []),
    ...(scope.groups ? groups(text) : []),
    ...(scope.keys ? keys(text) : []),
    ...requests(text, scope),
  ].map(part);
}

const PERSON: Part['columns'] = ['p.id', 'null', 'p.name', 'p.email'];

function people(text: string): Part[] {
  const of = { kind: 'person', columns: PERSON, from: 'people p' } as const;
  const lower = text.toLowerCase();
  const email = canonicalEmail(text);
  const is = (by: FoundThing['by'], where: Sql): Part => ({ ...of, by, exact: true, where: [where] });
  const like = (by: FoundThing['by'], column: string, start: string, not: Sql | null): Part => ({
    ...of,
    ...{ by, where: [begins(column, start), not], order: column },
  });
  return [
    ...(isUuid(lower) ? [is('id', sql`p.id = ${lower}::uuid`)] : []),
    ...(text.includes('@') ? [is('email', sql`p.email = ${email}`)] : []),
    is('username', sql`p.username = ${email}`),
    is('subject', sql`p.subject = ${text}`),
    like('email', `(p.email || '')`, canonicalSearch(text), sql`p.email <> ${email}`),
    like('name', 'lower(p.name)', lower, null),
  ];
}

const CLIENT: Part['columns'] = ['c.client_id', 'null', 'c.name', 'null'];

function clients(text: string, ownerId: string | null): Part[] {
  const of = { kind: 'client', columns: CLIENT, from: 'clients c' } as const;
  const ownerCondition = ownerId === null ? null : sql`c.owner_id = ${ownerId}::uuid`;
  return clientBy(text).map((match) => ({ ...of, ...match, where: [...match.where, ownerCondition] }));
}

/** Search conditions for a client `c`. */
function clientBy(text: string): Pick<Part, 'by' | 'exact' | 'where' | 'order'>[] {
  const lower = text.toLowerCase();
  const host = hostIn(text);
  const other = sql`c.client_id <> ${text}`;
  return [
    { by: 'id', exact: true, where: [sql`c.client_id = ${text}`] },
    { by: 'id', where: [begins(`(c.client_id || '')`, text), other], order: 'c.client_id' },
    { by: 'name', where: [begins('lower(c.name)', lower), other], order: 'lower(c.name)' },
    ...(host === null
      ? []
      : [{ by: 'host' as const, where: [sql`uri_hosts(c.redirect_uris) @> array[${host}]`, other] }]),
  ];
}

const SUBSCRIPTION: Part['columns'] = ['s.client_id', 's.api_id', `c.name || ' · ' || a.name`, 's.state'];
const SUBSCRIPTION_TABLES =
  'subscriptions s join clients c on c.client_id = s.client_id join apis a on a.id = s.api_id';

function subscriptions(text: string, { clientsOf, decidable }: FindScope): Part[] {
  const of = { kind: 'subscription', columns: SUBSCRIPTION, from: SUBSCRIPTION_TABLES } as const;
  const decides = decidable === undefined ? sql`false` : (isDecidable(decidable) ?? sql`true`);
  const owns = clientsOf === undefined ? sql`false` : (equals('c.owner_id::text', clientsOf) ?? sql`true`);
  const pair = pairIn(text);
  const [client = '', api = ''] = pair ?? [];
  return [
    ...(pair === null
      ? []
      : [
          {
            ...of,
            ...{ by: 'pair' as const, exact: true },
            where: [sql`s.client_id = ${client}`, sql`s.api_id = ${api}`, anyOf(decides, owns)],
          },
        ]),
    // approvers find clients of other owners only through subscriptions on which they can decide
    ...(decidable === undefined || clientsOf === null
      ? []
      : clientBy(text).map(({ order: _, ...found }) => ({
          ...{ ...of, ...found, exact: false },
          where: [...found.where, decides],
        }))),
  ];
}

/**
 * Returns the parts of the search in APIs. `all`: administrators search every API, and public pages exclude the
 * built-in API.
 */
function apis(text: string, all: boolean): Part[] {
  const apiCondition = all ? null : sql`a.id <> ${BUILT_IN_API}`;
  return namedParts(
    { kind: 'api', columns: ['a.id', 'null', 'a.name', 'a.url'], from: 'apis a' },
    text,
    'a',
    apiCondition,
  );
}

const methods = (text: string): Part[] =>
  namedParts(
    { kind: 'method', columns: ['m.id', 'null', 'm.name', 'm.type'], from: 'auth_methods m' },
    text,
    'm',
  );

const groups = (text: string): Part[] =>
  namedParts({ kind: 'group', columns: ['g.id', 'null', 'g.name', 'null'], from: 'groups g' }, text, 'g');

/** Returns the parts of the search in a small table. They also match substrings of id or name. */
function namedParts(
  of: Pick<Part, 'kind' | 'columns' | 'from'>,
  text: string,
  table: string,
  condition: Sql | null = null,
): Part[] {
  const [id, name] = [`${table}.id`, `${table}.name`];
  const lower = text.toLowerCase();
  const other = sql`${raw(id)} <> ${text}`;
  return [
    { ...of, by: 'id', exact: true, where: [sql`${raw(id)} = ${text}`, condition] },
    { ...of, by: 'name', where: [contains(lower, `lower(${id})`, `lower(${name})`), other, condition] },
  ];
}

function keys(text: string): Part[] {
  const of = {
    kind: 'key',
    by: 'kid',
    columns: ['k.kid', 'null', 'k.kid', 'k.alg'],
    from: 'signing_keys k',
  } as const;
  return [
    { ...of, columns: [...of.columns], exact: true, where: [sql`k.kid = ${text}`] },
    { ...of, columns: [...of.columns], where: [sql`starts_with(k.kid, ${text})`, sql`k.kid <> ${text}`] },
  ];
}

/**
 * Returns the parts of the search by request id. Its timestamp selects the rows of the logs, which have no index on
 * the id.
 */
function requests(text: string, { clientsOf, audit }: FindScope): Part[] {
  const at = timeOfRequestId(text);
  if (at === null) return [];
  const id = text.toLowerCase();
  const near = (table: string) => [
    sql`${raw(table)}.at between ${at}::timestamptz - make_interval(mins => ${AROUND_MINUTES})
      and ${at}::timestamptz + make_interval(mins => ${AROUND_MINUTES})`,
    sql`${raw(table)}.request_id = ${id}`,
  ];
  const of = { kind: 'request', by: 'request', exact: true } as const;
  const owned = clientsOf === undefined ? null : (equals('c.owner_id::text', clientsOf) ?? sql`true`);
  return [
    ...(owned === null
      ? []
      : [
          {
            ...of,
            columns: ['r.client_id', 'r.api_id', 'c.name', 'r.error'] as Part['columns'],
            from: 'refused_requests r join clients c on c.client_id = r.client_id',
            where: [...near('r'), owned],
          },
          {
            ...of,
            columns: ['e.client_id', 'e.api_id', 'c.name', 'null'] as Part['columns'],
            from: 'audit_events e join clients c on c.client_id = e.client_id',
            where: [...near('e'), sql`e.event = any (${GRANT_EVENTS})`, owned],
          },
        ]),
    ...(audit
      ? [
          {
            ...of,
            ...{ kind: 'event' as const, from: 'audit_events e', where: near('e') },
            columns: ['e.request_id', 'null', 'e.event', 'e.client_id'] as Part['columns'],
          },
        ]
      : []),
  ];
}

// Types of the global search: result kinds and visible rows.

const text = z.string();
export const foundThing = z.strictObject({
  kind: z.enum(['person', 'client', 'subscription', 'api', 'method', 'group', 'key', 'request', 'event']),
  id: text.describe('for a subscription and a request: the id of the client'),
  api: text.nullable().describe('of a subscription'),
  name: text,
  about: text
    .nullable()
    .describe(
      'the address of a person, the state of a subscription, the error of a request, or the name of an event',
    ),
  by: z.enum(['id', 'email', 'username', 'subject', 'name', 'host', 'pair', 'kid', 'request']),
  exact: z.boolean().describe('the text matches completely, not only the beginning'),
});
export type FoundThing = z.output<typeof foundThing>;
export type FoundKind = FoundThing['kind'];

/** The objects that the caller can see, and that the search therefore includes. */
export type FindScope = {
  people: boolean;
  /** id of the owner; null: clients of every owner; undefined: no clients */
  clientsOf: string | null | undefined;
  /** email of an approver; null: every API; undefined: no subscriptions */
  decidable: string | null | undefined;
  registry: boolean;
  groups: boolean;
  /** true: include the public pages of APIs */
  apis: boolean;
  keys: boolean;
  audit: boolean;
};
