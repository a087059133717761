// How the operator calls the command line: the name in help and messages.
import { COMMIT } from '#lib/kit/version.ts';
import { environment } from '#lib/settings/environment.ts';

/** `GATEHOUSE_COMMAND`: the command that the guide writes around a checkout (docs/operate/deploy-node.md). */
export const PROGRAM =
  COMMIT === null ? environment()['GATEHOUSE_COMMAND'] || 'npm run -s gatehouse --' : 'gatehouse';
