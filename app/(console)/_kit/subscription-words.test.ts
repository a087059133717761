import { expect, test } from 'vitest';
import type { SubscriptionView } from '#lib/catalogue/subscriptions/operations.ts';
import { askedSince } from './subscription-words.ts';

type Step = Pick<SubscriptionView['history'][number], 'from' | 'to' | 'at'>;
const createdAt = new Date('2026-01-01T00:00:00Z');
const day = (at: number) => new Date(Date.UTC(2026, 0, at));
const since = (...history: Step[]) => askedSince({ createdAt, history } as unknown as SubscriptionView);

test('the request time of a subscription is the time of its last request, and changes and decisions never update it', () => {
  const asked: Step = { from: null, to: 'pending', at: day(2) };
  expect(since()).toEqual(createdAt);
  expect(since(asked)).toEqual(day(2));
  expect(since(asked, { from: 'pending', to: 'pending', at: day(5) })).toEqual(day(2));
  expect(since(asked, { from: 'pending', to: 'approved', at: day(6) })).toEqual(day(2));
  const again: Step = { from: 'rejected', to: 'pending', at: day(9) };
  expect(since(asked, { from: 'pending', to: 'rejected', at: day(6) }, again)).toEqual(day(9));
});
