// PostgreSQL describes each prepared statement on the migrated schema: its parameters and columns equal the declared
// ones, so the types of rows are not only asserted.
import path from 'node:path';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { importsOf, importTarget, sourcesOf } from '#testing/code/sources.ts';
import { describeStatement, typeNames } from '#testing/data/described.ts';
import { withClient } from '#testing/data/sql.ts';
import { definedStatements } from './statement.ts';

type Declared = (typeof definedStatements)[number];

const root = path.resolve(import.meta.dirname, '../..');
const files = sourcesOf('store')
  .filter((source) =>
    importsOf(source).some((name) => importTarget(source.file, name) === 'lib/store/statement.ts'),
  )
  .map(({ file }) => file);
for (const file of files) await import(path.join(root, file));

/** Columns that are nullable in the table, but that are never null in the results of these statements. */
const NEVER_NULL: readonly string[] = [
  // the columns are lists, and no statement that writes them writes null
  'device-request-decide attempts',
  'former-token-spend scopes',
  'machine-live scopes',
  'passkey-names transports',
  'refresh-explain scopes',
  // a condition or the inserted row requires a value
  'browser-trust personId',
  'former-token-spend personId',
  'kept-hash-kinds hash',
  'owed-password-facts passwordHash',
];

/** Returns the differences between the declarations of all statements and PostgreSQL's descriptions. */
const allFaults = (statements: readonly Declared[]) =>
  withClient(process.env['DATABASE_URL'] ?? '', async (client) => {
    const faults: string[] = [];
    for (const declared of statements)
      faults.push(
        ...(await faultsOf(client, declared).catch((error: Error) => [`${declared.name}: ${error.message}`])),
      );
    return faults;
  });

/** Returns the differences between the declaration and PostgreSQL's description. */
async function faultsOf(client: pg.Client, { name, text, takes, returns }: Declared): Promise<string[]> {
  const { parameters, columns } = await describeStatement(client, text);
  const names = Object.keys(returns ?? {});
  const declared = Object.values<string>(returns ?? {});
  const types = await typeNames(
    client,
    declared.map((type) => (type === 'found' ? 'boolean' : type.replace('?', ''))),
  );
  const compare = (what: string, actual: readonly string[], expected: readonly string[]) =>
    actual.join() === expected.join()
      ? []
      : [`${name}: ${what} are ${actual.join(', ') || 'none'}, declared: ${expected.join(', ') || 'none'}`];
  const nulls = (columns ?? []).filter(
    (column) => column.nullable && returns?.[column.name]?.endsWith('?') === false,
  );
  return [
    ...compare('parameters', parameters, await typeNames(client, takes)),
    ...compare(
      'columns',
      (columns ?? []).map((column) => `${column.name} ${column.type}`).toSorted(),
      names.map((column, at) => `${column} ${types[at]}`).toSorted(),
    ),
    ...((columns === null) === (returns === null)
      ? []
      : [`${name}: ${columns === null ? 'returns no rows' : 'returns rows'}`]),
    ...nulls.map((column) => `${name}: ${column.name} can be null`),
  ];
}

test('every prepared statement takes and returns the declared types', async () => {
  expect(definedStatements.length).toBeGreaterThan(100);
  expect((await allFaults(definedStatements)).toSorted()).toEqual(
    NEVER_NULL.map((column) => `${column.replace(' ', ': ')} can be null`).toSorted(),
  );
});

test('every prepared statement has a unique name', () => {
  const names = definedStatements.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test('a wrong declaration of a prepared statement is reported', async () => {
  const text = 'select id, email, version from people where id = $1::uuid and roles = $2::text[]';
  const right = {
    name: 'right',
    text,
    takes: ['uuid', 'text[]'],
    returns: { id: 'uuid', email: 'text?', version: 'int' },
  } as const;
  const returns = { id: 'text', email: 'text', other: 'int' } as const;
  const wrong: Declared[] = [
    right,
    { ...right, name: 'wrong', takes: ['text', 'uuid'], returns },
    { ...right, name: 'undeclared', returns: null },
    { ...right, name: 'idle', text: 'delete from people where id = $1::uuid and roles = $2::text[]' },
    { ...right, name: 'empty', text: text.replace(/id, \w+, \w+/, ''), returns: null },
  ];
  expect(await allFaults(wrong)).toEqual([
    'wrong: parameters are uuid, text[], declared: text, uuid',
    'wrong: columns are email text, id uuid, version integer, declared: email text, id text, other integer',
    'wrong: email can be null',
    'undeclared: columns are email text, id uuid, version integer, declared: none',
    'undeclared: returns rows',
    'idle: columns are none, declared: email text, id uuid, version integer',
    'idle: returns no rows',
    'empty: returns rows',
  ]);
});
