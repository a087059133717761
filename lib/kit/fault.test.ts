import { expect, test } from 'vitest';
import { z } from 'zod';
import { checkFault, fault } from './fault.ts';

test('fault: the message contains the values, and the params contain the template', () => {
  expect(fault('must not be longer than {most} characters', { most: 200 })).toEqual({
    message: 'must not be longer than 200 characters',
    params: { text: 'must not be longer than {most} characters', values: { most: 200 } },
  });
});

test('fault: a list has commas, and a list of choices ends in “or”', () => {
  const list = ['a', 'b', 'c'];
  expect(fault('must be {values}', { values: list }).message).toBe('must be a, b, c');
  expect(fault('must be {choices}', { choices: list }).message).toBe('must be a, b or c');
  expect(fault('must be {choices}', { choices: ['a'] }).message).toBe('must be a');
});

const wrong = checkFault('must be {values}', { values: ['a', 'b'] });

test.each([
  ['max', z.string().max(1, wrong)],
  ['regex', z.string().regex(/^a$/, wrong)],
  ['enum', z.enum(['a', 'b'], wrong)],
  ['union', z.union([z.number(), z.boolean()], wrong)],
  ['iso date', z.iso.date(wrong)],
  ['record', z.record(z.string(), z.string(), wrong)],
])('checkFault: the issue of the check %s contains the template and the values', (_, schema) => {
  expect(schema.safeParse('long text').error?.issues).toMatchObject([
    { message: 'must be a, b', params: { text: 'must be {values}', values: { values: ['a', 'b'] } } },
  ]);
});
