import type { SnapshotMethod } from '#lib/store/index.ts';
import { brokerMethod } from './broker-method.ts';
import { externalMethod } from './external.ts';
import { localMethod } from './local.ts';
import type { AuthMethod } from './method.ts';

export {
  type AttemptContext,
  accountName,
  countAttempt,
  passwordLimits,
  TooManyAttempts,
  underLimits,
} from './attempts.ts';
export {
  answerFault,
  callbackOf,
  callbackOrigin,
  ownCallback,
  ownCallbackUris,
  SHARED_CALLBACK,
} from './callback.ts';
export type { AuthMethod, BrokerAnswer, Expectation, Verdict } from './method.ts';

const KINDS: Record<AuthMethod['type'], (row: SnapshotMethod) => AuthMethod> = {
  local: ({ id }) => localMethod(id),
  external: externalMethod,
  broker: brokerMethod,
};

/** The method as something that can be asked. */
export function authMethodOf(row: SnapshotMethod): AuthMethod {
  return KINDS[row.type](row);
}
