// The two results of client authentication (RFC 6749 §3.2.1). A confidential client has proved its secret or its key. A
// public client has sent its client_id, which anybody can send. The compiler keeps the two apart: a decision that needs
// to know the caller takes a ProvedClient.
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { type RefusalReason, UnauthorizedClient } from '../errors/errors.ts';

declare const known: unique symbol;

/** A confidential client that has proved its secret or its key in this request. */
export type ProvedClient = SnapshotClient & { readonly confidential: true; readonly [known]: 'by proof' };

/** A public client that this request names. Only the user, a code, a verifier or a key tells who sent the request. */
export type NamedClient = SnapshotClient & { readonly confidential: false; readonly [known]: 'by name' };

export type AuthenticatedClient = ProvedClient | NamedClient;

/** The result for a client whose credentials were accepted. Callers: client authentication and explanations only. */
export const authenticated = (client: SnapshotClient): AuthenticatedClient => client as AuthenticatedClient;

/** The same client in a later snapshot; null: it is gone, disabled, or has turned public or confidential. */
export function renewClient(
  before: AuthenticatedClient,
  { clients }: { clients: { get: (clientId: string) => SnapshotClient | undefined } },
): AuthenticatedClient | null {
  const client = clients.get(before.clientId);
  if (!client || client.disabled || client.confidential !== before.confidential) return null;
  return authenticated(client);
}

/** UnauthorizedClient for a public client. */
export function requireProvedClient(
  client: AuthenticatedClient,
  description: string,
  reason: RefusalReason,
): ProvedClient {
  if (client.confidential) return client;
  throw new UnauthorizedClient(description, { reason });
}
