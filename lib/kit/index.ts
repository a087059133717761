export { inBackground, settleBackground } from './background.ts';
export { followClock, machineNow, now, nowSeconds, shiftClock } from './clock.ts';
export { canonicalEmail, canonicalSearch, shownEmail } from './email-address.ts';
export { keepMade } from './kept.ts';
export { beginDraining, isDraining } from './lifecycle.ts';
export { log, nameWorker, setLogLevel } from './log.ts';
export { isLoopbackAddress, isLoopbackHost } from './loopback.ts';
export {
  type Mail,
  readWrittenMail,
  sendMail,
  type WrittenMail,
} from './mail.ts';
export { ownValue } from './own-value.ts';
export {
  type Asker,
  hashPassword,
  needsRehash,
  PasswordHashBusy,
  passwordQueue,
  refuseWhenBusy,
  sharePasswordChecks,
  verifyNobody,
  verifyPassword,
} from './password-hash.ts';
export { processWide } from './process-wide.ts';
export { equalDigests, randomToken, sha256 } from './random.ts';
export { readableLine, type TextShape, unreadable } from './readable-text.ts';
export { needsReseal, parseAs, seal, sealingKeyIds, sealJson, unseal, unsealJson } from './seal.ts';
export { edgeFault, type SecretKind, secretFault } from './secret-text.ts';
export { findUnstorable, requireStorable, UnstorableValue } from './storable.ts';
export { VERSION } from './version.ts';
export { camel, fromWire, snake, toWire } from './wire.ts';
