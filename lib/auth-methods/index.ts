import type { DirectoryMethod } from '#lib/store/index.ts';
import { localMethod } from './local.ts';
import type { AuthMethod } from './method.ts';

export {
  type AttemptContext,
  accountName,
  attemptLimit,
  passwordLimits,
  TooManyAttempts,
  underLimits,
} from './attempts.ts';
export type { AuthMethod, Verdict } from './method.ts';

/** The method as something that can be asked; a kind that can do nothing yet has no capability. */
export function authMethod(row: DirectoryMethod): AuthMethod {
  return row.type === 'local' ? localMethod(row.id) : { id: row.id, type: row.type };
}
