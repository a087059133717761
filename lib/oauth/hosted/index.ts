export { handleConfirm } from './confirm.ts';
export { type ConfirmView, viewConfirm } from './confirm-view.ts';
export { handleConsent } from './consent.ts';
export { handleContinue } from './continue.ts';
export {
  cameWith,
  forgottenPasswordAddress,
  interruptedSignIn,
  PASSWORD_RESET,
  signInAddress,
  typedAddress,
} from './forgotten-password.ts';
export { handleLogout, type LogoutView, viewLogout } from './logout.ts';
export { handlePasskeySignIn } from './passkey-sign-in.ts';
export { previewPages } from './preview.ts';
export { handleRegister } from './register.ts';
export { type RegisterView, viewRegister } from './register-view.ts';
export { handleSetUp } from './set-up.ts';
export { type SetUpView, viewSetUp } from './set-up-view.ts';
export { handleSignIn } from './sign-in.ts';
export { type ConsentView, type SignInView, viewConsent, viewSignIn } from './views.ts';
