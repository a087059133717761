// Whose rights the embedded PostgreSQL runs with. It refuses to run as root: there it gets an account that owns nothing but
// its folder, in no other group, with no right of root's, and no way to gain one.
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { environment } from '#lib/settings/index.ts';

export type Account = { uid: number; gid: number };
export type Command = {
  file: string;
  args: string[];
  options: { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number };
};

/** Null where we are not root: then PostgreSQL runs as we do. */
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
 * How to run a program as that account. Of our environment, which holds secrets, it gets the PATH alone. Without
 * `setpriv` Node changes the account and clears its groups, and the kernel takes root's rights away with it.
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
  const right = rightNeeded(account, file, folder);
  const rights = right === null ? '-all' : `-all,+${right}`;
  const drop = [
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    `--inh-caps=${rights}`,
    '--no-new-privs',
    ...(holds('setpcap') ? [`--bounding-set=${rights}`] : []),
  ];
  const keep = right === null ? [] : [`--ambient-caps=${rights}`, '--securebits=+no_setuid_fixup'];
  return { file: 'setpriv', args: [...drop, ...keep, '--', file, ...args], options };
}

/** Bits in /proc/PID/status (capabilities(7)). */
const RIGHTS = { dac_override: 1, dac_read_search: 2, setpcap: 8 };
type Right = keyof typeof RIGHTS;

/** None, unless the checkout or the data lie in a folder such as /root that the account may not enter. */
function rightNeeded(account: Account, program: string, folder: string): Right | null {
  if (mayEnter(account, program) && mayEnter(account, folder) && may(account, program, 0o5)) return null;
  // not every container's root has it
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

function holds(right: Right): boolean {
  const permitted = /^CapPrm:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return ((BigInt(`0x${permitted}`) >> BigInt(RIGHTS[right])) & 1n) === 1n;
}
