import { expect, test } from 'vitest';
import { boundedDetails, MAX_DIFF_BYTES } from './audit-log.ts';

const bytes = ({ before, after }: Readonly<Record<string, unknown>>) =>
  Buffer.byteLength(JSON.stringify({ before, after }));

test('a short audit diff stays unchanged', () => {
  const details = { changed: ['name'], before: { name: 'Shop' }, after: { name: 'Store' } };
  expect(boundedDetails(details)).toEqual(details);
});

test('if a diff is too long, its longest values are removed first, and their names are listed', () => {
  const before = { name: 'Shop', description: 'é'.repeat(1_500), scopes: ['x'.repeat(3_000)] };
  const after = { name: 'Store', description: 'é'.repeat(1_000), scopes: ['y'.repeat(9_000)] };
  const kept = boundedDetails({ changed: ['name', 'description', 'scopes'], before, after });
  expect(kept).toEqual({
    changed: ['name', 'description', 'scopes'],
    before: { name: before.name, description: before.description },
    after: { name: after.name, description: after.description },
    leftOut: ['scopes'],
  });
  expect(bytes(kept)).toBeLessThanOrEqual(MAX_DIFF_BYTES);
});

test('the diff of a created object is limited: if all values are long, only their names remain', () => {
  const after = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field${at}`, 'z'.repeat(9_000)]));
  const kept = boundedDetails({ after });
  expect(kept['after']).toEqual({});
  expect(kept['leftOut']).toHaveLength(20);
});

test('a diff stores no secret values and no private members of keys', () => {
  const keys = { keys: [{ kty: 'EC', x: '1', d: 'x' }] };
  const claims = { d: 'ou', secret: 'memberOf' };
  const fields = { secret: 'x', password: 'x', jwks: keys, claims };
  const kept = { jwks: { keys: [{ kty: 'EC', x: '1' }] }, claims };
  expect(boundedDetails({ changed: ['secret'], before: fields, after: fields })).toEqual({
    changed: ['secret'],
    before: kept,
    after: kept,
  });
});

test('audit details without a diff stay unchanged, even if their member "before" is a timestamp', () => {
  const details = { before: '2026-11-27T00:00:00Z', families: 3 };
  expect(boundedDetails(details)).toBe(details);
});
