// Large tables, refreshes at the Node server. `--large`: CPU of a refresh with 10 thousand active tokens, with 10
// million (or `--tokens N`, or 50 million by `--huge`), and with 10 thousand again, because a machine's speed
// changes. `--deletes`: the p99 of refreshes while the service deletes 5 million expired rows (`--ended N`),
// alternating with seconds without deletion.
import { freemem } from 'node:os';
import type pg from 'pg';
import { withClient } from '#testing/data/sql.ts';
import { withoutIndexes } from './fill.ts';
import { type Measurement, measure } from './measure.ts';
import { pin } from './meters.ts';
import type { Options } from './options.ts';
import { median, say } from './report.ts';
import { resetScenarios, scenarioFor } from './scenarios.ts';
import { startTarget, type Target } from './targets.ts';
import * as values from './values.ts';
import { prepareWorld, type World } from './world.ts';

const SMALL = 10_000;
/** Number of rows of one expired token family: the family and its refresh tokens. */
const TOKENS_OF_A_FAMILY = 4;

export async function measureLarge(options: Options, pinned: boolean): Promise<void> {
  const costs: { tokens: number; cpuMs: number; databaseCpuMs: number }[] = [];
  for (const tokens of [SMALL, ...options.large, SMALL]) {
    await inWorld(options, pinned, tokens, async (_, world, refreshes) => {
      const rounds: Measurement[] = [];
      // few tokens need only short runs; with many tokens a run takes the requested time, up to a whole
      // checkpoint_timeout
      const count = tokens === SMALL ? Math.min(options.rounds, 4) : options.rounds;
      for (let round = 1; round <= count; round += 1) {
        const before = await logOf(world);
        const measured = await refreshes(options.seconds);
        rounds.push(measured);
        say(`${line(measured)}  ${logGrowth(before, await logOf(world), measured)}  ${await sizeOf(world)}`);
      }
      const [cpuMs, databaseCpuMs] = [
        median(rounds.map((one) => one.cpuMs)),
        median(rounds.map((one) => one.databaseCpuMs)),
      ];
      costs.push({ tokens, cpuMs, databaseCpuMs });
    });
  }
  const small = costs.filter(({ tokens }) => tokens === SMALL);
  const mean = (of: 'cpuMs' | 'databaseCpuMs') =>
    small.reduce((sum, cost) => sum + cost[of], 0) / small.length;
  const [server, database] = [mean('cpuMs'), mean('databaseCpuMs')];
  say(`\nCPU of a refresh to that with ${SMALL.toLocaleString('en')} tokens (before and after):`);
  for (const cost of costs) {
    const both = (cost.cpuMs + cost.databaseCpuMs) / (server + database);
    say(
      `${cost.tokens.toLocaleString('en').padStart(12)} tokens  server ${cost.cpuMs.toFixed(3)} ms (${(cost.cpuMs / server).toFixed(2)})  PostgreSQL ${cost.databaseCpuMs.toFixed(3)} ms (${(cost.databaseCpuMs / database).toFixed(2)})  both ${both.toFixed(2)}`,
    );
  }
}

export async function measureDeletes(options: Options, pinned: boolean): Promise<void> {
  await inWorld(options, pinned, options.tokens, async (target, { databaseUrl }, refreshes) => {
    // the rows are inserted after the service's first cleanup, and its next cleanup starts in ten minutes
    await withClient(databaseUrl, (db) => seedEnded(db, options.ended));
    await refreshes(options.seconds);
    const [quiet, beside, ratios]: [number[], number[], number[]] = [[], [], []];
    const began = performance.now();
    let deletingMs = 0;
    for (let done = false; !done; ) {
      const still = await refreshes(options.seconds);
      quiet.push(still.p99);
      say(`quiet     ${line(still)}`);
      const started = performance.now();
      const ofTurn: number[] = [];
      let over = false;
      const turn = cleanUp(target).finally(() => {
        over = true;
      });
      while (!over) {
        const busy = await refreshes(options.seconds);
        // exclude a measurement that outlasted the cleanup, because its end was quiet
        if (!over || ofTurn.length === 0) ofTurn.push(busy.p99);
        say(`deleting  ${line(busy)}`);
      }
      done = await turn;
      deletingMs += performance.now() - started;
      // both values are measured in each turn, because the machine's speed changes
      ratios.push(median(ofTurn) / still.p99);
      beside.push(...ofTurn);
    }
    const [left] = await withClient(databaseUrl, async (db) => {
      const { rows } = await db.query<{ n: number }>(
        'select count(*)::int as n from token_families where expires_at < now()',
      );
      return rows;
    });
    const [still, busy] = [median(quiet), median(beside)];
    say(
      `\n${options.ended.toLocaleString('en')} rows deleted in ${(deletingMs / 1000).toFixed(0)} s of ${((performance.now() - began) / 1000).toFixed(0)} s, ${left?.n ?? 0} families left`,
    );
    say(
      `p99 quiet ${still.toFixed(1)} ms (${spread(quiet)}), while rows are deleted ${busy.toFixed(1)} ms (${spread(beside)}): ${(busy / still).toFixed(2)} times; turn by turn ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}, median ${median(ratios).toFixed(2)}`,
    );
  });
}

type Refreshes = (seconds: number) => Promise<Measurement>;

async function inWorld(
  options: Options,
  pinned: boolean,
  tokens: number,
  work: (target: Target, world: World, refreshes: Refreshes) => Promise<void>,
): Promise<void> {
  const began = performance.now();
  const world = await prepareWorld(options.folder, tokens, options.clients, false);
  say(
    `${tokens.toLocaleString('en')} tokens: filled in ${((performance.now() - began) / 1000).toFixed(0)} s, ${(freemem() / 2 ** 30).toFixed(1)} GB of memory free`,
  );
  if (pinned) pin(world.postmaster, 1);
  resetScenarios();
  const where = { folder: options.folder, core: pinned ? 0 : null, profile: false };
  const target = await startTarget('node', world, where);
  const scenario = scenarioFor('refresh', 'node');
  if (!scenario) throw new Error('no refresh');
  const refreshes = async (seconds: number) => {
    // earlier requests warmed up the service; now every request counts
    const measured = await measure(target, scenario, world, {
      callers: options.callers,
      seconds,
      warmUpSeconds: 0,
    });
    if (measured.errors > 0) throw new Error(`${measured.errors} errors: ${measured.firstError}`);
    return measured;
  };
  try {
    // not measured: in the first seconds after a checkpoint, PostgreSQL writes whole pages to its log
    await refreshes(options.seconds);
    await work(target, world, refreshes);
  } finally {
    await target.stop();
    await world.stop();
  }
}

/** Runs one cleanup turn. Returns whether all expired rows are deleted. */
async function cleanUp(target: Target): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${target.port}/api/cron/cleanup`, {
    headers: { authorization: `Bearer ${values.CRON_SECRET}` },
  });
  if (answer.status !== 200) throw new Error(`clean-up: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { done: boolean }).done;
}

/** Inserts token families that expired during one day, each refreshed a few times. */
async function seedEnded(db: pg.Client, rows: number): Promise<void> {
  const families = Math.round(rows / (1 + TOKENS_OF_A_FAMILY));
  const id = `('20000000-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid`;
  await withoutIndexes(db, ['token_families', 'refresh_tokens'], async () => {
    await db.query(
      `insert into token_families
         (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, expires_at)
       select ${id}, ${values.personSql('i')}, $2, $3, $4, 'consent', $5::text[], now() - interval '90 days',
         now() - interval '2 hours' - (i % 86400) * interval '1 second'
       from generate_series(0, $1::int - 1) as i order by hashint4(i)`,
      [families, values.CLIENT, values.API, values.METHOD, values.SCOPES],
    );
    await db.query(
      `insert into refresh_tokens (token_hash, family_id, expires_at, used_at)
       select sha256(convert_to('ended ' || i || ' ' || n, 'utf8')), ${id}, now() - interval '3 hours', now() - interval '4 hours'
       from generate_series(0, $1::int - 1) as i, generate_series(1, ${TOKENS_OF_A_FAMILY}) as n order by hashint4(i * 31 + n)`,
      [families],
    );
  });
  await db.query('vacuum (analyze) token_families, refresh_tokens');
  await db.query('checkpoint');
}

type Log = { bytes: number; pages: number };

/** Returns the bytes in PostgreSQL's write-ahead log, and the number of full-page images of tables and indexes. */
async function logOf({ databaseUrl }: World): Promise<Log> {
  return withClient(databaseUrl, async (db) => {
    const { rows } = await db.query<Log>(
      'select wal_bytes::float8 as bytes, wal_fpi::float8 as pages from pg_stat_wal',
    );
    return rows[0] ?? { bytes: Number.NaN, pages: Number.NaN };
  });
}

const logGrowth = (from: Log, to: Log, { requests }: Measurement) =>
  `log ${((to.bytes - from.bytes) / requests / 1024).toFixed(1)} kB, ${((to.pages - from.pages) / requests).toFixed(2)} whole pages`;

async function sizeOf({ databaseUrl }: World): Promise<string> {
  return withClient(databaseUrl, async (db) => {
    const { rows } = await db.query<{ size: string }>(
      'select pg_size_pretty(pg_database_size(current_database())) as size',
    );
    return rows[0]?.size ?? '';
  });
}

const spread = (all: number[]) => `${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)}`;

const line = (m: Measurement) =>
  `${m.requestsPerSecond.toFixed(0).padStart(6)}/s  p50 ${m.p50.toFixed(1)}  p99 ${m.p99.toFixed(1)} ms  CPU ${m.cpuMs.toFixed(3)} ms  database ${m.databaseCpuMs.toFixed(3)} ms`;
