// Two users decide at the same time: the second user sees the first decision, and keeps the typed text.

import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { SubscriptionView } from '#lib/catalogue/subscriptions/operations.ts';
import { inEnglish } from '#lib/language/words.ts';
import { FormValues } from '../_kit/draft.ts';
import { decidedMeanwhile } from './decision-forms.ts';
import { Decide } from './subscription-decision.tsx';

const NONE = { approve: false, reject: false, suspend: false, resume: false, revoke: false };
const MAY = { ...NONE, terms: false, request: false, change: false, cancel: false };
const step = {
  from: 'pending',
  to: 'approved',
  actor: 'judge@example.com',
  at: new Date('2026-01-02T03:04:05Z'),
};
const of = {
  ...{ clientId: 'shop', api: 'orders', version: 2, state: 'approved', clientOrigin: null },
  ...{ may: { ...MAY, suspend: true, revoke: true }, history: [step] },
} as unknown as SubscriptionView;

it('if another user has already decided, the page shows the decision, its author and its time', () => {
  expect(inEnglish(decidedMeanwhile('reject', of) ?? { text: '' })).toBe(
    'Your decision was not saved: judge@example.com decided first (approved, 2026-01-02 03:04 UTC). Your text is kept below.',
  );
  expect(decidedMeanwhile('suspend', of)).toBeNull();
});

it.each(['inbox', 'subscription'] as const)(
  '%s: if the page has no form, it shows the message and the typed text',
  (from) => {
    const entries = [
      ['action', 'reject'],
      ['reason', 'No, wrong team.'],
    ] as const;
    const typed = new FormValues({ form: 'decide', because: 'invalid', message: '', faults: {}, entries });
    const start = { action: '/', token: 't', message: 'Your decision was not taken.', faults: {} };
    const html = renderToStaticMarkup(createElement(Decide, { of, start, typed, from }));
    expect(html).toContain('role="alert"');
    expect(html).toContain('Your decision was not taken.');
    expect(html).toContain('No, wrong team.');
  },
);
