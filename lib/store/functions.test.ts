// Each file in prisma/functions defines one function with its triggers, and docs/reference/storage.md explains why the
// function is in the database.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FUNCTION_VALUES } from './function-values.ts';
import { readFunctions } from './migrate.ts';

const files = await readFunctions('prisma/functions');
const section = /^## Functions and triggers$([\s\S]*?)^## /m.exec(
  readFileSync('docs/reference/storage.md', 'utf8'),
)?.[1];
/** Sorted names of triggers or tables, joined by commas: `a, b`. */
const sorted = (names: (string | undefined)[]) => [...new Set(names)].sort().join(', ');
const triggersIn = (sql: string) => {
  const all = [...sql.matchAll(/^CREATE OR REPLACE TRIGGER "(\w+)" [^;]*? ON "(\w+)"/gm)];
  return [sorted(all.map(([, name]) => name)), sorted(all.map(([, , table]) => table))];
};
const triggersTold = (cell: string) => [
  sorted([...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name)),
  sorted((/ of (.*)/.exec(cell.trim())?.[1] ?? '').split(', ').filter(Boolean)),
];

test('each function file creates the function of its name, starts with a comment about the reason, and can run repeatedly', () => {
  for (const { name, sql } of files) {
    expect(
      [...sql.matchAll(/\bFUNCTION "(\w+)"\([^)]*\)\s+RETURNS/g)].map(([, made]) => made),
      name,
    ).toEqual([name]);
    expect(sql, name).toMatch(/^-- /);
    expect(sql.match(/^CREATE (?!OR REPLACE )/m), name).toBeNull();
    for (const [, called] of sql.matchAll(/EXECUTE FUNCTION "(\w+)"/g)) expect(called, name).toBe(name);
  }
});

test('docs/reference/storage.md lists every function and trigger with a reason, and no deleted ones', () => {
  const told = [...(section ?? '').matchAll(/^\| `(\w+)`\s*\|([^|]*)\|([^|]*)\|$/gm)].map(
    ([, name, triggers = '', reason = '']) => {
      expect(reason.trim(), `${name}: why`).not.toBe('');
      return [name, triggersTold(triggers)];
    },
  );
  expect(Object.fromEntries(told)).toEqual(
    Object.fromEntries(files.map(({ name, sql }) => [name, triggersIn(sql)])),
  );
  expect(told).toHaveLength(files.length);
});

test('function files use exactly the values of function-values.ts', () => {
  const texts = readdirSync('prisma/functions').map((file) =>
    readFileSync(`prisma/functions/${file}`, 'utf8'),
  );
  const used = texts.flatMap((sql) => [...sql.matchAll(/\{\{(.+?)\}\}/g)].map(([, name]) => name));
  expect([...new Set(used)].toSorted()).toEqual(Object.keys(FUNCTION_VALUES).toSorted());
});
