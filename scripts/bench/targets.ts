// Servers of a run: separate processes, pinned to one core if the system supports it.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '#testing/net/free-port.ts';
import { isOk, Program } from '#testing/net/program.ts';
import { CRON_SECRET, ISSUER_PATH, ORIGIN } from './values.ts';
import type { World } from './world.ts';

export const TARGETS = ['node', 'next', 'floor', 'floor-next', 'oidc-provider'] as const;
export type TargetName = (typeof TARGETS)[number];

export const TITLES: Record<TargetName, string> = {
  node: 'Gatehouse, Node door',
  next: 'Gatehouse, Next door',
  floor: 'bare floor (node:http)',
  'floor-next': 'bare floor (Next handler)',
  'oidc-provider': 'node-oidc-provider',
};

export function endpointOf(target: TargetName, endpoint: 'authorize' | 'token'): string {
  if (target === 'node' || target === 'next') return `${ISSUER_PATH}/${endpoint}`;
  // node-oidc-provider serves these endpoints at other paths than Gatehouse
  return endpoint === 'authorize' ? '/auth' : '/token';
}

export type Target = {
  name: TargetName;
  port: number;
  pid: number;
  /** milliseconds from process start to first response */
  startMs: number;
  stop: () => Promise<void>;
};

const BIN = path.resolve('node_modules/.bin');
const FLOOR_NEXT = path.resolve('scripts/bench/next-floor');

/** `program`: with its arguments */
type Launch = { program: string[]; probe: string; cwd?: string };

const NODE = path.join(BIN, 'node');
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };

function launchOf(name: TargetName, port: number): Launch {
  switch (name) {
    case 'node':
      return { program: ['sh', '-c', scripts.start], probe: '/health' };
    case 'next':
      return { program: [NODE, `${BIN}/next`, 'start', '-p', String(port)], probe: '/health' };
    case 'floor':
      return { program: [NODE, 'scripts/bench/floor.ts'], probe: '/' };
    case 'floor-next':
      return {
        program: [NODE, `${BIN}/next`, 'start', '-p', String(port)],
        probe: '/token',
        cwd: FLOOR_NEXT,
      };
    case 'oidc-provider':
      return { program: [NODE, 'scripts/bench/provider.ts'], probe: '/.well-known/openid-configuration' };
  }
}

export async function startTarget(
  name: TargetName,
  world: World,
  options: {
    folder: string;
    core: number | null;
    profile: boolean;
    env?: Record<string, string>;
    /** checks whether the server is ready; default: any HTTP response */
    answers?: (port: number) => Promise<boolean>;
  },
): Promise<Target> {
  const port = await freePort();
  const { program, probe, cwd } = launchOf(name, port);
  const server = await launchServer({
    ...options,
    name,
    command: program,
    cwd,
    answers: () => options.answers?.(port) ?? isOk(`http://127.0.0.1:${port}${probe}`),
    env: {
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      PATH: `${BIN}${path.delimiter}${process.env['PATH']}`,
      ...(options.profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folderOf(options)}/profile` } : {}),
      DATABASE_URL: world.databaseUrl,
      GATEHOUSE_SECRET: world.secret,
      BASE_URL: ORIGIN,
      PORT: String(port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      CRON_SECRET,
      // one worker, even on systems without pinning
      GATEHOUSE_WORKERS: '1',
      ...options.env,
    },
  });
  return { name, port, ...server };
}

const folderOf = ({ folder }: { folder: string }) => path.resolve(folder);

export type Server = Pick<Target, 'pid' | 'startMs' | 'stop'>;

/** Starts a server, pinned to `core` unless it is null, and measures the time until `answers` is true. */
export async function launchServer(options: {
  name: string;
  command: string[];
  env: Record<string, string>;
  folder: string;
  core: number | null;
  answers: () => Promise<boolean>;
  cwd?: string | undefined;
  /** maximum start time */
  seconds?: number;
}): Promise<Server> {
  const { name, command, core, answers, cwd = process.cwd(), seconds = 60 } = options;
  const folder = folderOf(options);
  mkdirSync(folder, { recursive: true });
  const log = path.join(folder, `${name}.log`);
  rmSync(log, { force: true });
  const server = new Program({
    command: core === null ? command : ['taskset', '-c', String(core), ...command],
    cwd,
    log,
    // a short interval, because the start of the program is measured
    everyMs: 5,
    seconds,
    answers,
    env: { ...process.env, ...options.env },
  });
  const started = performance.now();
  await server.start();
  return { pid: server.pid, startMs: performance.now() - started, stop: () => server.stop() };
}
