// Rules for every source file: how long it may be, what it may export, which casts it must not use.
import { Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { exportsOf, isTest, type Source, sourcesIn } from '#testing/sources.ts';

const MAX_LINES = 250;

const sources = sourcesIn('lib', 'app', 'cli', 'scripts', 'server.ts', 'proxy.ts', 'instrumentation.ts');
const tests = sourcesIn('testing', 'e2e', 'demo');
const code = sources.filter(({ file }) => !isTest(file));
const core = code.filter(({ file }) => file.startsWith('lib/'));

test(`no file has more than ${MAX_LINES} lines`, () => {
  const long = [...sources, ...tests].filter(({ text }) => text.split('\n').length - 1 > MAX_LINES);
  expect(long.map(({ file }) => file)).toEqual([]);
});

test('no name is exported by two files of lib/', () => {
  const filesOf = new Map<string, string[]>();
  for (const source of core) {
    for (const name of exportsOf(source)) filesOf.set(name, [...(filesOf.get(name) ?? []), source.file]);
  }
  const twice = [...filesOf].filter(([, files]) => files.length > 1);
  const found = twice.map(([name, files]) => `${name}: ${files.sort().join(', ')}`);
  expect(found).toEqual([]);
});

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
