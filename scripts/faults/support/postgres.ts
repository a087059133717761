// A separate PostgreSQL for the faults, which can be killed, frozen, copied and restored without affecting other
// servers.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { ensureEmbeddedDatabase } from '#lib/embedded-database/embedded.ts';
import { isAlive, launch, postmasterPid, shutDown } from '#lib/embedded-database/postgres-process.ts';
import { grantServiceRole, migrate } from '#lib/store/migrate.ts';
import { waitForNoDisk, withClient } from '#testing/data/sql.ts';
import { until } from '#testing/net/until.ts';

const ROLES = path.resolve(import.meta.dirname, '../../../prisma/roles.sql');

const HAS_PROC = existsSync('/proc/self/stat');

export class Postgres {
  readonly folder: string;
  readonly ownerUrl: string;

  protected constructor(folder: string, ownerUrl: string) {
    this.folder = folder;
    this.ownerUrl = ownerUrl;
  }

  /** Starts a server. `quick`: commits do not wait for the disk. */
  static async create(dataDir: string, quick: boolean): Promise<Postgres> {
    const { databaseUrl } = await ensureEmbeddedDatabase(dataDir);
    if (quick) await waitForNoDisk(databaseUrl);
    const own = new Postgres(path.join(dataDir, 'postgres'), databaseUrl);
    await own.createServiceRole();
    return own;
  }

  async createServiceRole(): Promise<void> {
    await this.asOwner(
      (client) => client.query("create role service login password 'of-the-faults'"),
      'postgres',
    );
  }

  get port(): number {
    return Number(new URL(this.ownerUrl).port);
  }

  urlOf(database: string, role: 'owner' | 'service', port = this.port): string {
    const url = new URL(this.ownerUrl);
    url.pathname = `/${database}`;
    url.port = String(port);
    if (role === 'service') [url.username, url.password] = ['service', 'of-the-faults'];
    return url.href;
  }

  /** Creates a migrated database with the rights of the service's role. */
  async prepare(database: string): Promise<void> {
    await this.createDatabase(database);
    await migrate(this.urlOf(database, 'owner'));
    await grantServiceRole('service', ROLES, this.urlOf(database, 'owner'));
  }

  async createDatabase(database: string): Promise<void> {
    await this.asOwner((client) => client.query(`create database ${database}`), 'postgres');
  }

  /** Runs `work` with an owner's connection to one database. */
  asOwner<T>(work: (client: pg.Client) => Promise<T>, database: string): Promise<T> {
    return withClient(this.urlOf(database, 'owner'), work);
  }

  async processes(): Promise<number[]> {
    const pid = await postmasterPid(this.folder);
    if (pid === null || !isAlive(pid)) return [];
    return [pid, ...childrenOf(pid)];
  }

  /** Sends SIGKILL to all server processes. */
  async kill(): Promise<void> {
    const all = await this.processes();
    for (const pid of all) signal(pid, 'SIGKILL');
    await until(() => !all.some(isRunning), { everyMs: 10 });
  }

  async freeze(): Promise<void> {
    for (const pid of await this.processes()) signal(pid, 'SIGSTOP');
  }

  async thaw(): Promise<void> {
    for (const pid of (await this.processes()).reverse()) signal(pid, 'SIGCONT');
  }

  async start(): Promise<void> {
    await this.launch();
    const answers = () =>
      this.asOwner((client) => client.query('select 1'), 'postgres').then(
        () => true,
        () => false,
      );
    if (!(await until(answers))) throw new Error(`PostgreSQL did not start; ${this.folder}.log says why`);
  }

  protected launch(): Promise<void> {
    return launch(this.folder, this.port);
  }

  async stop(): Promise<void> {
    await this.thaw();
    await shutDown(this.folder);
  }

  /** Copies all files while the server is stopped. */
  async backup(to: string): Promise<void> {
    await this.stop();
    rmSync(to, { recursive: true, force: true });
    cpSync(this.folder, to, { recursive: true, preserveTimestamps: true });
    copyOwner(this.folder, to);
    await this.start();
  }

  async restore(from: string): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
    cpSync(from, this.folder, { recursive: true, preserveTimestamps: true });
    copyOwner(from, this.folder);
    await this.start();
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // ignored: the process has already ended
  }
}

/** Zombies count as ended: their parent may need seconds to notice. */
function isRunning(pid: number): boolean {
  return isAlive(pid) && (!HAS_PROC || !['Z', undefined].includes(statOf(pid)[0]));
}

function childrenOf(pid: number): number[] {
  if (!HAS_PROC) return childrenByPs(pid);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => Number(statOf(candidate)[1]) === pid);
}

/**
 * Returns the fields of proc_pid_stat(5) from the third field on: state, parent, …; empty if there is no such
 * process.
 */
function statOf(pid: number): string[] {
  try {
    // the name of the command can contain spaces and brackets, so the fields are counted from its last bracket
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** Returns the child processes on systems without /proc (macOS). */
function childrenByPs(parent: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid, ppid]) => (ppid === parent && pid !== undefined ? [pid] : []));
}

/** Servers started by root run under a separate account, which must own the copied files. */
function copyOwner(from: string, to: string): void {
  const { uid, gid, mode } = statSync(from);
  chmodSync(to, mode);
  if (process.getuid?.() !== 0) return;
  for (const entry of ['', ...readdirSync(to, { recursive: true, encoding: 'utf8' })])
    chownSync(path.join(to, entry), uid, gid);
}
