export { onCurrentRegistry, requireCurrent } from './current-registry.ts';
export {
  ASKING,
  type AuthorizeDecision,
  type AuthorizeQuestion,
  askingOf,
  codeBasis,
  decideAuthorize,
  signedInHere,
} from './decide.ts';
export {
  authorizeDeclaration,
  authorizeParameters,
  authorizePostDeclaration,
  MAX_STATE_BYTES,
} from './declaration.ts';
export { forPerson, forSession } from './for-person.ts';
export {
  allowance,
  type Interaction,
  isInteraction,
  type Kept,
  openInteraction,
  ownReturnOf,
  renewed,
  requestOf,
  sealInteraction,
} from './interaction.ts';
export { interruptedRequest, onRegistryOf, shownRequest } from './interrupted-request.ts';
export { postedQuery } from './posted-query.ts';
export { type AuthorizeRequest, identify, keptQuery, type Recipient, validate } from './request.ts';
export { AuthorizeRefused, codeRedirect, errorRedirect } from './response.ts';
export { secondFactorStep, strengthAsked } from './second-factor.ts';
