// The account of the embedded PostgreSQL, which refuses to run as root. Where we are root it gets an account that owns
// only its folder, without other groups, without capabilities and without a way to gain any.
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { environment } from '#lib/settings/environment.ts';

export type Account = { uid: number; gid: number };
export type Command = {
  file: string;
  args: string[];
  options: { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number };
};

/** Null: we are not root, and PostgreSQL runs under our own account. */
export function unprivileged(): Account | null {
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
 * How to run a program under that account. Of our environment, which contains secrets, it gets PATH only. Without
 * `setpriv` Node changes user and group, and the kernel drops the capabilities.
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

/** Null unless the checkout or the data are in a folder that the account may not enter, such as /root. */
function capabilityNeeded(account: Account, program: string, folder: string): Capability | null {
  if (mayEnter(account, program) && mayEnter(account, folder) && may(account, program, 0o5)) return null;
  // in some containers root does not have it
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
