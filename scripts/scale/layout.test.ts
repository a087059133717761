// No table and no hot statement is forgotten, and docs/scale.md says of each what the layout says.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { SLOT_OF, STATEMENTS, TABLES } from './layout.ts';
import { DEFAULTS } from './options.ts';
import { reportOf } from './report.ts';
import { statementsApart, statementsOnOneShard, tablesShown } from './shown.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const page = read('docs/scale.md');

test('every table of the schema lies somewhere, by a column that it has', () => {
  const models = [...read('prisma/schema.prisma').matchAll(/^model \w+ \{([\s\S]*?)@@map\("(\w+)"\)/gm)];
  const tables = models.map(([, , table]) => table as string);
  expect(new Set(Object.keys(TABLES))).toEqual(new Set([...tables, '_prisma_migrations']));
  for (const [, fields = '', table = ''] of models) {
    const lying = TABLES[table];
    if (lying === undefined || !('column' in lying)) continue;
    const named =
      fields.includes(`@map("${lying.column}")`) || new RegExp(`^  ${lying.column}\\s`, 'm').test(fields);
    expect(named, `${table}.${lying.column}`).toBe(true);
  }
});

test('every prepared statement of lib/store has its row', () => {
  const folder = path.join(root, 'lib/store');
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const names = files.flatMap((file) =>
    [...read(`lib/store/${file}`).matchAll(/\bname: '([a-z-]+)',$/gm)].map(([, name]) => name as string),
  );
  expect(new Set(Object.keys(STATEMENTS))).toEqual(new Set(names));
});

test('docs/scale.md shows the layout', () => {
  for (const shown of [tablesShown(), statementsOnOneShard(), statementsApart('split'), SLOT_OF])
    expect(page).toContain(shown);
});

test('docs/scale.md shows what `npm run scale` prints', () => {
  expect(page).toContain(reportOf(DEFAULTS));
});
