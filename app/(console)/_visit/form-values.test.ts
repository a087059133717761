import { expect, it } from 'vitest';
import type { Draft } from '../_forms/draft.ts';
import { FormValues } from './form-values.ts';

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
