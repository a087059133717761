import type { DirectoryMethod } from '#lib/store/index.ts';
import { brokerMethod } from './broker.ts';
import { localMethod } from './local.ts';
import type { AuthMethod } from './method.ts';

export type { AuthMethod, Expectation, Verdict } from './method.ts';

/** The method as something that can be asked; a kind that can do nothing yet has no capability. */
export function authMethod(row: DirectoryMethod): AuthMethod {
  if (row.type === 'local') return localMethod(row.id);
  if (row.type === 'broker') return brokerMethod(row);
  return { id: row.id, type: row.type };
}
