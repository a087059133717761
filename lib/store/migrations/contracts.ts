// Whether a migration only expands: the version before serves on the schema that it leaves. What takes something away
// that this version may use, or refuses what it writes, contracts.

const NAME = '"?(\\w+)"?';
const RULES: readonly [pattern: RegExp, what: string][] = [
  [/\bDROP TABLE (?:IF EXISTS )?"?(\w+)"?/gi, 'drops the table'],
  [new RegExp(`\\bALTER TABLE (?:ONLY )?${NAME}[^;]*?\\bDROP COLUMN`, 'gi'), 'drops a column of'],
  [new RegExp(`\\bALTER TABLE (?:ONLY )?${NAME}[^;]*?\\bRENAME\\b`, 'gi'), 'renames in'],
  [new RegExp(`\\bALTER TABLE (?:ONLY )?${NAME}[^;]*?\\bSET NOT NULL`, 'gi'), 'requires a column of'],
  [
    new RegExp(`\\bALTER TABLE (?:ONLY )?${NAME}[^;]*?\\bALTER COLUMN "?\\w+"? (?:SET DATA )?TYPE`, 'gi'),
    'changes a type in',
  ],
  [
    new RegExp(
      `\\bALTER TABLE (?:ONLY )?${NAME}[^;]*?\\bADD COLUMN (?:(?!\\bDEFAULT\\b)[^,;])*\\bNOT NULL(?![^,;]*\\bDEFAULT\\b)`,
      'gi',
    ),
    'adds a required column to',
  ],
  [new RegExp(`\\bALTER TABLE (?:ONLY )?${NAME}[^;]*?\\bADD CONSTRAINT`, 'gi'), 'constrains'],
  [new RegExp(`\\bDROP TYPE (?:IF EXISTS )?${NAME}`, 'gi'), 'drops the type'],
  [new RegExp(`\\b(?:DELETE FROM|TRUNCATE(?: TABLE)?) ${NAME}`, 'gi'), 'deletes rows of'],
];

const UNIQUE = new RegExp(`\\bCREATE UNIQUE INDEX[^;]*? ON ${NAME}(?: USING \\w+)? ?\\(([^;]*)\\)`, 'gi');
const withoutComments = (sql: string) => sql.replaceAll(/--[^\n]*/g, '');

/** The columns that these migrations add, as `table.column`. */
export function addedColumns(migrations: readonly string[]): Set<string> {
  const tables = migrations.flatMap((sql) => [
    ...withoutComments(sql).matchAll(new RegExp(`\\bALTER TABLE (?:ONLY )?${NAME}([^;]*)`, 'gi')),
  ]);
  return new Set(
    tables.flatMap(([, table, changes = '']) =>
      [...changes.matchAll(/\bADD COLUMN\s+(?:IF NOT EXISTS )?"?(\w+)"?/gi)].map(
        ([, column]) => `${table}.${column}`,
      ),
    ),
  );
}

/**
 * What it takes from the version before, in a few words each; empty: it only expands. `added`: columns that the version
 * before does not know. It leaves them empty, and PostgreSQL counts empty values as different, so a unique index over
 * one of them refuses nothing that it writes.
 */
export function contractsIn(sql: string, added = addedColumns([sql])): string[] {
  const text = withoutComments(sql);
  const own = new Set(
    [...text.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/gi)].map(([, table]) => table),
  );
  const found = RULES.flatMap(([pattern, what]) =>
    [...text.matchAll(pattern)].filter(([, table]) => !own.has(table)).map(([, table]) => `${what} ${table}`),
  );
  const unique = [...text.matchAll(UNIQUE)].flatMap(([, table = '', columns = '']) => {
    const isNew = [...columns.matchAll(/"?(\w+)"?/g)].some(([, column]) => added.has(`${table}.${column}`));
    return own.has(table) || isNew ? [] : [`makes unique in ${table}`];
  });
  return [...new Set([...found, ...unique])];
}

/** A migration that contracts says since which minor version no code needs what it takes: `-- Contracts: 0.3`. */
export const contractsSince = (sql: string): string | null =>
  /^-- Contracts: (\d+\.\d+)$/m.exec(sql)?.[1] ?? null;
