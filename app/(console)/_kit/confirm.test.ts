import { expect, it } from 'vitest';
import { english } from '#lib/language/message.ts';
import { inEnglish } from '#lib/language/words.ts';
import type { Consequences } from '#lib/management/consequences.ts';
import { addedSince, agreementTo, mustConfirm } from './console-form.ts';
import { Fields } from './posted.ts';

const NOTHING: Consequences = {
  faults: [],
  warnings: [],
  returnsToPending: [],
  losesAccess: [],
  endsTokens: 0,
  people: 0,
};
const shop = { clientId: 'shop', api: 'orders' };
const counter = { clientId: 'counter', api: 'orders' };
const sent = (confirmed?: string) => new Fields(confirmed === undefined ? [] : [['confirmed', confirmed]]);

it('breaking changes require one confirmation, and harmless changes none', () => {
  const breaks = { ...NOTHING, losesAccess: [shop], endsTokens: 3, people: 2 };
  expect(mustConfirm(NOTHING, sent())).toBe(false);
  expect(mustConfirm(breaks, sent())).toBe(true);
  expect(mustConfirm(breaks, sent(agreementTo(breaks)))).toBe(false);
  expect(mustConfirm({ ...NOTHING, endsTokens: 1, people: 1 }, sent())).toBe(true);
});

it('the confirmation shows the number of active sign-ins, and a changed number requires no new confirmation', () => {
  const quiet = { ...NOTHING, losesAccess: [shop] };
  const busy = { ...quiet, endsTokens: 1_204, people: 87 };
  expect(mustConfirm(busy, sent(agreementTo(quiet)))).toBe(false);
  expect(mustConfirm({ ...NOTHING, endsTokens: 2, people: 1 }, sent(agreementTo(NOTHING)))).toBe(false);
});

it('new consequences require another confirmation that highlights them, and vanished consequences require none', () => {
  const before = { ...NOTHING, losesAccess: [shop], warnings: [english('It is owned by a file.')] };
  const after = { ...before, losesAccess: [shop, counter] };
  expect(mustConfirm(after, sent(agreementTo(before)))).toBe(true);
  expect(addedSince(agreementTo(before), after)?.map(({ line }) => inEnglish(line))).toEqual([
    'counter loses its access to orders.',
  ]);
  expect(mustConfirm(before, sent(agreementTo(after)))).toBe(false);
});

it('one digest covers all consequences of a change beyond the page limit, and a new consequence requires a new confirmation', () => {
  const many = Array.from({ length: 300 }, (_, at) => ({ clientId: `c${at}`, api: 'orders' }));
  const before = { ...NOTHING, losesAccess: many };
  const after = { ...NOTHING, losesAccess: [...many, shop] };
  expect(agreementTo(before).length).toBeLessThan(30);
  expect(mustConfirm(before, sent(agreementTo(before)))).toBe(false);
  expect(mustConfirm(after, sent(agreementTo(before)))).toBe(true);
});
