import { expect, it } from 'vitest';
import { type Draft, FormValues } from './draft.ts';
import { rulesMeanwhile } from './group-rules.ts';

const draftOf = (...entries: [string, string][]): Draft => ({
  form: 'api-change',
  because: 'confirm',
  message: null,
  faults: {},
  entries,
});

it('a form shows the input of its draft, including emptied fields, and without a draft the stored values', () => {
  const values = new FormValues(draftOf(['name', 'Typed'], ['description', '']));
  expect([values.one('name', 'Stored'), values.one('description', 'Stored')]).toEqual(['Typed', '']);
  expect(new FormValues(null).one('name', 'Stored')).toBe('Stored');
});

it('a field missing from an older form version keeps its stored value', () => {
  expect(new FormValues(draftOf(['name', 'Typed'])).one('verifyCache', '0')).toBe('0');
});

it('a stale group form shows concurrent changes of a rule’s method or claim', () => {
  const entries: [string, string][] = [
    ['from.auth_method', 'staff'],
    ['from.claim', 'groups'],
    ['from.values', 'a\n b '],
    ['from.auth_method', ''],
    ['from.claim', ''],
    ['from.values', ''],
  ];
  const typed = new FormValues({ ...draftOf(...entries), because: 'stale' });
  const stored = { auth_method: 'staff', claim: 'groups', values: ['a', 'b'] };
  expect(rulesMeanwhile(typed, [stored])).toBeUndefined();
  expect(rulesMeanwhile(typed, [{ ...stored, claim: 'roles' }])).toBe('staff roles: a | b');
  expect(rulesMeanwhile(typed, [{ ...stored, auth_method: 'guests' }])).toBe('guests groups: a | b');
  expect(rulesMeanwhile(typed, [])).toBe('');
  expect(rulesMeanwhile(new FormValues(draftOf(...entries)), [])).toBeUndefined();
});
