// The version of the service, from package.json. `/health`, `/ready` and both OpenAPI documents say it.
import manifest from '../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
