export {
  type FormerToken,
  forgetAsked,
  insertFormerTokens,
  markAsked,
  spendFormerToken,
} from './former-tokens.ts';
