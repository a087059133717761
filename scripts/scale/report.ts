// What `npm run scale` prints: the tables that docs/scale.md shows.
import {
  busyCores,
  bytesOf,
  bytesOnFullest,
  cpuMsOf,
  evenedShares,
  fewest,
  hottest,
  type Kept,
  type Load,
  movedTo,
  SLOTS,
  sharesOfShards,
  sharesOfSlots,
  sumOfRanks,
  togetherIn,
} from './model.ts';
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

/** Rows at rest, where everybody has one family at a time and signs in again when it ends. */
export function rowsAtRest(options: Options): Kept[] {
  const { people, refreshes } = options;
  const signIns = people / (options['family-days'] * DAY);
  const rows: Record<keyof typeof ROW, number> = {
    people,
    consents: people,
    sessions: signIns * options['session-hours'] * 3_600,
    token_families: people,
    codes: people,
    // a token that was used stays until its family ends: half of a family's life on average
    refresh_tokens: people + (refreshes * options['family-days'] * DAY) / 2,
    // one of each refresh, and three of a sign-in: in, code, tokens
    audit_events: (refreshes + 3 * signIns) * options['audit-days'] * DAY,
  };
  return Object.entries(ROW).map(([table, bytesEach]) => ({
    table,
    rows: rows[table as keyof typeof ROW],
    bytesEach,
    by: ['refresh_tokens', 'audit_events'].includes(table) ? 'requests' : 'people',
  }));
}

const loadOf = (options: Options): Load => ({
  refreshes: options.refreshes,
  cost: { statementMs: options['statement-ms'], rowMs: options['row-ms'] },
  senders: { processes: options.processes, waitMs: options['wait-ms'] },
  cores: options.cores,
  utilisation: options.utilisation,
});
const roomOf = (options: Options) => options['disk-tb'] * 1e12 * options.filled;

const grouped = (value: number) => Math.round(value).toLocaleString('en-US');
const percent = (share: number) => `${(share * 100).toPrecision(2)} %`;
const times = (ratio: number) => `${ratio.toFixed(2)} ×`;

function countOf(value: number): string {
  if (value < 1e6) return grouped(value);
  const power = Math.floor(Math.log10(value) / 3) * 3;
  return `${(value / 10 ** power).toPrecision(3)} · 10^${power}`;
}
function sizeOf(bytes: number): string {
  if (bytes < 1e10) return `${(bytes / 1e9).toPrecision(2)} GB`;
  if (bytes < 1e12) return `${Math.round(bytes / 1e9)} GB`;
  return `${bytes < 1e13 ? (bytes / 1e12).toFixed(1) : grouped(bytes / 1e12)} TB`;
}

export function reportOf(options: Options): string {
  const { people, refreshes, seed } = options;
  const load = loadOf(options);
  const kept = rowsAtRest(options);
  const bytes = bytesOf(kept);
  const slots = sharesOfSlots({ people, skew: options.skew, seed });
  const carries = (count: number) => busyCores(load, slots, count) <= options.cores * options.utilisation;
  const holds = (count: number, of = kept) => bytesOnFullest(of, slots, count) <= roomOf(options);
  const byLoad = fewest(carries);
  const byRows = fewest((count) => holds(count));
  const shards = fewest((count) => carries(count) && holds(count));
  if (byLoad === null || byRows === null || shards === null)
    return 'One slot alone is more than a shard may carry: no number of shards is enough.';
  const shares = sharesOfShards(slots, shards);
  const added = options.add || Math.max(1, Math.round(shards / 8));
  const together = togetherIn(refreshes, shards, load.senders);

  const needed = table(
    ['shards needed for', 'shards', ''],
    [
      [
        'the load',
        grouped(byLoad),
        `${options.cores} cores each, the hottest busy to ${percent(options.utilisation)}`,
      ],
      ['the rows', grouped(byRows), `${options['disk-tb']} TB each, filled to ${percent(options.filled)}`],
      [
        'both',
        grouped(shards),
        `the hottest keeps ${busyCores(load, slots, shards).toFixed(2)} cores busy; ${together.toFixed(2)} refreshes share a statement, ${cpuMsOf(load.cost, together).toFixed(3)} ms each`,
      ],
    ],
  );
  const skews = table(
    [
      'skew',
      'busiest person',
      'hottest slot, to the mean',
      `hottest of ${grouped(shards)} shards`,
      'slots dealt out by load',
    ],
    [...new Set([0, options.skew, 1])].map((skew) => {
      const of = sharesOfSlots({ people, skew, seed });
      return [
        String(skew),
        `${countOf(refreshes / sumOfRanks(1, people, skew))}/s`.replace(/^0\/s$/, 'under 1/s'),
        times(hottest(of) * SLOTS),
        times(hottest(sharesOfShards(of, shards)) * shards),
        times(hottest(evenedShares(of, shards)) * shards),
      ];
    }),
  );
  const rows = table(
    ['rows at rest', 'rows', 'bytes each', 'in all', 'of a shard'],
    [
      ...kept.map((one) => [
        `\`${one.table}\``,
        countOf(one.rows),
        String(one.bytesEach),
        sizeOf(one.rows * one.bytesEach),
        sizeOf((one.rows * one.bytesEach) / shards),
      ]),
      ['together', '', '', sizeOf(bytes), sizeOf(bytes / shards)],
    ],
  );
  const shorter = table(
    ['refresh_family_ttl', 'AUDIT_RETENTION_DAYS', 'in all', 'shards for the rows'],
    [
      [options['family-days'], options['audit-days']],
      [options['family-days'], 30],
      [30, 30],
      [30, 7],
      [7, 7],
    ].map(([family = 1, audit = 1]) => {
      const rows = rowsAtRest({ ...options, 'family-days': family, 'audit-days': audit });
      const enough = fewest((count) => holds(count, rows));
      return [
        `${family} days`,
        `${audit} days`,
        sizeOf(bytesOf(rows)),
        enough === null ? 'none is enough' : grouped(enough),
      ];
    }),
  );
  const most = hottest(shares);
  const loss = table(
    ['one shard is lost', ''],
    [
      ['people whose rows are on it', `${countOf(people / shards)}, ${percent(1 / shards)}`],
      [
        'their refreshes',
        `${grouped(refreshes / shards)}/s, ${percent(1 / shards)}; of the hottest ${grouped(refreshes * most)}/s, ${percent(most)}`,
      ],
      ['everybody else', `${percent(1 - most)} of the requests or more, as before`],
    ],
  );
  const moves = table(
    ['shards', 'slots moved', 'of all', 'bytes moved', `at ${options['copy-mb']} MB/s each`],
    [added, shards].map((more) => {
      const move = movedTo({ before: shards, added: more }, bytes, options['copy-mb']);
      return [
        `${grouped(shards)} to ${grouped(shards + more)}`,
        grouped(move.slots),
        percent(move.share),
        sizeOf(move.bytes),
        `${move.hours.toPrecision(3)} h`,
      ];
    }),
  );
  const title = `${countOf(people)} people, ${grouped(refreshes)} refreshes a second, skew ${options.skew}, ${grouped(SLOTS)} slots`;
  return [title, needed, skews, rows, shorter, loss, moves].join('\n\n');
}
