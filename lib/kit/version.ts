// Versions of the service: product version from package.json, and interface version.

import { execFileSync } from 'node:child_process';
import manifest from '../../package.json' with { type: 'json' };
import { processWide } from './process.ts';

/**
 * Product version: release `0.3.0`, checkout `0.3.0-dev`, build from checkout `0.3.0-dev+<commit>` (Semantic Versioning
 * 2.0.0, items 9 and 10). `/ready`, the command line and metrics report it.
 */
export const VERSION: string = manifest.version;

/**
 * Version of Area A, the interface for clients (specification, section 9). `/health` and the OpenAPI document contain
 * it.
 */
export const INTERFACE_VERSION = '0.1.0';

/** The minor version of a version: `0.3`. */
export const minorOf = (version: string): string => /^\d+\.\d+/.exec(version)?.[0] ?? version;

/** Commit that the package, image or Debian package was built from. `null`: checkout. */
export const COMMIT: string | null = (manifest as { commit?: string }).commit ?? null;

const checkout = processWide<string>('version.commit');

/** Called at service start in a checkout. */
export function nameCommit(commit: string | null): void {
  if (commit !== null) checkout.value = commit;
}

/** Returns the commit of the running code; `unknown` in a checkout without git. */
export const runningCommit = (): string => COMMIT ?? checkout.value ?? 'unknown';

// Reads the checkout’s commit for services that run from source.

/** Returns twelve hex digits. `null`: git is missing, or `folder` is in no repository of this user. */
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
