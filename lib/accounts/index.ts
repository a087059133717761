export { withNewPassword } from './new-password.ts';
export {
  ownWordFault,
  ownWordFaults,
  type PasswordOwner,
  passwordFaults,
  serviceHost,
} from './password-policy.ts';
export { askToRegister, finishRegistration, proveAddress, readInvitation } from './registration.ts';
