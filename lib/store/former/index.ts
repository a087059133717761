export { type FormerToken, forgetAsked, markAsked, spendFormerToken } from './former-tokens.ts';
