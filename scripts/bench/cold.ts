// A process that has just started: the time of its first response, and the time, CPU and additional memory of its
// first token request, compared with its second.
import net from 'node:net';
import { isOk } from '#testing/net/program.ts';
import { Caller } from './client.ts';
import { cpuSeconds, pin, residentMegabytes } from './meters.ts';
import type { Options } from './options.ts';
import { median, say } from './report.ts';
import type { Scenario } from './scenario.ts';
import { resetScenarios, scenarioFor } from './scenarios.ts';
import { startTarget, type TargetName, TITLES } from './targets.ts';
import { prepareWorld, type World } from './world.ts';

const DOORS: TargetName[] = ['node', 'next', 'floor-next'];

type Start = {
  /**
   * milliseconds until the first response of `/health` or, for the floor (a minimal server), of the token endpoint
   */
  answersMs: number;
  /** milliseconds until `/ready` succeeds; the floor has no such address */
  readyMs: number;
  listenMs: number;
  firstMs: number;
  firstCpuMs: number;
  secondMs: number;
  idle: number;
  after: number;
};

export async function measureColdStart(options: Options, pinned: boolean): Promise<void> {
  const { folder, tokens, clients, rounds } = options;
  const world = await prepareWorld(folder, tokens, clients, false);
  if (pinned) pin(world.postmaster, 1);
  resetScenarios();
  const starts = new Map<TargetName, Start[]>(DOORS.map((name) => [name, []]));
  try {
    // round 0 fills the disk caches
    for (let round = 0; round <= rounds; round += 1) {
      for (const name of DOORS) {
        const start = await once(name, world, folder, pinned ? 0 : null, options.profile === name);
        if (round > 0) starts.get(name)?.push(start);
      }
    }
  } finally {
    await world.stop();
  }
  for (const [name, all] of starts) {
    const of = (key: keyof Start) =>
      median(all.map((one) => one[key]))
        .toFixed(0)
        .padStart(4);
    say(
      `${TITLES[name].padEnd(26)} answers after ${of('answersMs')} ms, ${name === 'floor-next' ? '' : `is ready after ${of('readyMs')} ms, `}listens after ${of('listenMs')} ms with ${of('idle')} MB; first token ${of('firstMs')} ms, ${of('firstCpuMs')} ms of CPU, then ${of('after')} MB; the second ${of('secondMs')} ms`,
    );
  }
}

async function once(
  name: TargetName,
  world: World,
  folder: string,
  core: number | null,
  profile = false,
): Promise<Start> {
  const asked = await startTarget(name, world, { folder, core, profile: false });
  await asked.stop();
  const readied =
    name === 'floor-next'
      ? null
      : await startTarget(name, world, { folder, core, profile: false, answers: isReady });
  await readied?.stop();
  const target = await startTarget(name, world, { folder, core, profile, answers: isOpen });
  try {
    const scenario = scenarioFor('refresh', name);
    if (!scenario) throw new Error(`${name} gives no tokens`);
    const [idle, before] = [residentMegabytes(target.pid), cpuSeconds(target.pid)];
    const firstMs = await timeFirst(scenario, world, target.port);
    const firstCpuMs = (cpuSeconds(target.pid) - before) * 1000;
    const after = residentMegabytes(target.pid);
    const secondMs = await timeFirst(scenario, world, target.port);
    return {
      answersMs: asked.startMs,
      readyMs: readied?.startMs ?? 0,
      listenMs: target.startMs,
      firstMs,
      firstCpuMs,
      secondMs,
      idle,
      after,
    };
  } finally {
    await target.stop();
  }
}

async function timeFirst(scenario: Scenario, world: World, port: number): Promise<number> {
  const caller = await Caller.connect(port);
  const { text, check } = scenario.next(world);
  const started = performance.now();
  const fault = check(await caller.send(text));
  const took = performance.now() - started;
  caller.close();
  if (fault !== null) throw new Error(fault);
  return took;
}

const isReady = (port: number) => isOk(`http://127.0.0.1:${port}/ready`);

/** True if the port accepts connections. No request is sent, because the response would load code. */
const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
