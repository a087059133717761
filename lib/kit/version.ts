// The version of the service, from package.json. `/health`, `/ready` and both OpenAPI documents say it.
import manifest from '../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;

/** The commit that a package, an image or a Debian package was made from; null in a checkout. */
export const COMMIT: string | null = (manifest as { commit?: string }).commit ?? null;

/** How the operator calls the command line. */
export const PROGRAM = COMMIT === null ? 'npm run -s gatehouse --' : 'gatehouse';
