// `npm run reference`: writes generated tables between the markers in docs/. The adjacent test detects outdated tables.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { EVENTS } from '#lib/registry/audit-event.ts';
import { settingRows } from '#lib/settings/table.ts';
import { PEER_HEAD } from './bench/peers/table.ts';
import { benchGrowth, benchPeers, benchResults, benchRun } from './bench-rows.ts';
import { errorSections, managementCodes } from './error-sections.ts';
import { fileKeys } from './file-keys.ts';
import { LIMITS } from './limit-rows.ts';
import { markdownTable } from './markdown-table.ts';
import { routeRows } from './route-rows.ts';
import { storageColumns } from './storage-columns.ts';
import { verbRows } from './verb-rows.ts';

const docs = fileURLToPath(new URL('../docs', import.meta.url));

const read = (file: string) => readFileSync(path.join(docs, file), 'utf8');

type Cells = readonly string[];
type Table = { file: string; name: string; head: Cells; rows: () => Cells[] };
/** Text with headings, between marks like a table. */
type Sections = { file: string; name: string; text: () => string };
type Generated = Table | Sections;

const SECTIONS = ['auth_methods', 'groups', 'apis', 'clients', 'subscriptions', 'users'];

/** Returns the page that contains a table. A page is limited to 60 kB, so the tables need two pages. */
const pageOf = (table: string) =>
  read('project/tables-tokens.md').includes(`<!-- table: ${table} -->`)
    ? 'project/tables-tokens.md'
    : 'project/tables.md';

const TABLES: readonly Generated[] = [
  ...SECTIONS.map((name) => ({
    file: 'reference/configuration.md',
    name,
    head: ['key', ...(name === 'auth_methods' ? ['type'] : []), 'meaning', 'default'],
    rows: () => fileKeys(name),
  })),
  ...[...storageColumns()].map(([name, rows]) => ({
    file: pageOf(name),
    name,
    head: ['column', 'holds'],
    rows: () => rows,
  })),
  { file: 'reference/commands.md', name: 'verbs', head: ['verb', 'what it does'], rows: verbRows },
  {
    file: 'reference/management-api.md',
    name: 'routes',
    head: ['route', 'what it does', 'role', 'scope'],
    rows: routeRows,
  },
  {
    file: 'reference/audit.md',
    name: 'events',
    head: ['event', 'what happened'],
    rows: () => Object.entries(EVENTS).map(([event, { meaning }]) => [`\`${event}\``, meaning]),
  },
  {
    file: 'reference/settings.md',
    name: 'settings',
    head: ['name', 'meaning', 'if it is not set'],
    rows: () => settingRows().map(([name, { means, unset }]) => [`\`${name}\``, means, unset]),
  },
  { file: 'project/performance.md', name: 'run', head: ['run', 'value'], rows: benchRun },
  {
    file: 'project/performance.md',
    name: 'results',
    head: [
      'request',
      'server',
      'requests',
      'p50',
      'p99',
      'CPU of the server',
      'CPU of PostgreSQL',
      'to the floor',
      'to node-oidc-provider',
    ],
    rows: benchResults,
  },
  { file: 'project/performance.md', name: 'peers', head: PEER_HEAD, rows: benchPeers },
  {
    file: 'project/performance.md',
    name: 'growth',
    head: ['tokens', 'clients', 'callers', 'requests', 'p99', 'CPU of the server', 'CPU of PostgreSQL'],
    rows: benchGrowth,
  },
  ...LIMITS.map(([name, rows]) => ({
    file: 'reference/limits.md',
    name,
    head: ['limit', 'value', 'changed by'],
    rows,
  })),
  { file: 'reference/errors.md', name: 'codes', text: errorSections },
  { file: 'reference/management-errors.md', name: 'management', text: managementCodes },
];

function fillTable(text: string, generated: Generated): string {
  const { file, name } = generated;
  const [begin, end] = [`<!-- table: ${name} -->\n`, `\n<!-- end of ${name} -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0)
    throw new Error(`docs/${file} needs the marks <!-- table: ${name} --> and <!-- end of ${name} -->`);
  const body = 'text' in generated ? generated.text() : markdownTable(generated.head, generated.rows());
  return `${text.slice(0, from + begin.length)}\n${body}\n${text.slice(to)}`;
}

export type Page = { file: string; is: string; shouldBe: string };

/** Returns the documents with generated tables: their current and their expected text. */
export const pages = (): Page[] =>
  [...new Set(TABLES.map(({ file }) => file))].map((file) => {
    const is = read(file);
    const shouldBe = TABLES.filter((table) => table.file === file).reduce(fillTable, is);
    return { file, is, shouldBe };
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { file, is, shouldBe } of pages())
    if (is !== shouldBe) {
      writeFileSync(path.join(docs, file), shouldBe);
      process.stdout.write(`docs/${file}\n`);
    }
}
