// What a grant of this address is handed once the client is in; the issuer it finds by itself.
import type { Answer, HttpRequest, Params } from '#lib/http/index.ts';
import type { Snapshot, SnapshotClient } from '#lib/store/index.ts';

export type ExchangeContext = {
  http: HttpRequest;
  snapshot: Snapshot;
  client: SnapshotClient;
  ip: string | null;
};

export type ExchangeGrant = (params: Params, context: ExchangeContext) => Promise<Answer>;
