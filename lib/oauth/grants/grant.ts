// The input and the result of every grant, and the answer with its tokens.

import { type Answer, json } from '#lib/http/message.ts';
import type { Params } from '#lib/http/params.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import { countToken } from '#lib/observability/metrics.ts';
import type { OpenIdFacts } from '#lib/store/hot/person-facts.ts';
import type { SignInStrength } from '#lib/store/hot/validity.ts';
import type { SnapshotClient, SnapshotSubscription } from '#lib/store/snapshot.ts';
import { type MachineToken, signAccessToken, signMachineToken } from '#lib/tokens/access-token.ts';
import type { Proof } from '#lib/tokens/dpop.ts';
import type { AuthenticatedClient, IssuerRequest } from '../client.ts';
import { actorsHeardBy, heardBy, type Issuer } from '../issuer.ts';
import { signIdToken, tokenClaims } from '../openid.ts';
import { nonceHeader } from '../proof.ts';
import { followsFapi2, strengthClaims } from '../rules.ts';

// A grant reads the parameters of an authenticated client with an approved subscription, and returns its result.

export type GrantContext = Pick<IssuerRequest, 'http' | 'ip' | 'issuer'> & {
  client: AuthenticatedClient;
  /** approved */
  subscription: SnapshotSubscription;
  /** of a key that the tokens are bound to (RFC 9449); null: bearer tokens */
  proof: Proof | null;
};

export type Granted = SignInStrength & {
  familyId: string;
  personId: string;
  scopes: string[];
  authTime: Date;
  refreshToken: string | null;
  /** stored already; null: sign a JWT */
  opaqueToken: string | null;
  /** null: no ID token */
  openid: OpenIdFacts | null;
  /** when the access token ends (seconds since 1970), where the statement that made the family has said so */
  expiresAt?: number;
  /** of an exchange: who acts, and its `issued_token_type` */
  exchanged?: { act: Record<string, unknown> | null; issuedTokenType: string };
};

/** To a client in its own name (RFC 6749 §4.4): no person, no refresh token, no ID token. */
export type MachineGranted = {
  /** the opaque token, stored already; or the `jti` of the JWT to sign */
  token: MachineToken;
  scopes: string[];
};

export type Grant<Result = Granted | MachineGranted> = (
  params: Params,
  context: GrantContext,
) => Promise<Result>;

/** The grant as this issuer can serve it; null: it cannot. */
export type GrantOf = (issuer: Issuer) => Grant | null;

export type Bound = Pick<GrantContext, 'ip' | 'issuer' | 'subscription'> & {
  client: SnapshotClient;
  http: Pick<GrantContext['http'], 'requestId'>;
};

/** The keys that new tokens are bound to: the refresh tokens of a public client too (RFC 9449 §5). */
export function boundKeys({ proof, client }: Pick<GrantContext, 'proof' | 'client'>) {
  const jkt = proof?.jkt ?? null;
  return { jkt, refreshJkt: client.confidential ? null : jkt };
}

/**
 * Is its refresh token given once, and not rotated? FAPI 2.0 Security Profile §5.3.2.1 (9); a client that proves a key
 * can ask for it.
 */
export const keepsRefreshToken = ({ issuer, client, proof }: GrantContext): boolean =>
  followsFapi2(issuer.api) || (client.refreshTokenRotation === 'never' && proof !== null);

/** What the store's statements want to know of the request. */
export function binding({ http, issuer, client, ip }: Omit<Bound, 'subscription'>) {
  return {
    version: issuer.snapshot.version,
    clientId: client.clientId,
    apiId: issuer.api.id,
    authMethodId: issuer.method.id,
    issuerHost: issuer.host,
    requestId: http.requestId,
    ip,
  };
}

// The token endpoint's successful answer (specification 2.1, RFC 6749 §5.1).

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
