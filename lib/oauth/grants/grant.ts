// The shape of a grant: its name, and what it makes of the parameters once the pipeline has let the client in.
import type { HttpRequest, Params } from '#lib/http/index.ts';
import type { SnapshotClient, SnapshotSubscription } from '#lib/store/index.ts';
import type { Issuer } from '../issuer.ts';

export type GrantContext = {
  http: HttpRequest;
  issuer: Issuer;
  client: SnapshotClient;
  /** approved */
  subscription: SnapshotSubscription;
  ip: string | null;
};

export type Granted = {
  familyId: string;
  personId: string;
  scopes: string[];
  authTime: Date;
  refreshToken: string | null;
  /** stored already; null: sign a JWT */
  opaqueToken: string | null;
  /** is the scope exactly what the client asked for (RFC 6749 §5.1)? */
  scopeAsAsked: boolean;
  /** of an exchange: when the token ends (seconds since 1970), who acts, and what kind it is said to be */
  exchanged?: { expiresAt: number; act: Record<string, unknown> | null; issuedTokenType: string };
};

export type Grant = {
  readonly grantType: string;
  /** can this method serve it? */
  readonly isPossible: (issuer: Issuer) => boolean;
  readonly authorize: (params: Params, context: GrantContext) => Promise<Granted>;
};

/** What the store's statements want to know of the request. */
export function binding({ http, issuer, client, ip }: GrantContext) {
  return {
    version: issuer.snapshot.version,
    clientId: client.clientId,
    apiId: issuer.api.id,
    authMethodId: issuer.method.id,
    requestId: http.requestId,
    ip,
  };
}
