import { expect, expectTypeOf, test } from 'vitest';
import { roomOf } from '#testing/code/rooms.ts';
import { importTarget, isTest, sourcesIn, sourcesOf } from '#testing/code/sources.ts';
import type { Statement } from './pool.ts';
import { batchedStatement, narrowTo, type RowOf, rowsOf, statement } from './statement.ts';

/** Returns the statement that is sent to the database. */
async function sent(
  ask: (run: (one: Statement) => Promise<never[]>) => Promise<unknown>,
): Promise<Statement> {
  let found: Statement | undefined;
  await ask(async (one) => {
    found = one;
    return [];
  });
  if (!found) throw new Error('nothing was sent');
  return found;
}

const find = statement({
  name: 'find',
  takes: { id: 'uuid', names: 'text[]', ip: 'text?' },
  text: (value) => `select ${value.names}, ${value.ip} where id = ${value.id} or ${value.ip} is null`,
});

test('statement parameters follow declared order and types, whatever the order in the SQL text', async () => {
  const given = { ip: null, names: ['a'], id: 'b', unused: true };
  expect(await sent((run) => find(given, run))).toEqual({
    name: 'find',
    text: 'select $2::text[], $3::text where id = $1::uuid or $3::text is null',
    values: ['b', ['a'], null],
  });
});

test('a missing value, a wrong type and null for a statement cause type errors', () => {
  const compiled = () => [
    // @ts-expect-error: the value `ip` is missing
    find({ id: 'a', names: [] }),
    // @ts-expect-error: `names` must be a list
    find({ id: 'a', names: 'b', ip: null }),
    // @ts-expect-error: `id` must not be null
    find({ id: null, names: [], ip: null }),
    // @ts-expect-error: the statement has no such value
    statement({ name: 'x', takes: { id: 'uuid' }, text: (value) => value.other }),
    // @ts-expect-error: PostgreSQL has no such type
    statement({ name: 'x', takes: { id: 'uid' }, text: (value) => value.id }),
  ];
  expect(compiled).toBeTypeOf('function');
});

const half = batchedStatement({
  name: 'half',
  takes: { value: 'int' },
  returns: { n: 'int', value: 'int' },
  leftJoined: { known: 'found', at: 'timestamptz', ip: 'text?' },
  text: (items) =>
    `select q.n::int, value / 2 as value, o is not null as known, o.at, o.ip from ${items} left join o`,
  values: (value: number) => ({ value }),
});

test('the types of a row follow the declared columns', () => {
  const declared = statement({
    name: 'rows',
    takes: {},
    returns: {
      id: 'uuid',
      total: 'bigint',
      hash: 'bytea?',
      names: 'text[]?',
      kind: narrowTo<'a' | 'b'>('text'),
      facts: narrowTo<{ sid: string }>('jsonb?'),
    },
    text: () => 'select id, total, hash, names, kind, facts from one',
  });
  expectTypeOf<RowOf<typeof declared>>().toEqualTypeOf<{
    id: string;
    total: string;
    hash: Buffer | null;
    names: string[] | null;
    kind: 'a' | 'b';
    facts: { sid: string } | null;
  }>();
  expectTypeOf<RowOf<typeof half>>().toExtend<
    { n: number; value: number } & (
      | { known: true; at: Date; ip: string | null }
      | { known: false; at: null; ip: null }
    )
  >();
});

test('an undeclared column, a wider type and rows of a statement without columns cause type errors', () => {
  const compiled = () => [
    // @ts-expect-error: the statement has no such column
    half(1).then(({ other }) => other),
    // @ts-expect-error: `at` is null without a row of the join
    half(1).then(({ at }) => at.getTime()),
    // @ts-expect-error: the statement returns no rows
    find({ id: 'a', names: [], ip: null }).then((rows) => rows.length),
    // @ts-expect-error: a text is no number
    narrowTo<1 | 2>('text'),
    // @ts-expect-error: PostgreSQL has no such type
    statement({ name: 'x', takes: {}, returns: { id: 'uid' }, text: () => 'select id' }),
    // @ts-expect-error: the row of an item has its number
    batchedStatement({ name: 'x', takes: {}, returns: {}, text: () => '', values: (item: object) => item }),
  ];
  expect(compiled).toBeTypeOf('function');
});

test('declared but unused values of a statement throw an error at its creation', () => {
  const made = () =>
    statement({ name: 'find', takes: { id: 'uuid', ip: 'text' }, text: (value) => value.id });
  expect(made).toThrow('find does not use ip');
});

test('batch SQL contains one column per value, and a row number', () => {
  expect(rowsOf({ codeHash: 'bytea?', n2: 'int' })).toBe(
    'unnest($1::bytea[], $2::int[]) with ordinality as q(code_hash, n2, n)',
  );
});

const files = sourcesOf('store');

/**
 * Files that may write `$1` in a statement, because they send it outside the pools or build the SQL for
 * Prisma. Each statement has at most one such parameter.
 */
const BY_HAND = ['database', 'statement', 'migrate'].map((name) => `lib/store/${name}.ts`);

test('no SQL statement has parameters that are numbered by hand', () => {
  const found = files
    .filter(({ file, text }) => !BY_HAND.includes(file) && /\$(?:[2-9]|1\d)/.test(text))
    .map(({ file }) => `${file} counts parameters: name the values by statement(), or use sql\`…\``);
  expect(found).toEqual([]);
});

test('the statements in lib/store/hot never use cold statements', () => {
  const hot = files.filter(({ file }) => file.startsWith('lib/store/hot/'));
  expect(hot.length).toBeGreaterThan(11);
  for (const { file, text } of hot)
    expect(text, file).not.toMatch(
      /\bdatabase\(\)|\binTransaction\b|\bDb\b|\$executeRaw|\breadRows?\(|\bquery\s*[(<]/,
    );
});

/** Files that the hot statements import, with the names that they may import; null: every name. */
const UNDER_HOT: Readonly<Record<string, readonly string[] | null>> = {
  'lib/store/pool.ts': null,
  'lib/store/prisma.ts': ['first', 'some'],
  'lib/store/sealed.ts': null,
  'lib/store/snapshot.ts': null,
  'lib/store/statement.ts': null,
};

test('statements in lib/store/hot import only each other and permitted lower files', () => {
  const imports = sourcesIn('lib/store/hot')
    .filter(({ file }) => !isTest(file))
    .flatMap(({ file, module }) => {
      expect(module.dynamicImports, file).toEqual([]);
      return module.staticImports.flatMap(({ moduleRequest, entries }) => {
        const target = importTarget(file, moduleRequest.value) ?? '';
        if (roomOf(target) !== 'store' || target.startsWith('lib/store/hot/')) return [];
        const names = entries.map(({ importName }) => importName.name ?? '*');
        return [{ file, target, names }];
      });
    });
  expect(imports.length).toBeGreaterThan(14);
  const faults = imports.filter(({ target, names }) => {
    const may = UNDER_HOT[target];
    return may === undefined || (may !== null && names.some((name) => !may.includes(name)));
  });
  expect(faults).toEqual([]);
});
