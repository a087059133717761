export { logoAddress } from './client-documents/index.ts';
export { type ConsoleDeparture, startBrokerConsoleSignIn } from './console-sign-in.ts';
export { type Declaration, type DeclaredError, methodNotAllowed } from './declaration.ts';
export { declarations } from './declarations.ts';
export { handleAtHost, handleHttp } from './dispatch.ts';
export { endpoints } from './endpoints.ts';
export { type ConfirmView, viewConfirm } from './hosted/confirm-view.ts';
export {
  cameWith,
  forgottenPasswordAddress,
  interruptedSignIn,
  PASSWORD_RESET,
  signInAddress,
} from './hosted/forgotten-password.ts';
export { type LogoutView, viewLogout } from './hosted/logout.ts';
export { brandStyle } from './hosted/page-brand.ts';
export { pageWords } from './hosted/page-words.ts';
export { type RegisterView, viewRegister } from './hosted/register-view.ts';
export { type SetUpView, viewSetUp } from './hosted/set-up-view.ts';
export { type ConsentView, type SignInView, viewConsent, viewSignIn } from './hosted/views.ts';
export { deliverLogouts, settleLogouts, startBackChannel } from './openid/back-channel.ts';
export { listPublishedApis, type PublishedApi, readPublishedApi } from './published.ts';
export { malformedRequest } from './render-error.ts';
