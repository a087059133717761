// Prints the tables of `npm run scale`, which docs/operate/scale.md shows. Measures nothing: measured values are
// parameters (options.ts).
import type { Options } from './options.ts';
import { table } from './table.ts';

const DAY = 86_400;
/** Bytes of a row with its indexes: 20,000 people with one family each and five refreshes, vacuumed, PostgreSQL 18. */
const ROW = {
  people: 434,
  consents: 274,
  sessions: 655,
  token_families: 321,
  codes: 528,
  refresh_tokens: 429,
  audit_events: 305,
};

export type Kept = { table: string; rows: number; bytesEach: number };

/**
 * Returns the rows in the steady state: one token family per user, and a new sign-in after the family has
 * expired.
 */
export function rowsAtRest(options: Options): Kept[] {
  const { people, refreshes } = options;
  const signIns = people / (options['family-days'] * DAY);
  const rows: Record<keyof typeof ROW, number> = {
    people,
    consents: people,
    sessions: signIns * options['session-hours'] * 3_600,
    token_families: people,
    codes: people,
    // used tokens are stored until their family expires: on average half of a family's lifetime
    refresh_tokens: people + (refreshes * options['family-days'] * DAY) / 2,
    // one event per refresh, three per sign-in: sign-in, code, tokens
    audit_events: (refreshes + 3 * signIns) * options['audit-days'] * DAY,
  };
  return Object.entries(ROW).map(([table, bytesEach]) => ({
    table,
    rows: rows[table as keyof typeof ROW],
    bytesEach,
  }));
}

export const bytesOf = (kept: readonly Kept[]): number =>
  kept.reduce((sum, { rows, bytesEach }) => sum + rows * bytesEach, 0);

/** Returns the number of cores that the refreshes need. */
export const busyCores = (options: Options): number => (options.refreshes * options['cpu-ms']) / 1_000;

/** Number of primary database servers, if users and load are divided evenly among them. */
export const primariesFor = {
  load: (options: Options) => Math.ceil(busyCores(options) / (options.cores * options.utilisation)),
  rows: (options: Options) =>
    Math.ceil(bytesOf(rowsAtRest(options)) / (options['disk-tb'] * 1e12 * options.filled)),
};

const groupDigits = (value: number) => Math.round(value).toLocaleString('en-US');
const percent = (share: number) => `${(share * 100).toPrecision(2)} %`;

function countOf(value: number): string {
  if (value < 1e6) return groupDigits(value);
  const power = Math.floor(Math.log10(value) / 3) * 3;
  return `${(value / 10 ** power).toPrecision(3)} · 10^${power}`;
}
function sizeOf(bytes: number): string {
  if (bytes < 1e10) return `${(bytes / 1e9).toPrecision(2)} GB`;
  if (bytes < 1e12) return `${Math.round(bytes / 1e9)} GB`;
  return `${bytes < 1e13 ? (bytes / 1e12).toFixed(1) : groupDigits(bytes / 1e12)} TB`;
}

export function reportOf(options: Options): string {
  const kept = rowsAtRest(options);
  const { cores, utilisation, filled } = options;
  const needed = table(
    ['needed for', 'primaries', ''],
    [
      [
        'the load',
        groupDigits(primariesFor.load(options)),
        `${busyCores(options).toFixed(1)} cores busy; ${cores} cores each, busy to ${percent(utilisation)}`,
      ],
      [
        'the rows',
        groupDigits(primariesFor.rows(options)),
        `${sizeOf(bytesOf(kept))}; ${options['disk-tb']} TB each, filled to ${percent(filled)}`,
      ],
    ],
  );
  const rows = table(
    ['rows at rest', 'rows', 'bytes each', 'in all'],
    [
      ...kept.map((one) => [
        `\`${one.table}\``,
        countOf(one.rows),
        String(one.bytesEach),
        sizeOf(one.rows * one.bytesEach),
      ]),
      ['together', '', '', sizeOf(bytesOf(kept))],
    ],
  );
  const shorter = table(
    ['refresh_family_ttl', 'AUDIT_RETENTION_DAYS', 'in all', 'primaries for the rows'],
    [
      [options['family-days'], options['audit-days']],
      [options['family-days'], 30],
      [30, 30],
      [30, 7],
      [7, 7],
    ].map(([family = 1, audit = 1]) => {
      const shortened = { ...options, 'family-days': family, 'audit-days': audit };
      const bytes = bytesOf(rowsAtRest(shortened));
      return [`${family} days`, `${audit} days`, sizeOf(bytes), groupDigits(primariesFor.rows(shortened))];
    }),
  );
  const title = `${countOf(options.people)} people, ${groupDigits(options.refreshes)} refreshes a second`;
  return [title, needed, rows, shorter].join('\n\n');
}
