export {
  handleBrokerCallback,
  handleBrokerForm,
  handleBrokerRedirect,
  handleOwnBrokerForm,
  handleOwnBrokerRedirect,
} from './broker-callback.ts';
export {
  brokerCodeDeclaration,
  brokerFormDeclaration,
  brokerRedirectDeclaration,
  ownBrokerFormDeclaration,
  ownBrokerRedirectDeclaration,
} from './broker-callback-declaration.ts';
export { type ConsoleDeparture, startBrokerConsoleSignIn } from './console-sign-in.ts';
export { toBroker } from './departure.ts';
export { findPending, type PendingSignIn, takeBackStart, takePending } from './pending-sign-in.ts';
