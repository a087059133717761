// Stores the results of a run: bench/results.json and the charts in docs/.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { GrowthPoint } from './growth.ts';
import type { PeerResults } from './peers/table.ts';
import { machine, type Results, type Summary, summarise } from './report.ts';
import { TITLES } from './targets.ts';

const FILE = 'bench/results.json';

type Kept = { results?: unknown; growth?: unknown; peers?: unknown };

export function publish(part: { results?: Results; growth?: GrowthPoint[]; peers?: PeerResults }): void {
  mkdirSync('bench', { recursive: true });
  const kept: Kept = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Kept) : {};
  const at = new Date().toISOString();
  if (part.results) {
    const summary = summarise(part.results.runs);
    const { runs, ...rest } = part.results;
    kept.results = { at, machine: machine(), ...rest, summary, runs };
    writeFileSync('docs/project/performance.svg', chart(summary));
  }
  if (part.peers) kept.peers = { at, machine: machine(), ...part.peers };
  if (part.growth) kept.growth = { at, machine: machine(), points: part.growth };
  writeFileSync(FILE, `${rowsOf(kept)}\n`);
}

/**
 * Returns JSON with one line per measurement, so that runs can be compared with diff. Numbers have three
 * decimals.
 */
function rowsOf(kept: Kept): string {
  const roundNumber = (_: string, value: unknown) =>
    typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value;
  const text = JSON.stringify(kept, roundNumber, 1);
  return text.replaceAll(/[{[][^{}[\]]*[}\]]/g, (row) => row.replaceAll(/\s+/g, ' '));
}

const ROW = 22;
const LEFT = 230;
const WIDTH = 760;

/**
 * Draws a chart of requests per second for refresh and code, with a bar per server, readable on light and
 * dark backgrounds.
 */
function chart(summary: Summary[]): string {
  const groups = ['refresh', 'code'].map((name) => summary.filter(({ scenario }) => scenario === name));
  const most = Math.max(...groups.flat().map((one) => one.requestsPerSecond));
  const parts: string[] = [];
  let y = 30;
  for (const group of groups) {
    const title = group[0]?.scenario === 'code' ? 'authorization code + PKCE' : 'refresh';
    parts.push(`<text x="0" y="${y}" class="title">${title}, requests a second on one core</text>`);
    for (const one of group) {
      y += ROW;
      const width = (one.requestsPerSecond / most) * (WIDTH - LEFT - 70);
      const own = one.target === 'node' || one.target === 'next';
      parts.push(
        `<text x="0" y="${y}">${TITLES[one.target]}</text>`,
        `<rect x="${LEFT}" y="${y - 13}" width="${width.toFixed(1)}" height="16" rx="2" class="${own ? 'own' : 'other'}"/>`,
        `<text x="${(LEFT + width + 8).toFixed(1)}" y="${y}">${one.requestsPerSecond.toFixed(0)}</text>`,
      );
    }
    y += 2 * ROW;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y - ROW}" font-family="system-ui, sans-serif" font-size="14" role="img" aria-label="Requests a second, by server">
<style>text{fill:#333}.title{font-weight:600}.own{fill:#2563eb}.other{fill:#9ca3af}@media (prefers-color-scheme:dark){text{fill:#ddd}.own{fill:#60a5fa}.other{fill:#6b7280}}</style>
${parts.join('\n')}
</svg>
`;
}
