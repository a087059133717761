// A peer: an authorization server that `npm run bench -- --peers` measures beside Gatehouse. All peers have the same
// interface and receive the same requests over HTTP.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { requestOf } from '../authorize.ts';
import type { Cookies, Reply } from '../client.ts';
import type { Target } from '../targets.ts';
import * as values from '../values.ts';
import type { World } from '../world.ts';

export const PEER_SCENARIOS = ['refresh', 'code', 'client-credentials', 'introspect'] as const;
export type PeerScenario = (typeof PEER_SCENARIOS)[number];

export type Send = (text: string) => Promise<Reply>;
export type Form = Record<string, string>;
export type Credentials = { client_id: string; client_secret: string };
export type Setup = { world: World; folder: string; core: number | null };

export type Peer = {
  title: string;
  /** Installs missing programs. Throws `Missing` if that is impossible. */
  install: () => Promise<void>;
  /** Prepares an empty database, and starts the server. */
  start: (setup: Setup) => Promise<Running>;
};

export type Running = Pick<Target, 'port' | 'pid' | 'startMs' | 'stop'> & {
  version: string;
  /** paths */
  token: string;
  jwks: string;
  client: Credentials;
  /** clients of the client credentials grant, in turn; default: `client` */
  machines?: Credentials[];
  /** Runs before each measurement. */
  prepareMeasurement?: () => Promise<void>;
  /** additional parameters of token requests */
  parameters: Record<'code' | 'refresh' | 'machine', Form>;
  /** Signs a user in, and returns the cookies of the browser. */
  signIn: (send: Send) => Promise<Cookies>;
  /** Sends the authorization request of a signed-in browser. Resolves to the redirect to the client. */
  authorize: (send: Send, browser: Cookies, request: Form) => Promise<Reply>;
  /** a string: the reason why the peer cannot introspect the access token */
  introspection: { path: string; port?: number; form?: Form; headers?: Record<string, string> } | string;
  /** maximum number of callers of a scenario; default: no limit */
  mostCallers?: Partial<Record<PeerScenario, number>>;
};

/** The message names what is missing and the remedy. The other peers are measured. */
export class Missing extends Error {}

const CACHE = path.join(
  process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'),
  'gatehouse-bench-peers-1',
);

/** Returns a folder outside of the repository. `fill` runs once for each `version`, and again after an interrupted installation. */
export async function cachedFolder(
  name: string,
  version: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = path.join(CACHE, name, createHash('sha256').update(version).digest('hex').slice(0, 12));
  const marker = path.join(folder, '.installed');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === version) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await fill(folder);
  writeFileSync(marker, version);
  return folder;
}

/** Runs a program, and returns its output. The error of a failed program contains the end of its output. */
export async function runProgram(
  program: string,
  args: string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, ...options.env };
  try {
    return await promisify(execFile)(program, args, { ...options, env, maxBuffer: 2 ** 26 });
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (code === 'ENOENT') throw new Missing(`${program} is missing`, { cause: error });
    const output = `${stdout}${stderr}`.trim().slice(-1_000);
    throw new Error(`${program} ${args[0] ?? ''} failed: ${output}`, { cause: error });
  }
}

/** Parameters of an authorization request. Hydra requires a state of 8 characters. */
export const AUTHORIZATION = requestOf({ state: 'bench-state', code_challenge: values.CHALLENGE });

export const basic = (id: string, secret: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

export const locationOf = ({ head }: Reply): string => /^location: ([^\r\n]*)/im.exec(head)?.[1] ?? '';

/** Throws unless the response has this status. */
export function requireStatus(reply: Reply, status: number, step: string): Reply {
  if (reply.status !== status)
    throw new Error(`${step}: status ${reply.status}: ${reply.body.slice(0, 300) || locationOf(reply)}`);
  return reply;
}
