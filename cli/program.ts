// The name of the command, as the operator types it, for help and messages.
import { COMMIT } from '#lib/kit/version.ts';
import { environment } from '#lib/settings/environment.ts';

/**
 * The environment variable `GATEHOUSE_COMMAND` contains the name of the script that starts Gatehouse from a
 * checkout (docs/operate/deploy-node.md).
 */
export const PROGRAM =
  COMMIT === null ? environment()['GATEHOUSE_COMMAND'] || 'npm run -s gatehouse --' : 'gatehouse';
