// Compares registries of ten and 100,000 clients in one run. Measures start time until `/ready`, memory, one change's
// cost and delay, effect of constant client changes on refreshes. `npm run bench -- --registry`
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { withClient } from '#testing/data/sql.ts';
import { isOk } from '#testing/net/program.ts';
import { until } from '#testing/net/until.ts';
import { Caller } from './client.ts';
import { measure } from './measure.ts';
import { cpuSeconds, pin, residentMegabytes } from './meters.ts';
import type { Options } from './options.ts';
import { median, say } from './report.ts';
import { resetScenarios, scenarioFor } from './scenarios.ts';
import { startTarget, type Target } from './targets.ts';
import { CLIENT, ISSUER_PATH } from './values.ts';
import { prepareWorld, type World } from './world.ts';

const SIZES = [10, 100_000];
const CHANGED = 'filler-1';
const CHANGES = 50;

export async function measureRegistry(options: Options, pinned: boolean): Promise<void> {
  const quiet: number[] = [];
  for (const clients of SIZES) {
    say(`${clients.toLocaleString('en')} clients`);
    const world = await prepareWorld(options.folder, options.tokens, clients, false);
    if (pinned) pin(world.postmaster, 1);
    const where = { folder: options.folder, core: pinned ? 0 : null, profile: false };
    const target = await startTarget('node', world, where);
    const look = async (db: pg.Client) => {
      const readyMs = target.startMs + (await untilReady(target));
      line('ready after the start of the process', `${(readyMs / 1000).toFixed(1)} s`);
      line('in memory then', `${residentMegabytes(target.pid).toFixed(0)} MB`);
      await changes(target, db);
      quiet.push(await refreshes(options, target, world, db, quiet[0]));
      line('in memory after all of it', `${residentMegabytes(target.pid).toFixed(0)} MB`);
    };
    try {
      await withClient(world.databaseUrl, look);
    } finally {
      await target.stop();
      await world.stop();
    }
  }
  say(
    `refreshes beside 100,000 clients, to those beside ten: ${((quiet[1] ?? 0) / (quiet[0] ?? 1)).toFixed(2)}`,
  );
}

const line = (what: string, value: string) => say(`  ${what.padEnd(56)} ${value}`);

/** Measures the milliseconds until `/ready` succeeds. */
async function untilReady(target: Target): Promise<number> {
  const began = performance.now();
  const ready = () => isOk(`http://127.0.0.1:${target.port}/ready`);
  if (!(await until(ready, { seconds: 120 }))) throw new Error('not ready after two minutes');
  return performance.now() - began;
}

/**
 * Changes a client's secret, then sends a request with the new secret. The service must accept it; measures the delay.
 */
async function changes(target: Target, db: pg.Client): Promise<void> {
  const caller = await Caller.connect(target.port);
  const withSecret = async (secret: string) => {
    const form = {
      client_id: CHANGED,
      client_secret: secret,
      grant_type: 'refresh_token',
      refresh_token: 'x',
    };
    const body = new URLSearchParams(form).toString();
    const head = `POST ${ISSUER_PATH}/token HTTP/1.1\r\nhost: localhost:3000\r\ncontent-type: application/x-www-form-urlencoded`;
    const began = performance.now();
    const reply = await caller.send(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    // client authentication succeeded, only the token was invalid
    if (!reply.body.includes('invalid_grant'))
      throw new Error(`the changed secret was not known: ${reply.body}`);
    return performance.now() - began;
  };
  const change = async (secret: string) => {
    const hash = createHash('sha256').update(secret).digest();
    await db.query('update client_secrets set secret_hash = $2 where client_id = $1', [CHANGED, hash]);
  };
  await change('first');
  await withSecret('first');
  const without: number[] = [];
  for (let at = 0; at < CHANGES; at += 1) without.push(await withSecret('first'));
  const [after, written]: [number[], number[]] = [[], []];
  const before = cpuSeconds(target.pid);
  for (let at = 0; at < CHANGES; at += 1) {
    const began = performance.now();
    await change(`secret ${at}`);
    written.push(performance.now() - began);
    after.push(await withSecret(`secret ${at}`));
  }
  const cpu = ((cpuSeconds(target.pid) - before) * 1000) / CHANGES;
  caller.close();
  line('a request of a client', `${median(without).toFixed(1)} ms`);
  const slowest = Math.max(...after).toFixed(1);
  line(
    'the first one after a change of that client',
    `${median(after).toFixed(1)} ms, at most ${slowest} ms`,
  );
  line('the change itself, in PostgreSQL', `${median(written).toFixed(1)} ms`);
  line('CPU of the server for a change and that request', `${cpu.toFixed(1)} ms`);
}

/**
 * Measures refreshes of one client while other clients are changed: never, ten times a second, or without a pause.
 */
async function refreshes(
  options: Options,
  target: Target,
  world: World,
  db: pg.Client,
  small: number | undefined,
): Promise<number> {
  resetScenarios();
  const scenario = scenarioFor('refresh', 'node');
  if (!scenario) throw new Error('no refresh');
  const load = { callers: options.callers, seconds: options.seconds };
  await measure(target, scenario, world, load);
  const pauses: [what: string, ms: number | null][] = [
    ['refreshes', null],
    ['refreshes, another client changed every 100 ms', 100],
    ['refreshes, other clients changed without a pause', 0],
    ['refreshes, their own client changed every 100 ms', 100],
  ];
  let quiet = 0;
  for (const [what, ms] of pauses) {
    const stop = ms === null ? async () => 0 : storm(db, ms, what.includes('own') ? CLIENT : CHANGED);
    const { requestsPerSecond, p99, errors } = await measure(target, scenario, world, load);
    const made = await stop();
    quiet ||= requestsPerSecond;
    const share = ms === null ? (small ? requestsPerSecond / small : 1) : requestsPerSecond / quiet;
    const rate = ms === null ? '' : `, ${(made / (load.seconds + 1)).toFixed(0)} changes/s`;
    line(
      what,
      `${requestsPerSecond.toFixed(0)}/s (${share.toFixed(2)}), p99 ${p99.toFixed(0)} ms, ${errors} errors${rate}`,
    );
  }
  return quiet;
}

/** Changes clients continuously. Returns a function that stops this, and returns the number of changes. */
function storm(db: pg.Client, pauseMs: number, clientId: string): () => Promise<number> {
  let [running, made] = [true, 0];
  const work = (async () => {
    while (running) {
      await db.query('update clients set name = $2 where client_id = $1', [clientId, `Name ${made}`]);
      made += 1;
      if (pauseMs > 0) await sleep(pauseMs);
    }
  })();
  return async () => {
    running = false;
    await work;
    return made;
  };
}
