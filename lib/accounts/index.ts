export { withNewPassword } from './new-password.ts';
export {
  ownWordFault,
  ownWordFaults,
  type PasswordOwner,
  passwordFaults,
  serviceHost,
  tooLongFaults,
} from './password-policy.ts';
export { askToRegister, finishRegistration, proveAddress, readInvitation } from './registration.ts';
