// Decisions on several requests: each request is decided separately and has its own result. A failure does not affect
// other requests.
import { beforeEach, expect, it } from 'vitest';
import {
  events,
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import {
  decideSubscription,
  decideSubscriptions,
  pageInbox,
  readSubscription,
  requestSubscription,
} from './operations.ts';

let developer: Person;
let judge: Person;
let other: Person;
beforeEach(async () => {
  await givenEmptyRegistry();
  developer = await givenPerson('dev', 'developer', 'approver');
  judge = await givenPerson('judge', 'approver');
  other = await givenPerson('other', 'administrator');
  for (let n = 1; n <= 12; n += 1) {
    await givenClient(developer, `team-${n}`);
    await requestSubscription(developer, { clientId: `team-${n}`, api: 'orders', trusted: n % 2 === 0 });
  }
  await sql("update subscriptions set state = 'pending'");
});

const waiting = async (actor = judge) =>
  (await pageInbox(actor, { order: 'name' })).rows.map(({ clientId, api, version }) => ({
    clientId,
    api,
    version,
  }));
const names = (rows: readonly { clientId: string }[]) => rows.map(({ clientId }) => clientId);

it('the inbox lists requests in natural order of names, and supports search and filters', async () => {
  expect(names(await waiting())).toEqual(Array.from({ length: 12 }, (_, n) => `team-${n + 1}`));
  const find = async (asked: object) => names((await pageInbox(judge, { order: 'name', ...asked })).rows);
  expect(await find({ search: 'TEAM-1' })).toEqual(['team-1', 'team-10', 'team-11', 'team-12']);
  expect(await find({ search: 'dev@exam' })).toHaveLength(12);
  expect(await find({ trusted: true, search: 'team-1' })).toEqual(['team-10', 'team-12']);
  expect(await find({ machine: true })).toEqual([]);
  expect(await find({ unregistered: true })).toEqual([]);
  expect(await find({ api: 'none' })).toEqual([]);
});

it('a bulk decision reports changed requests by name, and decides all others with separate events', async () => {
  const requests = await waiting();
  await decideSubscription(other, { clientId: 'team-3', api: 'orders', action: 'reject', reason: 'No.' });
  const decided = await decideSubscriptions(judge, { action: 'approve', requests });
  expect(decided.filter(({ error }) => error !== null)).toEqual([
    {
      clientId: 'team-3',
      api: 'orders',
      state: null,
      error: expect.objectContaining({ message: expect.stringContaining('team-3') }),
    },
  ]);
  expect(decided.filter(({ state }) => state === 'approved')).toHaveLength(11);
  expect(await events('subscription.approved')).toHaveLength(11);
  expect((await readSubscription(judge, { clientId: 'team-3', api: 'orders' })).state).toBe('rejected');
});

it('in two concurrent bulk decisions, each request is decided once, and each result marks the requests that it decided', async () => {
  const requests = await waiting();
  const [ours, theirs] = await Promise.all([
    decideSubscriptions(judge, { action: 'approve', requests }),
    decideSubscriptions(other, { action: 'reject', reason: 'No.', requests: requests.toReversed() }),
  ]);
  const done = (of: typeof ours) => names(of.filter(({ error }) => error === null));
  expect([...done(ours), ...done(theirs)].toSorted()).toEqual(names(requests).toSorted());
  expect(await events('subscription.approved')).toHaveLength(done(ours).length);
  expect(await events('subscription.rejected')).toHaveLength(done(theirs).length);
});

it('a bulk approval fails for each of the approver’s own requests, and a bulk approval with an invalid list is rejected', async () => {
  const requests = await waiting();
  const decided = await decideSubscriptions(developer, { action: 'approve', requests });
  expect(decided.every(({ state, error }) => state === null && error !== null)).toBe(true);
  const [first] = requests;
  if (!first) throw new Error('nothing waits');
  for (const wrong of [
    [],
    [first, first],
    Array.from({ length: 101 }, (_, n) => ({ clientId: `c${n}`, api: 'a' })),
  ])
    expect((await refusal(decideSubscriptions(judge, { action: 'approve', requests: wrong })))?.kind).toBe(
      'invalid',
    );
  expect(await waiting()).toHaveLength(12);
});
