import { methodCan, methodKind } from '#lib/registry/methods/questions.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import { brokerMethod } from './broker-method.ts';
import { localMethod } from './local.ts';
import type { AuthMethod } from './method.ts';
import { verifierMethod } from './verifier.ts';

/** The method as something that can be asked. */
export function authMethodOf(row: SnapshotMethod): AuthMethod {
  const { verify } = methodKind(row.type);
  if (verify) return verifierMethod(row, verify);
  return methodCan(row, 'redirects') ? brokerMethod(row) : localMethod(row);
}
