import { UnsupportedGrantType } from '../errors/errors.ts';
import { DEVICES_OFF } from '../rules/devices.ts';
import {
  AUTHORIZATION_CODE,
  CLIENT_CREDENTIALS,
  DEVICE_CODE,
  JWT_BEARER,
  PASSWORD,
  REFRESH_TOKEN,
} from '../rules/grant-types.ts';
import type { Issuer } from '../rules/issuer.ts';
import { redeemAuthorizationCode } from './authorization-code.ts';
import { clientCredentials } from './client-credentials.ts';
import { deviceCodeGrant } from './device-code.ts';
import type { Grant, GrantOf } from './grant.ts';
import { idJagGrant } from './id-jag.ts';
import { hasMachines } from './machines.ts';
import { passwordGrant } from './password.ts';
import { rotateToken } from './refresh-token.ts';

const GRANTS: ReadonlyMap<string, GrantOf> = new Map([
  [AUTHORIZATION_CODE, () => redeemAuthorizationCode],
  [PASSWORD, passwordGrant],
  [REFRESH_TOKEN, () => rotateToken],
  [JWT_BEARER, idJagGrant],
  [CLIENT_CREDENTIALS, () => clientCredentials],
  [DEVICE_CODE, deviceCodeGrant],
]);

const UNSUPPORTED = 'This grant_type is not supported here.';

export function findGrant(grantType: string, issuer: Issuer): Grant {
  const grant = GRANTS.get(grantType)?.(issuer);
  if (!grant) throw new UnsupportedGrantType(grantType === DEVICE_CODE ? DEVICES_OFF : UNSUPPORTED);
  return grant;
}

/** For the metadata (RFC 8414 §2). */
export function supportedGrantTypes(issuer: Issuer): string[] {
  const offered = [...GRANTS].filter(([, grantOf]) => grantOf(issuer)).map(([grantType]) => grantType);
  return offered.filter((grantType) => grantType !== CLIENT_CREDENTIALS || hasMachines(issuer));
}
