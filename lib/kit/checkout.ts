// The commit of a checkout, for a service that runs from one.
import { execFileSync } from 'node:child_process';

/** Twelve hex digits; null: git is missing, or `folder` is in no repository of this user. */
export function checkedOutCommit(folder: string): string | null {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}
