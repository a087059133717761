export { clockShift, now, shiftClock } from './clock.ts';
export { beginDraining, isDraining } from './lifecycle.ts';
export { log, setLogLevel } from './log.ts';
export {
  countRefusal,
  countReuse,
  countTokens,
  gauge,
  measureProcess,
  measureRequest,
  renderMetrics,
} from './metrics.ts';
export {
  hashPassword,
  needsRehash,
  PasswordHashBusy,
  passwordQueue,
  verifyNobody,
  verifyPassword,
} from './password-hash.ts';
export { equalDigests, randomToken, sha256 } from './random.ts';
export { needsReseal, seal, unseal } from './seal.ts';
export { type SetAttribute, setTrace, type Trace, traced } from './trace.ts';
