// The ID token (OpenID Connect Core §2): who signed in, when, and how. The claims of scopes are at userinfo (§5.4). The
// ID token contains those of groups, and with the client's `id_token_claims` all of them.
import { createHash } from 'node:crypto';
import { currentKey } from '#lib/keys/keys.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import type { AcrLevel } from '#lib/registry/fields/acr.ts';
import { ID_TOKEN_SECONDS } from '#lib/store/registry/keys.ts';
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import type { OpenIdFacts } from '#lib/store/tokens/openid.ts';
import { signCompact } from '#lib/tokens/jws.ts';
import { acrOfIdToken } from '../rules/acr.ts';
import type { Issuer } from '../rules/issuer.ts';
import { idTokenAlg } from '../rules/profile.ts';
import { heardBy, sessionHeardBy } from '../rules/subject.ts';
import { claimsFor, groupScopes } from './claims.ts';

/** An ID token is no access token: no API takes this `typ` for one (RFC 9068 §4). */
export const ID_TOKEN_TYPE = 'JWT';

export async function signIdToken(about: {
  issuer: Issuer;
  client: SnapshotClient;
  personId: string;
  authTime: Date;
  /** null: 1 */
  acrLevel: AcrLevel | null;
  accessToken: string;
  facts: OpenIdFacts;
  scopes: readonly string[];
}): Promise<string> {
  const { issuer, client, personId, authTime, acrLevel, accessToken, facts, scopes } = about;
  const { nonce, sid, amr = [], brokerAcr, idToken: names, acrs } = facts;
  const acr = acrOfIdToken(acrLevel, issuer.method, acrs);
  const key = await currentKey(idTokenAlg(issuer.api, client), issuer.snapshot);
  const whose = { personId, authMethodId: issuer.method.id };
  const told = client.idTokenClaims ? scopes : groupScopes(issuer.api, scopes);
  const asked = await claimsFor(issuer.api, whose, { scopes: told, names });
  const issuedAt = nowSeconds();
  const payload = {
    ...asked,
    iss: issuer.url,
    sub: await heardBy(client, personId, issuer),
    aud: client.clientId,
    exp: issuedAt + ID_TOKEN_SECONDS,
    iat: issuedAt,
    auth_time: Math.floor(authTime.getTime() / 1000),
    ...(nonce === undefined ? {} : { nonce }),
    at_hash: atHash(accessToken),
    ...(sid === undefined ? {} : { sid: await sessionHeardBy(client, sid, issuer) }),
    ...(acr === null ? {} : { acr }),
    ...(amr.length === 0 ? {} : { amr }),
    ...(brokerAcr ? { broker_acr: brokerAcr } : {}),
  };
  return signCompact(ID_TOKEN_TYPE, payload, key);
}

/** OpenID Connect Core §3.1.3.6: both algorithms hash with SHA-256. */
function atHash(accessToken: string): string {
  return createHash('sha256').update(accessToken, 'ascii').digest().subarray(0, 16).toString('base64url');
}
