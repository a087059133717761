// The effect of `approved_by` if the file changes the terms of a subscription or its client (contracts 3 and
// 10).
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { listEvents } from '#lib/audit/audit-log.ts';
import {
  decideSubscription,
  requestSubscription,
  undoDecision,
} from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { closePool, query } from '#lib/store/pool.ts';
import { applyConfiguration } from './apply.ts';

const apply = (source: string, dryRun = false) => applyConfiguration(source, { env: {}, dryRun });
const sql = (text: string, values: unknown[] = []) => query({ text, values });
const states = () => sql('select state from subscriptions');

beforeEach(async () => {
  await sql('truncate auth_methods, apis, clients, people, audit_events, token_families, codes cascade');
});
afterAll(() => closePool());

const CONFIDENTIAL = { confidential: true, redirect_uris: ['https://shop.example/cb'] };
const BROWSER = { application_type: 'browser', redirect_uris: ['https://shop.example/cb'] };

type Terms = { client: object; subscription: object };

const fileOf = ({ client, subscription }: Terms, approvedBy: string | null) =>
  JSON.stringify(
    {
      auth_methods: [{ id: 'local', type: 'local' }],
      apis: [
        {
          id: 'orders',
          url: 'https://orders.example',
          auth_methods: ['local'],
          device_grant: 'on',
          scopes: [{ name: 'read' }, { name: 'write' }],
          approvers: ['lead@example.com'],
        },
      ],
      clients: [{ client_id: 'shop', ...client }],
      subscriptions: [
        {
          client_id: 'shop',
          api: 'orders',
          scopes: ['read'],
          ...subscription,
          ...(approvedBy !== null && { approved_by: approvedBy }),
        },
      ],
      users: [
        { email: 'ada@example.com', roles: ['administrator'] },
        { email: 'lead@example.com', roles: ['approver'] },
        { email: 'other@example.com', roles: ['approver'] },
        { email: 'dev@example.com', roles: ['developer'] },
      ],
    },
    null,
    1,
  );

const MOVED = { redirect_uris: ['https://elsewhere.example/cb'] };
const CHANGES: [term: string, before: object, after: Terms][] = [
  ['redirect_uris', CONFIDENTIAL, { client: { ...CONFIDENTIAL, ...MOVED }, subscription: {} }],
  ['scopes', CONFIDENTIAL, { client: CONFIDENTIAL, subscription: { scopes: ['read', 'write'] } }],
  ['confidential', CONFIDENTIAL, { client: BROWSER, subscription: {} }],
  ['application_type', BROWSER, { client: { ...BROWSER, application_type: 'native' }, subscription: {} }],
];
const KINDS = ['trusted', 'machine', 'device'] as const;
const CASES = CHANGES.flatMap(([term, before, after]) =>
  // a machine must be a confidential client
  KINDS.filter((kind) => kind !== 'machine' || (before === CONFIDENTIAL && after.client !== BROWSER)).map(
    (kind) => ({ term, kind, before, after }),
  ),
);

describe.each(CASES)('a changed $term of a $kind subscription', ({ kind, before, after }) => {
  const power = { [kind]: true };
  const changed = { client: after.client, subscription: { ...after.subscription, ...power } };
  beforeEach(async () => {
    await apply(fileOf({ client: before, subscription: power }, 'ada@example.com'));
    expect(await states()).toEqual([{ state: 'approved' }]);
  });

  it.each(['ada@example.com', 'lead@example.com'])(
    'with approved_by: %s, apply keeps the subscription approved',
    async (approver) => {
      const source = fileOf(changed, approver);
      const planned = await apply(source, true);
      const changes = await apply(source);
      expect(planned).toEqual(changes);
      expect(changes.flatMap(({ stops }) => stops ?? [])).toEqual([]);
      expect(await states()).toEqual([{ state: 'approved' }]);
      expect(await sql('select p.email from subscriptions s join people p on p.id = s.decided_by')).toEqual([
        { email: approver },
      ]);
      expect(await apply(source)).toEqual([]);
    },
  );

  it('if approved_by is missing, the subscription becomes pending, and plan and result name the line of the file', async () => {
    const source = fileOf(changed, null);
    const [planned, changes] = [await apply(source, true), await apply(source)];
    const line = source.split('\n').findIndex((text) => text.includes('"subscriptions"')) + 2;
    for (const made of [planned, changes])
      expect(made.flatMap(({ stops }) => stops ?? [])).toEqual([
        {
          path: 'subscriptions[0].approved_by',
          line,
          message: expect.stringContaining('stops working until it is approved'),
        },
      ]);
    expect(await states()).toEqual([{ state: 'pending' }]);
    expect(await apply(source)).toEqual([]);
    await apply(fileOf(changed, 'ada@example.com'));
    expect(await states()).toEqual([{ state: 'approved' }]);
  });

  it.each(['other@example.com', 'dev@example.com', 'nobody@example.com'])(
    'an approved_by user without the right to approve is rejected, with path and line: %s',
    async (approver) => {
      await expect(apply(fileOf(changed, approver))).rejects.toThrow(
        /^subscriptions\[0\]\.approved_by: .*\(line \d+\)$/,
      );
      expect(await states()).toEqual([{ state: 'approved' }]);
    },
  );
});

describe('contract 3: apply never reverts a later decision of a person', () => {
  const trusted = { client: CONFIDENTIAL, subscription: { trusted: true } };
  const moved = { client: { ...CONFIDENTIAL, ...MOVED }, subscription: { trusted: true } };
  const pair = { clientId: 'shop', api: 'orders' };

  it.each(['suspend', 'revoke'] as const)(
    'after the file changes a subscription term, the state %s persists',
    async (action) => {
      await apply(fileOf(trusted, 'ada@example.com'));
      await decideSubscription(OPERATOR, { ...pair, action });
      const before = await states();
      await apply(fileOf(moved, 'ada@example.com'));
      expect(await states()).toEqual(before);
    },
  );

  it('a new request after a rejection waits for a decision of a person', async () => {
    await apply(fileOf(trusted, null));
    await decideSubscription(OPERATOR, { ...pair, action: 'reject', reason: 'no' });
    await requestSubscription(OPERATOR, { ...pair, trusted: true, scopes: ['read', 'write'] });
    await apply(fileOf(trusted, 'ada@example.com'));
    expect(await states()).toEqual([{ state: 'pending' }]);
  });

  it('apply does not restore an approval that a person undid', async () => {
    await apply(fileOf(trusted, null));
    await decideSubscription(OPERATOR, { ...pair, action: 'approve' });
    await undoDecision(OPERATOR, pair);
    await apply(fileOf(trusted, 'ada@example.com'));
    expect(await states()).toEqual([{ state: 'pending' }]);
  });
});

it('the audit log contains the return to pending and the following approval', async () => {
  const subscription = { trusted: true };
  await apply(fileOf({ client: CONFIDENTIAL, subscription }, 'ada@example.com'));
  await sql('truncate audit_events');
  await apply(fileOf({ client: { ...CONFIDENTIAL, ...MOVED }, subscription }, 'lead@example.com'));
  const events = (await listEvents({ limit: 10 })).map(({ event }) => event);
  expect(events.filter((event) => event.startsWith('subscription.')).sort()).toEqual([
    'subscription.approved',
    'subscription.returned_to_pending',
  ]);
});
