export { redeemAuthorizationCode } from './authorization-code.ts';
export { machineScopes } from './client-credentials.ts';
export { binding, type GrantContext } from './grant.ts';
export { findGrant, hasMachines, supportedGrantTypes } from './grant-table.ts';
export { machineResponse, tokenResponse } from './response.ts';
