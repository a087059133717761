// The name of the command line in help and messages, as the operator calls it.
import { COMMIT } from '#lib/kit/version.ts';
import { environment } from '#lib/settings/environment.ts';

/** `GATEHOUSE_COMMAND`: name of the wrapper command around a checkout, from the guide (docs/operate/deploy-node.md). */
export const PROGRAM =
  COMMIT === null ? environment()['GATEHOUSE_COMMAND'] || 'npm run -s gatehouse --' : 'gatehouse';
