import { expect, it } from 'vitest';
import { z } from 'zod';
import { api, apiRow, changeOf, clientRow, formFields, plainName, wire } from './index.ts';

const NEW = { id: 'orders', name: 'Orders', url: 'https://orders.example' };

it('a change says what it changes and nothing else: no default comes with it', () => {
  expect(changeOf(api).parse({ name: ' Orders ' })).toEqual({ name: 'Orders' });
  expect(changeOf(api).safeParse({ nme: 'Orders' }).success).toBe(false);
});

it('on the wire names are snake_case and times ISO 8601, at every depth', () => {
  const names = (schema: z.core.$ZodType): string[] =>
    schema instanceof z.ZodObject
      ? Object.entries(schema.shape).flatMap(([name, field]) => [name, ...names(field as z.core.$ZodType)])
      : schema instanceof z.ZodArray
        ? names(schema.element)
        : [];
  const all = [...names(wire(apiRow)), ...names(wire(clientRow))];
  expect(all.filter((name) => /[A-Z]/.test(name))).toEqual([]);
  expect(all).toContain('access_token_ttl_seconds');
  expect(wire(apiRow).shape.created_at.safeParse('2026-11-22T05:00:00.000Z').success).toBe(true);
});

it('every setting of an API has words in its form, but for its id', () => {
  const named: string[] = formFields(api).map(({ name }) => name);
  expect(Object.keys(api.shape).filter((name) => !named.includes(name))).toEqual(['id']);
});

it('the file and the columns leave the unit out of a name', () => {
  expect(plainName('accessTokenTtlSeconds')).toBe('access_token_ttl');
});

it.each([
  ['https://orders.example/help', 'https://orders.example/help'],
  ['mailto:help@orders.example', 'mailto:help@orders.example'],
  ['', null],
  [null, null],
])('a contact may be %j', (given, kept) => {
  expect(api.parse({ ...NEW, contactUri: given }).contactUri).toBe(kept);
});

it.each(['javascript:alert(1)', 'help@orders.example', 'mailto:', 'data:text/html,x', '//orders.example'])(
  'no link of an API is %s',
  (given) => {
    for (const name of ['contactUri', 'tosUri', 'policyUri'])
      expect(api.safeParse({ ...NEW, [name]: given }).success, name).toBe(false);
  },
);
