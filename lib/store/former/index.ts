export { keepFormerKeys, readFormerKeys } from './former-keys.ts';
export {
  type FormerToken,
  forgetAsked,
  insertFormerTokens,
  markAsked,
  restoreFormerToken,
  spendFormerToken,
} from './former-tokens.ts';
