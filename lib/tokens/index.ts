export { type AccessTokenClaims, mintOpaque, signAccessToken } from './access-token.ts';
export { hashPresented, type Minted, mint, type TokenKind } from './formats.ts';
export { claimedIssuer, type PresentedAccess, readAccessToken } from './read-access-token.ts';
