// The default database: a PostgreSQL from npm in the data folder, on 127.0.0.1 and a separate port. If a service is
// running, a second process, such as the command line, uses the same database server.

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { randomToken } from '#lib/kit/random.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { SettingsError } from '#lib/settings/environment.ts';
import { initialise, isAlive, launch, shutDown, untilGone } from './postgres-process.ts';

// Files in the data folder are written completely or not at all. An error during writing becomes one readable line.

const WHY: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left there',
  EDQUOT: 'the quota of this user is used up',
  EROFS: 'it is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EEXIST: 'it is not a folder',
  ENOTDIR: 'it is not a folder',
  ENOENT: 'it can not be made',
};

/** Runs code that writes into the data folder. */
async function inDataFolder<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const { code = '', syscall = '', stderr } = cause as NodeJS.ErrnoException & { stderr?: string };
    // a missing program is not an error of the folder
    const why = syscall.startsWith('spawn') ? undefined : ownValue(WHY, code);
    if (why !== undefined)
      throw new SettingsError(`GATEHOUSE_DATA_DIR ${dataDir} can not be used: ${why} (${code})`, { cause });
    if (stderr === undefined) throw cause;
    throw new SettingsError(
      `GATEHOUSE_DATA_DIR ${dataDir}: PostgreSQL can not be set up there: ${reasonIn(stderr)}`,
      { cause },
    );
  }
}

/** The first error message in the output of a PostgreSQL program. */
function reasonIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const complaint = lines.find((line) => /\b(?:FATAL|PANIC|error):/i.test(line));
  return (complaint ?? lines.at(-1) ?? 'it ended without a word').replace(
    /^.*\b(?:FATAL|PANIC|error):\s*/i,
    '',
  );
}

/** Writes a file that only its owner can read; replaces an existing file atomically. */
async function writeWhole(file: string, text: string): Promise<void> {
  const part = `${file}.${randomUUID()}`;
  try {
    await writeFile(part, text, { mode: 0o600, flag: 'wx' });
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
}

/** Writes a file that only its owner can read; an existing file stays unchanged. */
async function writeOnce(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    // a full disk leaves an empty file
    await rm(file, { force: true });
    throw error;
  }
}

export type EmbeddedDatabase = {
  databaseUrl: string;
  /** stops the server if this process owns it */
  stop: () => Promise<void>;
};

/**
 * postgres.json. `owner`: pid of the process that stops the server. If the owner was killed, the next process
 * becomes the owner.
 */
const stateShape = z.object({ port: z.int(), password: z.string(), owner: z.int() });
type Known = z.output<typeof stateShape>;

const START_SECONDS = 30;
/**
 * Maximum seconds that a stopping server may take. Reason: a worker without a supervisor waits ten seconds
 * for the other workers before it stops the server.
 */
const GOING_SECONDS = 20;

export function ensureEmbeddedDatabase(dataDir: string): Promise<EmbeddedDatabase> {
  return inDataFolder(dataDir, () => startOrFind(dataDir));
}

async function startOrFind(dataDir: string): Promise<EmbeddedDatabase> {
  await mkdir(dataDir, { recursive: true });
  const { stateFile, folder } = placesIn(dataDir);
  const state = await readState(stateFile);
  const running = state !== null && (await connects(state));
  // a server that is still stopping would block the next server
  if (!running) await untilGone(folder, GOING_SECONDS);
  if (running && isAlive(state.owner)) return { databaseUrl: address(state), stop: async () => {} };

  const next: Known = {
    port: running ? state.port : await freePort(state?.port),
    password: state?.password ?? randomToken(''),
    owner: process.pid,
  };
  await writeWhole(stateFile, JSON.stringify(next));
  if (!running) {
    await initialise(folder, next.password);
    // creating the files takes seconds, so another program may have taken the port in the meantime
    next.port = await freePort(next.port);
    await writeWhole(stateFile, JSON.stringify(next));
    await launch(folder, next.port);
    await untilItConnects(next, folder);
    await createDatabase(next);
  }
  return { databaseUrl: address(next), stop: () => shutDown(folder) };
}

/**
 * For workers whose supervisor (`owner`) was killed: stops the server after all clients have disconnected, unless
 * another service has become its owner.
 */
export async function stopAbandonedDatabase(dataDir: string, owner: number): Promise<void> {
  const { stateFile, folder } = placesIn(dataDir);
  if ((await readState(stateFile))?.owner !== owner) return;
  await shutDown(folder, 'SIGTERM');
  if ((await readState(stateFile))?.owner === owner) await shutDown(folder);
}

function placesIn(dataDir: string): { stateFile: string; folder: string } {
  return {
    stateFile: path.join(dataDir, 'postgres.json'),
    folder: path.resolve(/*turbopackIgnore: true*/ dataDir, 'postgres'),
  };
}

async function readState(stateFile: string): Promise<Known | null> {
  return existsSync(stateFile) ? stateShape.parse(JSON.parse(await readFile(stateFile, 'utf8'))) : null;
}

/**
 * Returns a generated GATEHOUSE_SECRET for a service without a configured secret. It is created once and stored in
 * the data folder; only its owner can read it.
 */
export async function ensureLocalSecret(dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'secret');
  await inDataFolder(dataDir, async () => {
    await mkdir(dataDir, { recursive: true });
    // several processes may try to create the file at the same time
    await writeOnce(file, randomToken(''));
  });
  return readFile(file, 'utf8');
}

function address({ port, password }: Known, database = 'gatehouse'): string {
  return `postgres://gatehouse:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

async function connects(state: Known): Promise<boolean> {
  const client = new pg.Client({
    connectionString: address(state, 'postgres'),
    connectionTimeoutMillis: 2_000,
  });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function untilItConnects(state: Known, folder: string): Promise<void> {
  const deadline = performance.now() + START_SECONDS * 1_000;
  while (!(await connects(state))) {
    if (performance.now() > deadline) {
      throw new Error(`the embedded PostgreSQL did not start; ${folder}.log says why`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function createDatabase(state: Known): Promise<void> {
  const client = new pg.Client({ connectionString: address(state, 'postgres') });
  await client.connect();
  try {
    const { rowCount } = await client.query("select 1 from pg_database where datname = 'gatehouse'");
    if (rowCount === 0) await client.query('create database gatehouse');
  } finally {
    await client.end();
  }
}

async function freePort(wanted: number | undefined): Promise<number> {
  const listen = (port: number) =>
    new Promise<number>((resolve, reject) => {
      const probe = net.createServer().once('error', reject);
      probe.listen(port, '127.0.0.1', () => {
        const taken = (probe.address() as net.AddressInfo).port;
        probe.close(() => resolve(taken));
      });
    });
  return listen(wanted ?? 0).catch(() => listen(0));
}
