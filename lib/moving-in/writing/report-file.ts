// What became of each thing of the source, for people (report.md) and for programs (report.json).
import { type Became, OUTCOMES, type ReportRow } from '../reading/notes.ts';

export type ImportReport = {
  source: string;
  files: readonly string[];
  /** in people.jsonl */
  people: number;
  /** in tokens.jsonl */
  tokens: number;
  counts: Record<Became, number>;
  rows: readonly ReportRow[];
  /** choices that nothing asked for */
  unused_choices: readonly string[];
};

const MEANINGS: Record<Became, string> = {
  decide:
    'Each needs a line in the file of `--choices`: the path, a colon, and what is chosen. `leave out` leaves it out. A path with `[]` is good for all of its kind.',
  'left out': 'It does not come along.',
  changed: 'It comes along in another form.',
  'not looked at': 'No part of this import knows it.',
  carried: 'It comes along as it is.',
  ignored: 'It belongs to the source alone, such as ids of its rows, and means nothing elsewhere.',
};

export function countsOf(rows: readonly ReportRow[]): Record<Became, number> {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Became, number>;
  for (const { outcome, count } of rows) counts[outcome] += count;
  return counts;
}

/** `12 carried, 1 decide` */
export const countsInWords = (counts: Record<Became, number>) =>
  OUTCOMES.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ');

export function reportInWords(report: ImportReport): string {
  const { source, files, people, tokens, counts, rows, unused_choices } = report;
  const lines = [
    `# Import from ${source}`,
    '',
    `Read: ${files.map(code).join(', ')}. People: ${people}.${tokens > 0 ? ` Refresh tokens: ${tokens}.` : ''} ${countsInWords(counts)}.`,
  ];
  if (unused_choices.length > 0)
    lines.push(
      '',
      '## Choices that nothing asked for',
      '',
      ...unused_choices.map((path) => `- ${code(path)}`),
    );
  for (const outcome of OUTCOMES) {
    const own = rows.filter((row) => row.outcome === outcome);
    if (own.length > 0) lines.push('', `## ${outcome}`, '', MEANINGS[outcome], '', ...table(own));
  }
  return `${lines.join('\n')}\n`;
}

function table(rows: readonly ReportRow[]): string[] {
  const cells = rows.map(({ path, count, reason, first }) =>
    [
      code(path),
      String(count),
      cell(first === undefined ? reason : `${reason} (first: ${first})`.trim()),
    ].join(' | '),
  );
  return ['| path | how many | reason |', '| --- | --- | --- |', ...cells.map((row) => `| ${row} |`)];
}

const cell = (text: string) => text.replaceAll(/[\r\n]+/g, ' ').replaceAll('|', '\\|');
const code = (text: string) => `\`${cell(text).replaceAll('`', "'")}\``;
