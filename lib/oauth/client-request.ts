// A request of a client, read once: the handler, CORS and the note of a refusal work on this. Nothing is read before it is
// asked for, since an address that does not exist, or does not take the method, reads no body.
import { callerAddress, type HttpRequest, type Params, readBodyParams } from '#lib/http/index.ts';
import { settings } from '#lib/settings/index.ts';
import type { Snapshot, SnapshotClient } from '#lib/store/index.ts';
import { type ClientCredentials, readClientCredentials } from './client-credentials.ts';
import type { Issuer } from './issuer.ts';

export type ClientRequest = {
  http: HttpRequest;
  snapshot: Snapshot;
  /** the caller's address; null: unknown */
  ip: string | null;
  /** of the body; UnreadableParams */
  params: () => Promise<Params>;
  /** what it says about its client; InvalidRequest, InvalidClient, UnreadableParams */
  credentials: () => Promise<ClientCredentials>;
  /** null: none that can be read */
  namedClientId: () => Promise<string | null>;
};

export type IssuerRequest = ClientRequest & { issuer: Issuer };

export function readClientRequest(http: HttpRequest): Omit<ClientRequest, 'snapshot'> {
  const params = once(() => readBodyParams(http));
  const credentials = once(async () => readClientCredentials(http.headers['authorization'], await params()));
  const namedClientId = () =>
    credentials().then(
      ({ clientId }) => clientId,
      () => null,
    );
  return { http, ip: callerAddress(http, settings().trustProxy), params, credentials, namedClientId };
}

/** The client that the request names, which has not authenticated; undefined: none that is known. */
export async function namedClient(request: ClientRequest): Promise<SnapshotClient | undefined> {
  return request.snapshot.clients.get((await request.namedClientId()) ?? '');
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= read();
    return result;
  };
}
