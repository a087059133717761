export {
  type ConsoleActor,
  claimForm,
  consoleFormToken,
  endConsoleSession,
  isConsoleFormToken,
  readConsoleActor,
  releaseForm,
  startConsoleSession,
} from './console.ts';
export { forgetInterrupted, keepInterrupted, readInterrupted } from './interrupted.ts';
export { readKnownDevice, rememberDevice } from './known-device.ts';
export {
  allSessionHashes,
  endAllSessions,
  endMethodSession,
  readSession,
  readSessionHash,
  startSession,
} from './sign-in.ts';
export {
  antiForgeryToken,
  isAntiForgeryToken,
  openTransaction,
  readBrowser,
  TRANSACTION_SECONDS,
} from './transaction.ts';
