// `npm run bench`: measures both servers of Gatehouse, the floors and node-oidc-provider in alternation, in one run
// on one machine, because only the ratios are comparable.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pushed } from './authorize.ts';
import { measureBatches } from './batches.ts';
import { Caller } from './client.ts';
import { measureColdStart } from './cold.ts';
import { measureConsole } from './console.ts';
import { nameGroups } from './fill.ts';
import { type GrowthPoint, measureGrowth } from './growth.ts';
import { measureDeletes, measureLarge } from './large.ts';
import { type Measurement, measure } from './measure.ts';
import { hasTaskset, pin, residentMegabytes } from './meters.ts';
import { type Options, readOptions, type ScenarioName } from './options.ts';
import { measurePeers } from './peers/run.ts';
import { publish } from './publish.ts';
import { measureRegistry } from './registry.ts';
import {
  COMPARED,
  median,
  type Results,
  type Run,
  report,
  reportForwardAuth,
  rotateList,
  say,
} from './report.ts';
import { accessTokens, resetScenarios, scenarioFor } from './scenarios.ts';
import { walkSignIn } from './sign-in.ts';
import { startTarget, TARGETS, type Target, type TargetName } from './targets.ts';
import { measureWorkers } from './workers.ts';
import { prepareWorld, type World } from './world.ts';

export const SERVER_CORE = 0;
export const OTHER_CORE = 1;

const options = readOptions(process.argv.slice(2));
if (options) await main(options);

async function main(options: Options): Promise<void> {
  if (options.workers) return measureWorkers(options);
  const pinned = hasTaskset();
  if (pinned) pin(process.pid, OTHER_CORE);
  else say('no taskset here: servers, load and database share the cores, so the figures are rough');
  const { peers } = options;
  if (peers) {
    const core = pinned ? SERVER_CORE : null;
    const results = await measurePeers(
      { ...options, peers },
      { core, otherCore: OTHER_CORE, commit: commit() },
    );
    return options.publish ? publish({ peers: results }) : undefined;
  }
  if (options.growth) {
    const keep = (growth: GrowthPoint[]) => (options.publish ? publish({ growth }) : undefined);
    return measureGrowth(options, pinned, keep);
  }
  if (options.batches) return measureBatches(options, pinned);
  if (options.cold) return measureColdStart(options, pinned);
  if (options.console) return measureConsole(options);
  if (options.registry) return measureRegistry(options, pinned);
  if (options.large.length > 0) await measureLarge(options, pinned);
  if (options.deletes) await measureDeletes(options, pinned);
  if (options.large.length > 0 || options.deletes) return;
  const results = await compare(options, pinned);
  report(results);
  if (options.verify) process.exitCode = reportForwardAuth(results.runs) ? 0 : 1;
  if (options.publish) publish({ results });
}

async function compare(options: Options, pinned: boolean): Promise<Results> {
  const names = TARGETS.filter((name) => options.targets === null || options.targets.includes(name));
  say(`preparing ${options.tokens.toLocaleString('en')} tokens, ${options.clients} clients …`);
  const { folder, tokens, clients } = options;
  const world = await prepareWorld(folder, tokens, clients, names.includes('oidc-provider'));
  if (pinned) pin(world.postmaster, OTHER_CORE);
  const core = pinned ? SERVER_CORE : null;
  const targets: Target[] = [];
  try {
    for (const name of names)
      targets.push(await startTarget(name, world, { folder, core, profile: options.profile === name }));
    resetScenarios();
    await collectAccessTokens(targets, world);
    const runs: Run[] = [];
    const hashes: number[] = [];
    for (const { scenario, round } of turnsOf(options)) {
      // rotate the order: no target always follows the same target
      for (const target of rotateList(targets, round)) {
        const measured = await one(scenario, target, world, options);
        if (!measured) continue;
        runs.push({ scenario, target: target.name, round, callers: options.callers, ...measured });
        say(line(scenario, target.name, round, measured));
      }
      // the hash speed is measured right after the password rounds with which it is compared, because the machine's
      // speed changes
      if (scenario === 'password' || scenario === 'sign-in') hashes.push(hashing(core));
    }
    const memory = Object.fromEntries(targets.map((target) => [target.name, residentMegabytes(target.pid)]));
    const start = Object.fromEntries(targets.map((target) => [target.name, target.startMs]));
    const hashesPerSecond = hashes.length > 0 ? median(hashes) : null;
    return { options, runs, memory, start, hashesPerSecond, pinned, commit: commit() };
  } finally {
    await Promise.all(targets.map((target) => target.stop()));
    await world.stop();
  }
}

/**
 * Returns each scenario with its rounds. Compared targets take turns, because the machine's speed changes.
 */
function turnsOf({ scenarios, rounds, verify }: Options) {
  const isCompared = verify || COMPARED.some(([scenario]) => scenarios.includes(scenario));
  const turns = scenarios.flatMap((scenario) =>
    Array.from({ length: rounds }, (_, at) => ({ scenario, round: at + 1 })),
  );
  return isCompared ? turns.toSorted((a, b) => a.round - b.round) : turns;
}

async function one(
  name: ScenarioName,
  target: Target,
  world: World,
  { callers, seconds, scenarios }: Options,
): Promise<Measurement | null> {
  if (scenarios.includes('refresh-groups')) await nameGroups(world.databaseUrl, name === 'refresh-groups');
  if (name === 'sign-in' || name === 'pushed') {
    if (target.name !== 'node' && target.name !== 'next') return null;
    const walks = name === 'pushed' ? pushed : { next: () => ({ walk: walkSignIn }) };
    return measure(target, walks, world, { callers, seconds });
  }
  const scenario = scenarioFor(name, target.name as TargetName);
  if (!scenario) return null;
  const most = target.name === 'node' || target.name === 'floor' ? 7_000 : 2_000;
  await scenario.prepare?.(world, Math.ceil(most * (seconds + 2)), target.name);
  if (name !== 'mixed') return measure(target, scenario, world, { callers, seconds });
  // measures refreshes while 50 users sign in by password
  const passwords = scenarioFor('password', target.name);
  if (!passwords) return null;
  const beside = measure(target, passwords, world, { callers: 50, seconds: seconds + 1 });
  const measured = await measure(target, scenario, world, { callers, seconds });
  const { errors, firstError } = await beside;
  return { ...measured, errors: measured.errors + errors, firstError: measured.firstError ?? firstError };
}

async function collectAccessTokens(targets: Target[], world: World): Promise<void> {
  const target = targets.find(({ name }) => name === 'node' || name === 'next');
  const scenario = target && scenarioFor('refresh', target.name);
  if (!target || !scenario) return;
  const caller = await Caller.connect(target.port);
  for (let i = 0; i < 500; i += 1) {
    const { text, check } = scenario.next(world);
    const reply = await caller.send(text);
    const fault = check(reply);
    if (fault !== null) throw new Error(`the first refreshes failed: ${fault}`);
    accessTokens.push((JSON.parse(reply.body) as { access_token: string }).access_token);
  }
  caller.close();
}

function hashing(core: number | null): number {
  const node = [path.resolve('node_modules/.bin/node'), 'scripts/bench/hashing.ts'];
  const [program = '', ...rest] = core === null ? node : ['taskset', '-c', String(core), ...node];
  return Number(execFileSync(program, rest, { encoding: 'utf8' }));
}

function line(scenario: string, target: string, round: number, m: Measurement): string {
  const figures = `${m.requestsPerSecond.toFixed(0).padStart(6)}/s  p50 ${ms(m.p50)}  p95 ${ms(m.p95)}  p99 ${ms(m.p99)}`;
  const cpu = `CPU ${m.cpuMs.toFixed(3)} ms  database ${m.databaseCpuMs.toFixed(3)} ms`;
  const fault = m.errors > 0 ? `  ${m.errors} ERRORS: ${m.firstError}` : '';
  return `${scenario.padEnd(12)} ${target.padEnd(14)} #${round} ${figures}  ${cpu}${fault}`;
}

function ms(value: number): string {
  return `${value.toFixed(1).padStart(6)} ms`;
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
