// Versions of the service: the version of the product, from package.json, and the version of its interface.

import { execFileSync } from 'node:child_process';
import manifest from '../../package.json' with { type: 'json' };
import { processWide } from './process.ts';

/**
 * Version of the product: `0.3.0` for a release, `0.3.0-dev` in a checkout, `0.3.0-dev+<commit>` for a build from a
 * checkout (Semantic Versioning 2.0.0, items 9 and 10). `/ready`, the command line and metrics report it.
 */
export const VERSION: string = manifest.version;

/**
 * Version of Area A, the interface for clients (specification, section 9). `/health` and the OpenAPI document contain
 * it.
 */
export const INTERFACE_VERSION = '0.1.0';

/** The minor version of a version: `0.3`. */
export const minorOf = (version: string): string => /^\d+\.\d+/.exec(version)?.[0] ?? version;

/** The commit from which the package, image or Debian package was built. `null`: the code runs from a checkout. */
export const COMMIT: string | null = (manifest as { commit?: string }).commit ?? null;

const checkout = processWide<string>('version.commit');

/** Stores the commit of the checkout. Called when the service starts in a checkout. */
export function nameCommit(commit: string | null): void {
  if (commit !== null) checkout.value = commit;
}

/** Returns the commit of the running code; `unknown` in a checkout without git. */
export const runningCommit = (): string => COMMIT ?? checkout.value ?? 'unknown';

// Reads the commit of the checkout, for a service that runs from source.

/** Returns twelve hexadecimal digits. `null`: git is missing, or `folder` is in no repository of this user. */
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
