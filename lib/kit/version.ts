// The versions of the service: the product's, from package.json, and that of its interface.

import { execFileSync } from 'node:child_process';
import manifest from '../../package.json' with { type: 'json' };
import { processWide } from './process.ts';

/**
 * Of the product: `0.3.0` of a release, `0.3.0-dev` of a checkout before it, `0.3.0-dev+<commit>` of what was built
 * from one (Semantic Versioning 2.0.0, items 9 and 10). `/ready`, the command line and the metrics say it.
 */
export const VERSION: string = manifest.version;

/** Of Area A, which clients see (specification, section 9): in `/health` and in the OpenAPI document. */
export const INTERFACE_VERSION = '0.1.0';

/** The minor version of a version: `0.3`. */
export const minorOf = (version: string): string => /^\d+\.\d+/.exec(version)?.[0] ?? version;

/** The commit that a package, an image or a Debian package was made from; null in a checkout. */
export const COMMIT: string | null = (manifest as { commit?: string }).commit ?? null;

const checkout = processWide<string>('version.commit');

/** Called at the start of a service that runs from a checkout. */
export function nameCommit(commit: string | null): void {
  if (commit !== null) checkout.value = commit;
}

/** Of the running code; `unknown` in a checkout without git. */
export const runningCommit = (): string => COMMIT ?? checkout.value ?? 'unknown';

// The commit of a checkout, for a service that runs from one.

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
