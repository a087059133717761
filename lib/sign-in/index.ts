export { addFactor, type PasskeySetUp, type TotpSetUp } from './new-factor.ts';
export { noteSignIn } from './note.ts';
export {
  type CodeAsked,
  type NewPasswordGiven,
  openOwedPassword,
  readOwedPassword,
  replaceOwedPassword,
  sealOwedPassword,
} from './owed-password.ts';
export { signInByPasskey } from './passkey.ts';
export {
  checkPassword,
  type SignInNames,
  signInByPassword,
  signInNames,
  typedName,
  wrongSignIn,
} from './password.ts';
export { takeSecondStep } from './second-step.ts';
