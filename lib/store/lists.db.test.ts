// Each list order has an index for both directions: the planner never sorts, and each page starts directly at its first
// row.
import { expect, test } from 'vitest';
import { personRegistrations, waitingPeople } from '#lib/catalogue/people/registrations.ts';
import type { PEOPLE } from '#lib/catalogue/people/rows.ts';
import { offeredBy } from '#testing/code/offered.ts';
import { withClient } from '#testing/data/sql.ts';
import { PARTS } from './list.ts';

type Declared = typeof PEOPLE;
const isDeclared = (value: unknown): value is Declared =>
  typeof value === 'object' && value !== null && 'statement' in value && 'orders' in value;
const LISTS = Object.entries<unknown>({
  ...(await offeredBy('store')),
  ...personRegistrations,
  ...waitingPeople,
}).filter((entry): entry is [string, Declared] => isDeclared(entry[1]));
const UUID = '00000000-0000-0000-0000-000000000000';
/** Filters that the tests use for lists that require one. */
const ASKED: Record<string, object> = {
  PEOPLE: { search: null, role: null, disabled: null, factors: null, seen: null, createdWithin: null },
  GROUP_MEMBERS: { group: 'a', search: null },
  CLIENTS: { ownerId: null, search: null, kind: null, disabled: null },
  SIGN_INS: { personId: UUID },
  SESSIONS: { personId: null, kind: null, search: null, idleSeconds: 60 },
};
const SAMPLES = {
  text: 'a',
  uuid: UUID,
  number: '1',
  time: '2026-01-01 00:00:00+00',
  hash: '0'.repeat(64),
} as const;
const sampleOf = (shape: RegExp): string => {
  const part = (Object.keys(PARTS) as (keyof typeof PARTS)[]).find((one) => PARTS[one].shape === shape);
  return SAMPLES[part ?? 'text'];
};

type Plan = {
  'Node Type': string;
  'Parent Relationship'?: string;
  'Index Cond'?: string;
  Plans?: Plan[];
};
/** Plan nodes that produce the rows, without subplans. */
const nodesOf = (plan: Plan): Plan[] => [
  plan,
  ...(plan.Plans ?? [])
    .filter((one) => !['SubPlan', 'InitPlan'].includes(one['Parent Relationship'] ?? ''))
    .flatMap(nodesOf),
];

async function planOf(
  list: Declared,
  slice: Parameters<Declared['statement']>[1],
  name: string,
): Promise<Plan> {
  const { text } = list.statement((ASKED[name] ?? {}) as Parameters<Declared['statement']>[0], slice);
  return withClient(process.env['DATABASE_URL'] as string, async (db) => {
    // test tables are small, so sequential plans are disabled
    for (const way of ['seqscan', 'bitmapscan', 'sort', 'hashjoin', 'mergejoin'])
      await db.query(`set enable_${way} = off`);
    const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (generic_plan, format json) ${text}`,
    );
    return (rows[0] as (typeof rows)[0])['QUERY PLAN'][0].Plan;
  });
}

test('the test covers every paged list', () => {
  expect(LISTS.map(([name]) => name).toSorted()).toMatchInlineSnapshot(`
    [
      "APIS",
      "AUDIT_EVENTS",
      "AUTH_METHODS",
      "CLIENTS",
      "GROUPS",
      "GROUP_MEMBERS",
      "INVITATIONS",
      "PEOPLE",
      "SESSIONS",
      "SIGN_INS",
      "SUBSCRIPTIONS",
      "WAITING",
    ]
  `);
});

const turned = (order: string) => (order.startsWith('-') ? order.slice(1) : `-${order}`);
const CASES = LISTS.flatMap(([name, list]) =>
  list.orders.flatMap((order) => [order, turned(order)].map((one) => [name, one, list] as const)),
);

test.each(CASES)(
  'list %s ordered by %s: an index provides the order and the start position',
  async (name, order, list) => {
    const key = list.order(order).shapes.map(sampleOf);
    expect(list.order(order).name).toBe(order);
    for (const place of [{}, { after: key }, { before: key }]) {
      const nodes = nodesOf(await planOf(list, { order, limit: 51, ...place }, name));
      expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort');
      if ('after' in place || 'before' in place)
        expect(nodes.map((node) => node['Index Cond'] ?? '').join()).toMatch(/[<>]=? (ROW\(|\$)/);
    }
  },
);
