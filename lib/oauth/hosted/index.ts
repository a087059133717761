export { type ConfirmView, viewConfirm } from './confirm-view.ts';
export { handleContinue } from './continue.ts';
export { type DeviceView, viewDevice } from './device-view.ts';
export {
  cameWith,
  forgottenPasswordAddress,
  interruptedSignIn,
  PASSWORD_RESET,
  signInAddress,
  typedAddress,
} from './forgotten-password.ts';
export { FORMS } from './forms.ts';
export { type LogoutView, viewLogout } from './logout.ts';
export { type NewPasswordView, viewNewPassword } from './new-password.ts';
export { previewPages } from './preview.ts';
export { type RegisterView, viewRegister } from './register-view.ts';
export { type SetUpView, viewSetUp } from './set-up-view.ts';
export { type ConsentView, type SignInView, viewConsent, viewSignIn } from './views.ts';
