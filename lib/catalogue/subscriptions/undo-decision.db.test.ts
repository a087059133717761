// Undo of decisions: the time limit, the same user, complete restoration, and concurrent requests.
import { beforeEach, expect, it } from 'vitest';
import { changeClient, readClient } from '#lib/catalogue/clients/operations.ts';
import {
  events,
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  type Person,
  refusal,
  SHOP,
  sql,
} from '#testing/data/registry.ts';
import { decideSubscription, readSubscription, requestSubscription, undoDecision } from './operations.ts';

let developer: Person;
let judge: Person;
let other: Person;
beforeEach(async () => {
  await givenEmptyRegistry();
  developer = await givenPerson('dev', 'developer');
  judge = await givenPerson('judge', 'approver');
  other = await givenPerson('other', 'approver');
  await givenClient(developer);
  await requestSubscription(developer, { ...SHOP, trusted: true, scopes: ['read', 'write'] });
});

const columns = async () => {
  const [row] = await sql(
    `select state, trusted, scopes, reason, decided_by, decided_at, max_days, required_claim, note, updated_at from subscriptions`,
  );
  return row;
};
const older = (seconds: number) =>
  sql('update subscription_events set at = at - make_interval(secs => $1)', [seconds]);
const lastStep = async () => (await readSubscription(judge, SHOP)).history.at(-1);

it('undo of an approval restores scopes, terms and state, and the approval can be repeated', async () => {
  const before = await columns();
  const terms = { scopes: ['read'], maxDays: 7, note: 'Seen.' };
  await decideSubscription(judge, { ...SHOP, action: 'approve', ...terms });
  expect(await columns()).not.toEqual(before);
  expect(await undoDecision(judge, SHOP)).toBe('pending');
  expect(await columns()).toEqual(before);
  expect(await events('subscription.decision_undone')).toHaveLength(1);
  const { history, sinceApproval } = await readSubscription(judge, SHOP);
  expect(history.at(-1)).toMatchObject({ to: 'approved', undoneAt: expect.any(Date) });
  expect(sinceApproval).toBeNull();
  expect(await decideSubscription(judge, { ...SHOP, action: 'approve' })).toBe('approved');
  expect(await lastStep()).toMatchObject({ to: 'approved', undoneAt: null });
});

it('undo reverts rejections, and approvals after rejections', async () => {
  const before = await columns();
  await decideSubscription(judge, { ...SHOP, action: 'reject', reason: 'No.' });
  expect(await undoDecision(judge, SHOP)).toBe('pending');
  expect(await columns()).toEqual(before);
  await decideSubscription(other, { ...SHOP, action: 'reject', reason: 'Not now.' });
  const rejected = await columns();
  await decideSubscription(judge, { ...SHOP, action: 'approve' });
  expect(await undoDecision(judge, SHOP)).toBe('rejected');
  expect(await columns()).toEqual(rejected);
});

it('decision undo fails after the time limit, and cannot be repeated', async () => {
  await decideSubscription(judge, { ...SHOP, action: 'approve' });
  await older(11);
  expect(await refusal(undoDecision(judge, SHOP))).toMatchObject({ code: 'subscription.undo_late' });
  await older(-11);
  await undoDecision(judge, SHOP);
  expect(await refusal(undoDecision(judge, SHOP))).toMatchObject({ code: 'subscription.undo_other' });
});

it('undo of a decision fails for a different approver, and after a later decision or change', async () => {
  await decideSubscription(judge, { ...SHOP, action: 'approve' });
  expect(await refusal(undoDecision(other, SHOP))).toMatchObject({ code: 'subscription.undo_other' });
  expect(await refusal(undoDecision(developer, SHOP))).toMatchObject({ kind: 'forbidden' });
  expect((await refusal(undoDecision(judge, { ...SHOP, version: 1 })))?.kind).toBe('stale');
  const { version } = await readClient(developer, SHOP);
  await changeClient(developer, { clientId: 'shop', version, redirectUris: ['https://else.example/cb'] });
  expect(await refusal(undoDecision(judge, SHOP))).toMatchObject({ code: 'subscription.undo_other' });
  expect((await columns())?.['state']).toBe('pending');
  await decideSubscription(judge, { ...SHOP, action: 'approve' });
  await decideSubscription(judge, { ...SHOP, action: 'suspend' });
  expect(await refusal(undoDecision(judge, SHOP))).toMatchObject({ code: 'subscription.undo_other' });
});

it('of ten concurrent undos one succeeds, and of an undo and a concurrent suspension one succeeds', async () => {
  for (let round = 0; round < 4; round += 1) {
    await decideSubscription(judge, { ...SHOP, action: 'approve' });
    const undone = await Promise.allSettled(Array.from({ length: 10 }, () => undoDecision(judge, SHOP)));
    expect(undone.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await decideSubscription(judge, { ...SHOP, action: 'approve' });
    const both = await Promise.allSettled([
      undoDecision(judge, SHOP),
      decideSubscription(other, { ...SHOP, action: 'suspend' }),
    ]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const isUndone = both[0]?.status === 'fulfilled';
    expect((await columns())?.['state']).toBe(isUndone ? 'pending' : 'suspended');
    if (!isUndone) await sql("update subscriptions set state = 'pending'");
  }
});

it('two approvers who decide concurrently cause one decision and event, and the second gets an error', async () => {
  for (let round = 0; round < 10; round += 1) {
    const counts =
      (await events('subscription.approved')).length + (await events('subscription.rejected')).length;
    const { version, history } = await readSubscription(judge, SHOP);
    const both = await Promise.allSettled([
      decideSubscription(judge, { ...SHOP, action: 'approve', version }),
      decideSubscription(other, { ...SHOP, action: 'reject', reason: 'No.', version }),
    ]);
    const [refused] = both.filter((one) => one.status === 'rejected');
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(refused?.reason).toMatchObject({ kind: expect.stringMatching(/^(stale|conflict)$/) });
    const now = await readSubscription(judge, SHOP);
    expect(now.history).toHaveLength(history.length + 1);
    const approved = both[0]?.status === 'fulfilled';
    expect(now.state).toBe(approved ? 'approved' : 'rejected');
    expect(
      (await events('subscription.approved')).length + (await events('subscription.rejected')).length,
    ).toBe(counts + 1);
    await undoDecision(approved ? judge : other, SHOP);
  }
});
