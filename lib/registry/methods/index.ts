export { basicCredentials, tokenAuthOf } from './broker/token-auth.ts';
export {
  CAPABILITIES,
  type Capability,
  type MethodConfig,
  type MethodKind,
  type Probe,
  type ProbeAnswer,
  type ProbeVerdict,
  type VerifyPassword,
} from './kind.ts';
export { type AuthMethodType, METHOD_KINDS } from './kinds.ts';
export {
  asksApproval,
  isOpenToAll,
  METHOD_TYPES,
  METHOD_TYPES_IN_WORDS,
  methodCan,
  methodKind,
  type SecondFactorPolicy,
  secondFactorOf,
  typesThat,
} from './questions.ts';
