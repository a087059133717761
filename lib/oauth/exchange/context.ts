// What a grant of Area A's token endpoint is given once the client is authenticated; it finds the issuer by itself.
import type { Answer } from '#lib/http/message.ts';
import type { Params } from '#lib/http/params.ts';
import type { SnapshotApi } from '#lib/store/registry/snapshot-rows.ts';
import type { Proof } from '#lib/tokens/dpop-proof.ts';
import type { AuthenticatedClient } from '../clients/authenticated-client.ts';
import type { ClientRequest } from '../clients/client-request.ts';

export type ExchangeContext = Pick<ClientRequest, 'http' | 'ip' | 'snapshot'> & {
  client: AuthenticatedClient;
};

/** `proof`: of a key that the tokens are bound to (RFC 9449); null: bearer tokens. */
export type TokenContext = ExchangeContext & { proof: Proof | null };

export type ExchangeGrant = (params: Params, context: TokenContext) => Promise<Answer>;

/** `apiOf`: the API that the request names, known before its client has authenticated; null: it names none. */
export type ExchangeKind = {
  grant: ExchangeGrant;
  apiOf: (params: Params, request: ClientRequest) => Promise<SnapshotApi | null> | SnapshotApi | null;
};
