// The columns of each table, as rows of docs/tables*.md: from the `///` comments of prisma/schema.prisma. Adjacent
// columns with the same comment share a row.
import { readFileSync } from 'node:fs';

const SCHEMA = new URL('../prisma/schema.prisma', import.meta.url);

type Column = { name: string; holds: string };

/** Tables with columns, in schema order. */
export function storageColumns(): Map<string, string[][]> {
  const tables = new Map<string, string[][]>();
  const text = readFileSync(SCHEMA, 'utf8');
  const models = [...text.matchAll(/^model (\w+) \{\n([\s\S]*?)\n\}/gm)];
  const modelNames = new Set(models.map(([, name]) => name));
  for (const [, model, body = ''] of models) {
    const table = /@@map\("(\w+)"\)/.exec(body)?.[1];
    if (!table) throw new Error(`prisma/schema.prisma: ${model} needs @@map, the name of its table`);
    tables.set(table, rowsOf(columnsOf(table, body, modelNames)));
  }
  return tables;
}

function columnsOf(table: string, body: string, models: ReadonlySet<string | undefined>): Column[] {
  const columns: Column[] = [];
  let comment: string[] = [];
  for (const line of body.split('\n').map((one) => one.trim())) {
    if (line.startsWith('///')) {
      comment.push(line.slice(3).trim());
      continue;
    }
    const [, field, type] = /^(\w+)\s+(\w+)/.exec(line) ?? [];
    // a relation is no column
    if (field && !models.has(type)) {
      const name = /@map\("(\w+)"\)/.exec(line)?.[1] ?? field;
      if (comment.length === 0)
        throw new Error(`prisma/schema.prisma: ${table}.${name} needs a comment /// that says what it holds`);
      columns.push({ name, holds: comment.join(' ') });
    }
    comment = [];
  }
  return columns;
}

function rowsOf(columns: readonly Column[]): string[][] {
  const rows: { names: string[]; holds: string }[] = [];
  for (const { name, holds } of columns) {
    const last = rows.at(-1);
    if (last?.holds === holds) last.names.push(name);
    else rows.push({ names: [name], holds });
  }
  return rows.map(({ names, holds }) => [names.map((name) => `\`${name}\``).join(', '), holds]);
}
