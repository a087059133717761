export { claimsFor, supportedClaims, supportedScopes, tokenClaims } from './claims.ts';
export { expectedSubOf } from './expected-sub.ts';
export { type Hint, readHint, shortHint } from './hint.ts';
export { ID_TOKEN_TYPE, signIdToken } from './id-token.ts';
export { readOpenIdRequest, scopesOfClaims } from './request.ts';
