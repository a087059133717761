export {
  type ConsoleActor,
  claimForm,
  consoleFormToken,
  endConsoleSession,
  formHolder,
  isConsoleFormToken,
  raiseConsoleSession,
  readConsoleActor,
  readConsoleVisitor,
  releaseForm,
  startConsoleSession,
  type UnfinishedSignIn,
} from './console.ts';
export { forgetInterrupted, keepInterrupted, readInterrupted } from './interrupted.ts';
export { findKnownDevice, readKnownDevice, rememberDevice } from './known-device.ts';
export { keepLanguage, readLanguage } from './language.ts';
export {
  findInBrowser,
  findInSession,
  isStateId,
  type StateReader,
  storeInBrowser,
  storeInSession,
  takeFromSession,
} from './page-state.ts';
export {
  findProvedSignIn,
  isFreshProof,
  type ProvedSignIn,
  RECENT_SECONDS,
  storeProvedSignIn,
} from './proved-sign-in.ts';
export type { RaisedBy, SecondProof, SessionStart } from './session-rows.ts';
export {
  allSessionHashes,
  endAllSessions,
  endMethodSession,
  raiseSession,
  readSessionHash,
  startSession,
} from './sign-in.ts';
export { inTheme, isThemeChoice, keepTheme, type ThemeChoice } from './theme.ts';
export {
  antiForgeryToken,
  isAntiForgeryToken,
  openTransaction,
  readBrowser,
  TRANSACTION_SECONDS,
} from './transaction.ts';
