import { expect, it } from 'vitest';
import { type Draft, pageAfterSignIn } from './draft.ts';

const refused = (to?: string): Draft => ({
  form: 'confirm-code',
  because: 'invalid',
  message: 'This code is not right.',
  faults: {},
  entries: to === undefined ? [['other', 'x']] : [['to', to]],
});

it('sign-in: the draft of a rejected step survives if the draft belongs to the requested page', () => {
  const asked = '/admin/people/new';
  expect(pageAfterSignIn(asked, null)).toBe(asked);
  expect(pageAfterSignIn(asked, refused())).toBe(asked);
  expect(pageAfterSignIn(asked, refused(`${asked}?draft=typed`))).toBe(`${asked}?draft=typed`);
  for (const other of [
    '/admin',
    'https://evil.example/admin/people/new',
    'javascript:alert(1)',
    '//evil.example',
  ])
    expect(pageAfterSignIn(asked, refused(other)), other).toBe(asked);
});
