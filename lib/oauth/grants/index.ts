export { redeemAuthorizationCode } from './authorization-code.ts';
export { machineScopes } from './client-credentials.ts';
export { binding, type GrantContext, type Granted } from './grant.ts';
export { findGrant, hasMachines, supportedGrantTypes } from './grant-table.ts';
export { noFamily, passwordFamily, passwordScopes } from './password.ts';
export { refreshRefusal, refreshRotation } from './refresh-token.ts';
export { accessClaims, machineResponse, type ToldGranted, tokenResponse } from './response.ts';
