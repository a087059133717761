// Lists the ids of e2e/cases.txt that are in no test title, and exits with 1 if there is one. `AZ-01 to AZ-03` in a
// title means all three.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './running.mjs';

const read = (file) => readFileSync(path.join(root, file), 'utf8');
const cases = read('e2e/cases.txt').match(/^[A-Z]{2}-\d{2} P\d$/gm) ?? [];
const FILES = [
  'lib/**/*.test.ts',
  'app/**/*.test.ts',
  'cli/**/*.test.ts',
  'e2e/**/*.spec.ts',
  'scripts/**/*.test.ts',
  'testing/**/*.test.ts',
  'packages/**/*.test.ts',
  'scripts/faults/faults/**/*.ts',
];

/** Start of a test title: one id, or several separated by commas. */
const NAME = /['"`(]((?:[A-Z]{2}-\d{2}(?:, | to | and )?)+)(?=[:,'"`) ])/g;

const named = new Set();
for (const file of globSync(FILES, { cwd: root })) {
  for (const [, ids] of read(file).matchAll(NAME)) {
    for (const [, group, from, to] of ids.matchAll(/([A-Z]{2})-(\d{2})(?: to [A-Z]{2}-(\d{2}))?/g)) {
      for (let number = Number(from); number <= Number(to ?? from); number += 1)
        named.add(`${group}-${String(number).padStart(2, '0')}`);
    }
  }
}
const missing = cases.filter((one) => !named.has(one.slice(0, 5)));
for (const one of missing) process.stdout.write(`${one}\n`);
process.stdout.write(`${cases.length - missing.length} of ${cases.length} cases stand in a test's name\n`);
process.exit(missing.length === 0 ? 0 : 1);
