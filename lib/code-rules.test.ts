// Rules for every source file: which exports are allowed, and which casts are forbidden.
import { Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { roomOf } from '#testing/code/rooms.ts';
import { exportsOf, isTest, PROGRAMS, type Source, sourceOf, sourcesIn } from '#testing/code/sources.ts';

const sources = sourcesIn(
  'lib',
  'app',
  'cli',
  'scripts',
  'delivery',
  'packages/verify/src',
  'packages/moving-in/src',
  'packages/doctor-mcp/src',
  ...PROGRAMS,
);
const code = sources.filter(({ file }) => !isTest(file));
/** Source files that can handle text from outside: all files except scripts. */
const served = code.filter(({ file }) => !/^(?:scripts|delivery)\//.test(file));
const core = code.filter(({ file }) => file.startsWith('lib/'));

test('no name is exported by two files of lib/', () => {
  expect(exportedTwice(core)).toEqual([]);
});

test('the rule about exports detects every kind of export by its whole name', () => {
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

test('no code has a cast `as never` or `as unknown as`', () => {
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

/** Maps in modules of lib/store that cache nothing from the database, each with its content. */
const NO_FACTS: Readonly<Record<string, string>> = {
  'lib/store/hot/credentials.ts: touched': 'when a use was noted last',
  'lib/store/refusals.ts: waiting': 'what will be written soon',
};

test('store has no bare Map or Set at module level, except the listed ones', () => {
  const found = core
    .filter(({ file }) => roomOf(file) === 'store' && !isTest(file))
    .flatMap((source) => emptyCollections(source).map((name) => `${source.file}: ${name}`));
  expect(found.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(
    Object.keys(NO_FACTS).toSorted((a, b) => (a < b ? -1 : 1)),
  );
  const text = `const a = new Map<string, number>(); export const b = new Set(); let c = processWide<Map<string, 1>>('x');
    const known = new Set(['x']); function f() { const local = new Map(); }`;
  expect(emptyCollections(sourceOf('one.ts', text))).toEqual(['a', 'b', 'c']);
});

/** Names of the module variables whose initial value is an empty Map or Set, or a process-wide Map or Set. */
function emptyCollections({ program, text }: Source): string[] {
  const declared = program.body.flatMap((statement) => {
    const inner = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    return inner?.type === 'VariableDeclaration' ? inner.declarations : [];
  });
  return declared.flatMap(({ id, init }) => {
    if (id.type !== 'Identifier' || !init) return [];
    const begun = text.slice(init.start, init.end);
    return /^new (?:Weak)?(?:Map|Set)\b(?:<[^()]*>)?\(\)$|^processWide<(?:Weak)?(?:Map|Set)\b/.test(begun)
      ? [id.name]
      : [];
  });
}

test('records are read with ownValue if the key is a variable text, because brackets also find inherited names', () => {
  expect(
    served.flatMap((source) => askedByBrackets(source).map((name) => `${source.file}: ${name}`)),
  ).toEqual([]);
  const table = 'const T: Readonly<Record<string, number>> = { a: 1 };';
  expect(askedByBrackets(sourceOf('one.ts', `${table} T[x]; T['a']; T[x.y];`))).toEqual(['T', 'T']);
  expect(askedByBrackets(sourceOf('one.ts', `${table} ownValue(T, x); other[x];`))).toEqual([]);
});

/** Names of the constants of type `Record<string, …>` that the source file declares and reads with brackets. */
function askedByBrackets({ program, text }: Source): string[] {
  const tables = new Set<string>();
  const asked: string[] = [];
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type !== 'Identifier' || init?.type !== 'ObjectExpression' || init.properties.length === 0)
        return;
      const type = id.typeAnnotation ? text.slice(id.typeAnnotation.start, id.typeAnnotation.end) : '';
      if (/^: (?:Readonly<)?(?:Partial<)?Record<string,/.test(type) && /^[A-Z]|^why$/.test(id.name))
        tables.add(id.name);
    },
  }).visit(program);
  new Visitor({
    MemberExpression({ object, property, computed }) {
      const isTable = object.type === 'Identifier' && tables.has(object.name);
      if (computed && isTable && property.type !== 'Literal') asked.push(object.name);
    },
  }).visit(program);
  return asked;
}
