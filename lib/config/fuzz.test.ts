// A configuration file that is broken in any way: every fault is reported with its place, and no exception is thrown.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { nasty } from '../../scripts/fuzz/values.ts';
import { readConfiguration } from './file.ts';

const source = readFileSync(new URL('../../demo/gatehouse.yaml', import.meta.url), 'utf8');

function checked(text: string): void {
  const result = readConfiguration(text, {});
  if ('file' in result) return;
  expect(result.faults.length).toBeGreaterThan(0);
  for (const fault of result.faults) {
    expect(fault.message).not.toBe('');
    expect(fault.line === null || fault.line >= 1).toBe(true);
  }
}

test('random text, or the example file with random edits, is accepted, or rejected with message and line', () => {
  fc.assert(fc.property(nasty, checked), { numRuns: 1_000 });
  fc.assert(
    fc.property(fc.nat(source.length), fc.nat(40), nasty, (at, length, extra) => {
      checked(source.slice(0, at) + extra + source.slice(at + length));
    }),
    { numRuns: 500 },
  );
});

test('a file with values of random types is accepted, or rejected with message and line', () => {
  const right: unknown = parse(source);
  const places = placesOf(right);
  const value = fc.oneof(nasty, fc.anything({ maxDepth: 2, withNullPrototype: false }).filter(isYaml));
  fc.assert(
    fc.property(fc.constantFrom(...places), value, (place, wrong) => {
      const file = structuredClone(right);
      let inner = file as Record<string | number, unknown>;
      for (const step of place.slice(0, -1)) inner = inner[step] as Record<string | number, unknown>;
      inner[place.at(-1) ?? ''] = wrong;
      checked(stringify(file));
    }),
    { numRuns: 1_000 },
  );
});

function isYaml(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

function placesOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  return [
    ...(path.length > 0 ? [path] : []),
    ...[...entries].flatMap(([key, inner]) => placesOf(inner, [...path, key])),
  ];
}
