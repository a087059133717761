export { inBackground, settleBackground } from './background.ts';
export { checkedOutCommit } from './checkout.ts';
export { followClock, machineNow, now, nowSeconds, shiftClock } from './clock.ts';
export { keepMade } from './kept.ts';
export { cutsPassword, wrapHash } from './kept-hashes/index.ts';
export { beginDraining, isDraining } from './lifecycle.ts';
export { log, logConsole, nameWorker, setLogLevel } from './log.ts';
export { isLoopbackAddress, isLoopbackHost } from './loopback.ts';
export {
  deliverMail,
  type Mail,
  type MailTransport,
  readWrittenMail,
  sendMail,
  type WrittenMail,
} from './mail.ts';
export { type MailFault, type MailStep, tryMailServer } from './mail-trial.ts';
export { nearest } from './nearest.ts';
export { ownValue } from './own-value.ts';
export {
  type Asker,
  type HashRequest,
  hashPassword,
  needsRehash,
  PasswordHashBusy,
  paceChecks,
  passwordQueue,
  refuseWhenBusy,
  sharePasswordChecks,
  verifyNobody,
  verifyPassword,
} from './password-hash.ts';
export { processWide } from './process-wide.ts';
export { equalDigests, randomToken, sha256 } from './random.ts';
export { newRequestId } from './request-id.ts';
export {
  needsReseal,
  parseAs,
  seal,
  sealBytes,
  sealingKeyIds,
  sealJson,
  unseal,
  unsealBytes,
  unsealJson,
} from './seal.ts';
export type { Sentence } from './sentence.ts';
export {
  canonicalEmail,
  canonicalSearch,
  edgeFault,
  findUnstorable,
  readableLine,
  requireStorable,
  type SecretKind,
  secretFault,
  shownEmail,
  type TextShape,
  UnstorableValue,
  unreadable,
} from './text/index.ts';
export {
  inventPassword,
  MAX_PASSWORD_BYTES,
  readTypedPassword,
  type TypedPassword,
} from './typed-password.ts';
export { utcMinute } from './utc.ts';
export {
  COMMIT,
  INTERFACE_VERSION,
  minorOf,
  nameCommit,
  runningCommit,
  VERSION,
} from './version.ts';
export { camel, fromWire, snake, toWire } from './wire.ts';
