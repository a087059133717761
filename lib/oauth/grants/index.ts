import { UnsupportedGrantType } from '../errors.ts';
import type { Issuer } from '../issuer.ts';
import { authorizationCode } from './authorization-code.ts';
import type { Grant } from './grant.ts';
import { password } from './password.ts';
import { refreshToken } from './refresh-token.ts';

const GRANTS: readonly Grant[] = [authorizationCode, password, refreshToken];

export function findGrant(grantType: string, issuer: Issuer): Grant {
  const grant = GRANTS.find((candidate) => candidate.grantType === grantType && candidate.isPossible(issuer));
  if (!grant) throw new UnsupportedGrantType('This grant_type is not supported here.');
  return grant;
}

/** For the metadata (RFC 8414 §2). */
export function supportedGrantTypes(issuer: Issuer): string[] {
  return GRANTS.filter((grant) => grant.isPossible(issuer)).map((grant) => grant.grantType);
}
