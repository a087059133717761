// The table: for each fault its requests, responses by kind, broken promises and the time to recover.
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export type Row = {
  name: string;
  title: string;
  requests: number;
  answers: Record<string, number>;
  broken: string[];
  recoverySeconds: number | null;
  notes: string;
  seconds: number;
  /** true: the fault was not caused, because a required program is missing; `notes` names the program */
  skipped?: true;
};

/** Returns the row of a skipped fault. */
export function emptyRow({ name, title }: Pick<Row, 'name' | 'title'>, facts: Partial<Row>): Row {
  const nothing = { requests: 0, answers: {}, broken: [], recoverySeconds: null, notes: '', seconds: 0 };
  return { name, title, ...nothing, ...facts };
}

const DOCUMENT = path.resolve(import.meta.dirname, '../../docs/project/reliability.md');
const START = '<!-- npm run faults writes from here -->';
const END = '<!-- to here -->';

const answersOf = ({ answers }: Row) =>
  Object.entries(answers)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${count} × ${kind}`)
    .join(', ');
const recoveryOf = ({ recoverySeconds }: Row) =>
  recoverySeconds === null ? '–' : `${recoverySeconds.toFixed(1)} s`;

export function rowText(row: Row): string {
  if (row.skipped) return `– ${row.title} (${row.notes})`;
  const mark = row.broken.length === 0 ? '✓' : '✗';
  const lines = [
    `${mark} ${row.title} (${row.seconds.toFixed(1)} s${row.notes === '' ? '' : `; ${row.notes}`})`,
    `    ${row.requests} requests: ${answersOf(row) || 'none'}; broken: ${row.broken.length}; recovery: ${recoveryOf(row)}`,
    ...row.broken.slice(0, 12).map((fault) => `    ✗ ${fault}`),
  ];
  return lines.join('\n');
}

/** Puts the table between its marks in docs/project/reliability.md. */
export function writeDocument(rows: Row[]): void {
  const table = [
    '| fault | requests | answers | invariants broken | recovery | notes |',
    '| --- | ---: | --- | ---: | ---: | --- |',
    ...rows.map(
      (row) =>
        `| ${row.title} | ${row.requests} | ${answersOf(row)} | ${row.broken.length} | ${recoveryOf(row)} | ${row.notes} |`,
    ),
  ];
  const cpus = os.cpus();
  const machine = `Node ${process.versions.node}, ${cpus.length} cores (${cpus[0]?.model.trim()}), ${process.platform}, ${new Date().toISOString().slice(0, 10)}.`;
  const text = readFileSync(DOCUMENT, 'utf8');
  const [before = '', rest = ''] = text.split(START);
  const after = rest.split(END)[1] ?? '';
  writeFileSync(DOCUMENT, `${before}${START}\n\n${machine}\n\n${table.join('\n')}\n\n${END}${after}`);
}
