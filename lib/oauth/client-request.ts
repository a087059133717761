// A request of a client, read once: the handler, CORS and the note of a refusal work on this. Nothing is read before it is
// asked for, since an address that does not exist, or does not take the method, reads no body.
import { callerAddress, type HttpRequest, type Params, readBodyParams } from '#lib/http/index.ts';
import { settings } from '#lib/settings/index.ts';
import type { Snapshot, SnapshotClient } from '#lib/store/index.ts';
import { type ClientCredentials, readClientCredentials } from './client-credentials.ts';
import type { Issuer } from './issuer.ts';

/** What the request says, whatever the registry says. */
type Said = {
  http: HttpRequest;
  /** the caller's address; null: unknown */
  ip: string | null;
  /** of the body; UnreadableParams */
  params: () => Promise<Params>;
  /** what it says about its client; InvalidRequest, InvalidClient, UnreadableParams */
  credentials: () => Promise<ClientCredentials>;
};

export type ClientRequest = Said & {
  snapshot: Snapshot;
  /** the client that it names, which has not authenticated; undefined: none that is known */
  namedClient: () => Promise<SnapshotClient | undefined>;
};

export type IssuerRequest = ClientRequest & { issuer: Issuer };

export function readClientRequest(http: HttpRequest): Said {
  const params = once(() => readBodyParams(http));
  return {
    http,
    ip: callerAddress(http, settings().trustProxy),
    params,
    credentials: once(async () => readClientCredentials(http.headers['authorization'], await params())),
  };
}

/** The `client_id` that is sent; null where none can be read. */
export async function namedClientId({ credentials }: Said): Promise<string | null> {
  return credentials().then(
    ({ clientId }) => clientId,
    () => null,
  );
}

export function clientRequest(said: Said, snapshot: Snapshot): ClientRequest {
  return {
    ...said,
    snapshot,
    namedClient: async () => snapshot.clients.get((await namedClientId(said)) ?? ''),
  };
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= read();
    return result;
  };
}
