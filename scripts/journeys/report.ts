// Table of journeys: median figures per journey and device.
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { machine, median } from '../bench/report.ts';
import type { Tally } from './counting.ts';
import type { Journey } from './journeys.ts';
import type { Way } from './walk.ts';

/** `fault`: the step that failed, with its reason; null: success */
export type Round = { journey: Journey; way: Way; tally: Tally; seconds: number; fault: string | null };

const DOCUMENT = path.resolve(import.meta.dirname, '../../docs/project/journeys.md');
const START = '<!-- npm run journeys writes from here -->';
const END = '<!-- to here -->';

const medianOf = (rounds: readonly Round[], of: (round: Round) => number) => median(rounds.map(of));
const wayOf = ({ device, script }: Way) => `${device}, ${script ? 'with' : 'without'} a script`;

const figures = (rounds: readonly Round[]) => ({
  clicks: medianOf(rounds, ({ tally }) => tally.clicks),
  fields: medianOf(rounds, ({ tally }) => tally.fields),
  pages: medianOf(rounds, ({ tally }) => tally.pages),
  seconds: medianOf(rounds, ({ seconds }) => seconds).toFixed(1),
});

/** Returns the table row of a journey on one device. */
export function rowText(rounds: readonly Round[]): string {
  const [first] = rounds;
  if (!first) return '';
  const { clicks, fields, pages, seconds } = figures(rounds);
  const faults = rounds.flatMap(({ fault }) => (fault === null ? [] : [`\n    ✗ ${fault}`]));
  return `${faults.length === 0 ? '✓' : '✗'} ${first.journey.name}, ${wayOf(first.way)}: ${clicks} clicks, ${fields} fields, ${pages} pages, ${seconds} s${faults.join('')}`;
}

/** Puts the tables between their marks in docs/project/journeys.md. */
export function writeDocument(rounds: readonly Round[], each: number): void {
  const journeys = Map.groupBy(rounds, ({ journey }) => journey);
  const parts = [...journeys].map(([journey, own]) => {
    const ways = [...Map.groupBy(own, ({ way }) => way)];
    return [
      `### ${journey.title}`,
      `Before: ${journey.before}.`,
      [
        '| way | clicks | fields | pages | seconds |',
        '| --- | ---: | ---: | ---: | ---: |',
        ...ways.map(([way, some]) => {
          const { clicks, fields, pages, seconds } = figures(some);
          return `| ${wayOf(way)} | ${clicks} | ${fields} | ${pages} | ${seconds} |`;
        }),
      ].join('\n'),
    ].join('\n\n');
  });
  const text = readFileSync(DOCUMENT, 'utf8');
  const [before = '', rest = ''] = text.split(START);
  const after = rest.split(END)[1] ?? '';
  const made = `${machine()}, load ${(loadavg()[0] ?? 0).toFixed(1)}, ${new Date().toISOString().slice(0, 10)}. Rounds: ${each}.\n\n${parts.join('\n\n')}`;
  writeFileSync(DOCUMENT, `${before}${START}\n\n${made}\n\n${END}${after}`);
}
