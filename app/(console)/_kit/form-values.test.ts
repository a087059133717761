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

it('what was typed comes back, emptied fields too, and without a draft what is stored', () => {
  const values = new FormValues(draftOf(['name', 'Typed'], ['description', '']));
  expect([values.one('name', 'Stored'), values.one('description', 'Stored')]).toEqual(['Typed', '']);
  expect(new FormValues(null).one('name', 'Stored')).toBe('Stored');
});

it('a field that the form of the version before did not have keeps what is stored', () => {
  expect(new FormValues(draftOf(['name', 'Typed'])).one('verifyCache', '0')).toBe('0');
});

it('a stale form of a group shows that another person changed the method or the claim of a rule', () => {
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
