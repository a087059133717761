import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULTS, readOptions } from './options.ts';
import { busyCores, bytesOf, primariesFor, reportOf, rowsAtRest } from './report.ts';

test('the row counts of the report include used refresh tokens until their token family expires, and events for the retention period', () => {
  const options = { ...DEFAULTS, people: 1_000, refreshes: 10, 'family-days': 2, 'audit-days': 3 };
  const rows = Object.fromEntries(rowsAtRest(options).map((one) => [one.table, one.rows]));
  expect(rows['refresh_tokens']).toBe(1_000 + (10 * 2 * 86_400) / 2);
  expect(rows['audit_events']).toBeCloseTo(10 * 3 * 86_400 + (3 * 1_000 * 3) / 2, 6);
  expect(bytesOf([{ table: 'people', rows: 3, bytesEach: 10 }])).toBe(30);
});

test('the load determines the number of cores, and the rows determine the disk size', () => {
  const options = { ...DEFAULTS, refreshes: 20_000, 'cpu-ms': 0.2, cores: 8, utilisation: 0.5 };
  expect(busyCores(options)).toBeCloseTo(4, 9);
  expect(primariesFor.load(options)).toBe(1);
  expect(primariesFor.load({ ...options, refreshes: 20_001 })).toBe(2);
  const one = bytesOf(rowsAtRest(options)) / 1e12;
  expect(primariesFor.rows({ ...options, 'disk-tb': one, filled: 1 })).toBe(1);
  expect(primariesFor.rows({ ...options, 'disk-tb': one, filled: 0.5 })).toBe(2);
});

test('an option whose value is not a positive number is rejected by name', () => {
  expect(readOptions([])).toEqual(DEFAULTS);
  expect(readOptions(['--people', '1000'])).toEqual({ ...DEFAULTS, people: 1_000 });
  expect(readOptions(['--help'])).toBe('help');
  for (const value of ['0', '-1', 'many', '', 'NaN', 'Infinity'])
    expect(() => readOptions([`--refreshes=${value}`])).toThrow(/--refreshes/);
  expect(() => readOptions(['--people', '1.5'])).toThrow(/--people must be a whole number/);
  expect(() => readOptions(['--shards', '2'])).toThrow(/shards/);
});

test('docs/operate/scale.md shows what `npm run scale` prints', () => {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/operate/scale.md'), 'utf8');
  expect(page).toContain(reportOf(DEFAULTS));
});
