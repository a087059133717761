export { type ConsoleDeparture, startBrokerConsoleSignIn } from './broker/index.ts';
export { logoAddress } from './client-documents/index.ts';
export { declarations } from './declarations/index.ts';
export {
  endpoints,
  handleAtHost,
  handleHttp,
  introspected,
  listPublishedApis,
  type PublishedApi,
  readPublishedApi,
  recognise,
  refuseMethodOfPage,
  takesAllTokens,
} from './endpoints/index.ts';
export { type Declaration, type DeclaredError, methodNotAllowed } from './errors/index.ts';
export {
  type ExplainedStep,
  type Explanation,
  type ExplanationAsked,
  explainRequest,
  type Note,
  PERSON_GRANTS,
  type PersonGrant,
  type StepName,
} from './explanation/index.ts';
export {
  type ConfirmView,
  type ConsentView,
  cameWith,
  type DeviceView,
  forgottenPasswordAddress,
  interruptedSignIn,
  type LogoutView,
  type NewPasswordView,
  PASSWORD_RESET,
  previewPages,
  type RegisterView,
  type SetUpView,
  type SignInView,
  signInAddress,
  typedAddress,
  viewConfirm,
  viewConsent,
  viewDevice,
  viewLogout,
  viewNewPassword,
  viewRegister,
  viewSetUp,
  viewSignIn,
} from './hosted/index.ts';
export { brandStyle, pageWords, readTexts, type ScopeShown, scopeText } from './pages/index.ts';
export { malformedRequest } from './refusals/index.ts';
export { deliverLogouts, settleLogouts, startBackChannel } from './sign-out/index.ts';
