// The token endpoint's successful answer (specification 2.1, RFC 6749 §5.1).
import type { Answer } from '#lib/http/message.ts';
import { json } from '#lib/http/respond.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import { countToken } from '#lib/observability/tally.ts';
import { signAccessToken, signMachineToken } from '#lib/tokens/access-token.ts';
import { nonceHeader } from '../clients/proof.ts';
import { tokenClaims } from '../openid/claims.ts';
import { signIdToken } from '../openid/id-token.ts';
import { strengthClaims } from '../rules/strength.ts';
import { actorsHeardBy, heardBy } from '../rules/subject.ts';
import type { Bound, GrantContext, Granted, MachineGranted } from './grant.ts';

export type ToldGranted = Pick<
  Granted,
  'personId' | 'scopes' | 'authTime' | 'acrLevel' | 'amr' | 'expiresAt'
> & {
  exchanged?: Pick<NonNullable<Granted['exchanged']>, 'act'>;
};

/** What the access token of a person says, but for its family. */
export async function accessClaims(
  granted: ToldGranted,
  { issuer, client }: Pick<Bound, 'issuer' | 'client'>,
) {
  const { personId, exchanged, scopes, authTime, expiresAt } = granted;
  return {
    issuer: issuer.url,
    api: issuer.api,
    sub: await heardBy(client, personId, issuer),
    clientId: client.clientId,
    scopes,
    authTime,
    expiresAt,
    act: (await actorsHeardBy(client, exchanged?.act ?? null, issuer)) ?? undefined,
    ofPerson: await tokenClaims(issuer.api, { personId, authMethodId: issuer.method.id }),
    strength: strengthClaims(granted, issuer),
  };
}

/** `grant`: what it is counted as. */
export async function tokenResponse(
  granted: Granted,
  { issuer, client, proof }: Pick<GrantContext, 'issuer' | 'client' | 'proof'>,
  grant: string,
): Promise<Answer> {
  const { exchanged, expiresAt, personId, authTime, openid } = granted;
  const accessToken =
    granted.opaqueToken ??
    (await signAccessToken(
      {
        ...(await accessClaims(granted, { issuer, client })),
        familyId: granted.familyId,
        jkt: proof?.jkt,
      },
      issuer.snapshot,
    ));
  const idToken =
    openid &&
    (await signIdToken({
      issuer,
      client,
      personId,
      authTime,
      acrLevel: granted.acrLevel,
      accessToken,
      facts: openid,
      scopes: granted.scopes,
    }));
  countToken({ apiId: issuer.api.id, authMethodId: issuer.method.id }, grant);
  return json(
    200,
    {
      access_token: accessToken,
      ...(exchanged ? { issued_token_type: exchanged.issuedTokenType } : {}),
      token_type: tokenType(proof),
      expires_in: expiresAt === undefined ? issuer.api.accessTokenTtlSeconds : expiresAt - nowSeconds(),
      ...(granted.refreshToken === null ? {} : { refresh_token: granted.refreshToken }),
      ...(idToken === null ? {} : { id_token: idToken }),
      // RFC 6749 §5.1 allows to leave it out where it equals the request; Spring Security then grants no authority
      scope: granted.scopes.join(' '),
    },
    { pragma: 'no-cache', ...nonceHeader(proof) },
  );
}

/** RFC 6749 §7.1, RFC 9449 §5. */
const tokenType = (proof: GrantContext['proof']) => (proof === null ? 'bearer' : 'DPoP');

/** A client's token in its own name (RFC 6749 §4.4.3). */
export async function machineResponse(
  { token, scopes }: MachineGranted,
  { issuer, client, proof }: Pick<GrantContext, 'issuer' | 'client' | 'proof'>,
  grant: string,
): Promise<Answer> {
  const { url, api, method, snapshot } = issuer;
  const claims = { issuer: url, api, clientId: client.clientId, scopes, jkt: proof?.jkt };
  const accessToken =
    'opaque' in token ? token.opaque : await signMachineToken({ ...claims, jti: token.jti }, snapshot);
  countToken({ apiId: api.id, authMethodId: method.id }, grant);
  return json(
    200,
    {
      access_token: accessToken,
      token_type: tokenType(proof),
      expires_in: api.accessTokenTtlSeconds,
      scope: scopes.join(' '),
    },
    { pragma: 'no-cache', ...nonceHeader(proof) },
  );
}
