import { methodCan, methodKind } from '#lib/registry/index.ts';
import type { SnapshotMethod } from '#lib/store/index.ts';
import { brokerMethod } from './broker-method.ts';
import { localMethod } from './local.ts';
import type { AuthMethod } from './method.ts';
import { verifierMethod } from './verifier.ts';

export {
  type AttemptContext,
  accountName,
  countAttempt,
  haveTwoNames,
  networkOf,
  passwordLimits,
  TooManyAttempts,
  underLimits,
} from './attempts.ts';
export { namesInForm } from './broker-presets.ts';
export { secretToSend } from './broker-signed-secret.ts';
export {
  answerFault,
  callbackOf,
  callbackOrigin,
  callbackUriOf,
  ownCallback,
  ownCallbackUris,
  SHARED_CALLBACK,
} from './callback.ts';
export { refusalStep } from './former-service.ts';
export type { AuthMethod, BrokerAnswer, Expectation, PasswordVerdict, Verdict } from './method.ts';
export { recheckPeople, startRechecks } from './recheck.ts';

/** The method as something that can be asked. */
export function authMethodOf(row: SnapshotMethod): AuthMethod {
  const { verify } = methodKind(row.type);
  if (verify) return verifierMethod(row, verify);
  return methodCan(row, 'redirects') ? brokerMethod(row) : localMethod(row);
}
