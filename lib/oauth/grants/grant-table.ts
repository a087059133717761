export { hasMachines } from './machines.ts';

import { UnsupportedGrantType } from '../errors/index.ts';
import type { Issuer } from '../rules/index.ts';
import { redeemAuthorizationCode } from './authorization-code.ts';
import { clientCredentials } from './client-credentials.ts';
import type { Grant, GrantOf } from './grant.ts';
import { idJagGrant, JWT_BEARER } from './id-jag.ts';
import { hasMachines } from './machines.ts';
import { passwordGrant } from './password.ts';
import { rotateToken } from './refresh-token.ts';

const CLIENT_CREDENTIALS = 'client_credentials';

const GRANTS: ReadonlyMap<string, GrantOf> = new Map([
  ['authorization_code', () => redeemAuthorizationCode],
  ['password', passwordGrant],
  ['refresh_token', () => rotateToken],
  [JWT_BEARER, idJagGrant],
  [CLIENT_CREDENTIALS, () => clientCredentials],
]);

export function findGrant(grantType: string, issuer: Issuer): Grant {
  const grant = GRANTS.get(grantType)?.(issuer);
  if (!grant) throw new UnsupportedGrantType('This grant_type is not supported here.');
  return grant;
}

/** For the metadata (RFC 8414 §2). */
export function supportedGrantTypes(issuer: Issuer): string[] {
  const offered = [...GRANTS].filter(([, grantOf]) => grantOf(issuer)).map(([grantType]) => grantType);
  return offered.filter((grantType) => grantType !== CLIENT_CREDENTIALS || hasMachines(issuer));
}
