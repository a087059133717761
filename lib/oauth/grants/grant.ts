// A grant: what it makes of the parameters once the client is authenticated and its subscription approved.
import type { Params } from '#lib/http/params.ts';
import type { SnapshotClient, SnapshotSubscription } from '#lib/store/registry/snapshot-rows.ts';
import type { OpenIdFacts } from '#lib/store/tokens/openid.ts';
import type { SignInStrength } from '#lib/store/tokens/strength.ts';
import type { Proof } from '#lib/tokens/dpop-proof.ts';
import type { MachineToken } from '#lib/tokens/machine-token.ts';
import type { AuthenticatedClient } from '../clients/authenticated-client.ts';
import type { IssuerRequest } from '../clients/client-request.ts';
import type { Issuer } from '../rules/issuer.ts';
import { followsFapi2 } from '../rules/profile.ts';

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
