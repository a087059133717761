// docs/reference/storage.md documents the callers and limits of every insert statement. A missing entry may mean that
// anonymous callers can fill the table.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Source, sourcesOf } from '#testing/code/sources.ts';

const root = path.resolve(import.meta.dirname, '../..');
const schema = readFileSync(path.join(root, 'prisma/schema.prisma'), 'utf8');
const modelTables = new Map(
  [...schema.matchAll(/^model (\w+) \{[\s\S]*?@@map\("(\w+)"\)/gm)].map(([, model = '', table]) => [
    model.charAt(0).toLowerCase() + model.slice(1),
    table as string,
  ]),
);

/**
 * Lists each insert of a file. Inserts into audit_events are listed once, because they belong to the statement that
 * they report.
 */
const onceEach = (writes: readonly string[]) =>
  writes.filter((write, at) => !write.endsWith(' audit_events') || writes.indexOf(write) === at).toSorted();

function writesIn({ file, text }: Source): string[] {
  const sql = [...text.matchAll(/\binsert\s+into\s+"?(\w+)/gi)].map(([, table]) => table as string);
  const typed = [...text.matchAll(/\.(\w+)\.(?:create|createMany|createManyAndReturn|upsert)\(/g)].map(
    ([, model = '']) => modelTables.get(model) ?? `an unknown model ${model}`,
  );
  const name = file.replace(/^lib\/(?:store|catalogue)\//, '');
  return [...sql, ...typed].map((table) => `${name} ${table}`);
}

const section = /^## Who fills what$([\s\S]*?)^## /m.exec(
  readFileSync(path.join(root, 'docs/reference/storage.md'), 'utf8'),
)?.[1];
const rows = [...(section ?? '').matchAll(/^\| `([\w/-]+\.ts)`\s*\|([^|]*)\|([^|]*)\|([^|]*)\|$/gm)];

test('docs/reference/storage.md lists every insert statement, and no deleted ones', () => {
  const told = rows.flatMap(([, file, tables = '']) =>
    [...tables.matchAll(/`(\w+)`/g)].map(([, table]) => `${file} ${table}`),
  );
  expect(onceEach(told)).toEqual(onceEach(sourcesOf('store').flatMap(writesIn)));
});

test('documents name a limit for each write by anonymous callers', () => {
  const open = rows.filter(([, , , who = '']) => who.trim().startsWith('yes'));
  expect(open.length).toBeGreaterThan(4);
  for (const [, file, , who = '', bound = ''] of rows) {
    expect(who.trim(), `${file}: who`).toMatch(/^(?:yes: |no)/);
    if (who.trim().startsWith('yes')) expect(bound.trim(), `${file}: bounded by what`).not.toBe('');
  }
});

test('docs/reference/storage.md lists cause, limit and recipient of every event outside of the room management', () => {
  const told = [...(section ?? '').matchAll(/^\| `([a-z_.]+)`\s*\|([^|]*)\|([^|]*)\|([^|]*)\|$/gm)].filter(
    ([, name = '']) => !name.endsWith('.ts'),
  );
  for (const [, name, ...cells] of told) for (const cell of cells) expect(cell.trim(), name).not.toBe('');
  const rooms = ['accounts', 'oauth', 'auth-methods', 'factors', 'sessions'].map((room) =>
    path.join(root, 'lib', room),
  );
  const written = rooms.flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap((file) => [
        ...readFileSync(path.join(room, file), 'utf8').matchAll(/\bevent: '([a-z_]+\.[a-z_]+)'/g),
      ])
      .map(([, name = '']) => name),
  );
  const functions = path.join(root, 'prisma/functions');
  for (const file of readdirSync(functions)) {
    const text = readFileSync(path.join(functions, file), 'utf8');
    // a trigger belongs to the cause of another event
    if (/returns trigger/i.test(text)) continue;
    const inserts = text.matchAll(/INSERT INTO "audit_events"[^']*'([a-z_]+\.[a-z_]+)'/g);
    written.push(...[...inserts].map(([, name = '']) => name));
  }
  expect([...new Set(told.map(([, name = '']) => name))].sort()).toEqual([...new Set(written)].sort());
});
