export { askForApproval } from './approval-page.ts';
export { brokerPage } from './broker-page.ts';
export {
  type ApiView,
  apiView,
  type ClientView,
  type ConsentShown,
  clientView,
  consentShown,
  digestOf,
  type ScopeShown,
  scopesShown,
  scopeText,
} from './consent-shown.ts';
export {
  continueLocation,
  ExpiredInteraction,
  type HostedForm,
  readHostedForm,
  readOwnForm,
  signInAgain,
} from './form.ts';
export { notInAFrame } from './not-in-a-frame.ts';
export { brandStyle, styleFor } from './page-brand.ts';
export { interactionWords, pageWords, readTexts, requestWords } from './page-words.ts';
export { personRefusedPage } from './person-refused.ts';
