// Rules for every source file: how long it may be, what it may export, which casts it must not use.
import { Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { exportsOf, isTest, type Source, sourceOf, sourcesIn } from '#testing/sources.ts';

const MAX_LINES = 250;

const sources = sourcesIn(
  'lib',
  'app',
  'cli',
  'scripts',
  'server.ts',
  'serve.ts',
  'proxy.ts',
  'instrumentation.ts',
);
const tests = sourcesIn('testing', 'e2e', 'demo');
const code = sources.filter(({ file }) => !isTest(file));
const core = code.filter(({ file }) => file.startsWith('lib/'));

test(`no file has more than ${MAX_LINES} lines`, () => {
  const long = [...sources, ...tests].filter(({ text }) => text.split('\n').length - 1 > MAX_LINES);
  expect(long.map(({ file }) => file)).toEqual([]);
});

test('no name is exported by two files of lib/', () => {
  expect(exportedTwice(core)).toEqual([]);
});

test('the rule sees every kind of export by its whole name', () => {
  const text = `export type Row = 1; export interface Shape {} export class Box {} export function read() {}
    export const A_ROW = 1, { B_ROW, c: C_ROW } = { B_ROW: 1, c: 2 }; const d = 1; export { d as D_ROW };`;
  const names = ['A_ROW', 'B_ROW', 'Box', 'C_ROW', 'D_ROW', 'Row', 'Shape', 'read'];
  const twice = exportedTwice([sourceOf('one.ts', text), sourceOf('two.ts', text)]);
  expect(twice).toEqual(names.map((name) => `${name}: one.ts, two.ts`));
  expect(
    exportedTwice([sourceOf('one.ts', text), sourceOf('two.ts', 'export const A = 1, ROW = 2;')]),
  ).toEqual([]);
});

function exportedTwice(files: readonly Source[]): string[] {
  const filesOf = new Map<string, string[]>();
  for (const source of files) {
    for (const name of exportsOf(source)) filesOf.set(name, [...(filesOf.get(name) ?? []), source.file]);
  }
  const twice = [...filesOf].filter(([, places]) => places.length > 1);
  return twice
    .map(([name, places]) => `${name}: ${places.sort().join(', ')}`)
    .sort((a, b) => (a < b ? -1 : 1));
}

test('lib/ exports by name only: no default export, no `export *`', () => {
  const faults = core.filter(({ module }) =>
    module.staticExports.some(({ entries }) => entries.some(({ exportName }) => exportName.kind !== 'Name')),
  );
  expect(faults.map(({ file }) => file)).toEqual([]);
});

test('no code casts by `as never` or `as unknown as`', () => {
  const found = code
    .map((source) => ({ file: source.file, count: countForbiddenCasts(source) }))
    .filter(({ count }) => count > 0);
  expect(found.map(({ file, count }) => `${file}: ${count}`)).toEqual([]);
});

function countForbiddenCasts({ program }: Source): number {
  let count = 0;
  new Visitor({
    TSAsExpression({ expression, typeAnnotation }) {
      const throughUnknown =
        expression.type === 'TSAsExpression' && expression.typeAnnotation.type === 'TSUnknownKeyword';
      if (throughUnknown || typeAnnotation.type === 'TSNeverKeyword') count += 1;
    },
  }).visit(program);
  return count;
}
