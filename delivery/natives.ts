// Packages with native code: the installed package or, for another platform, the version that the lock file names,
// downloaded by npm.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Entry of a package in the lock file. */
export type Locked = {
  version: string;
  integrity?: string;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optional?: boolean;
};

/** Returns the folder that contains `place`. */
export async function nativePackage(root: string, place: string, locked: Locked): Promise<string> {
  if (existsSync(path.join(root, place, 'package.json'))) return root;
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-native-'));
  const name = `${place.replace('node_modules/', '')}@${locked.version}`;
  const out = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, name], {
    cwd: folder,
    encoding: 'utf8',
  });
  const file = path.join(folder, out.trim());
  const digest = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (digest !== locked.integrity) throw new Error(`${name} is not the package of the lock file`);
  mkdirSync(path.join(folder, place), { recursive: true });
  execFileSync('tar', ['-xzf', file, '-C', path.join(folder, place), '--strip-components=1']);
  return folder;
}
