// The keys of a client that has only its document, as the document is now: its row may be older, and a key that its
// owner has changed since must be found, or must not count any more. What its host can not say right now its
// row says: an outage of the client's ends nothing that works.
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { isApprovedSomewhere } from '../clients/client.ts';
import type { ClientDocument } from './document.ts';
import { isDocumentUrl } from './document-url.ts';
import { keepRecent } from './keep-recent.ts';
import { readClientDocument } from './read-document.ts';

const COOLDOWN_MS = 30_000;
const MAX_REMEMBERED = 1_000;

export type ClientKeys = Pick<SnapshotClient, 'jwks' | 'jwksUri'>;

/** Of a document that no longer has keys: the earlier ones no longer count. */
const NO_KEYS: ClientKeys = { jwks: { keys: [] }, jwksUri: null };

/** Until when a document that was not to be had is not asked for again, in milliseconds since 1970. */
const slot = processWide<Map<string, number>>('client-document-pauses');

/** `newer`: a key was not among those of before. `caller`: the address that asks. */
type Asks = { newer?: boolean; caller?: string | null };

/** The keys of the client as its document is now. Never rejects. */
export async function currentKeys(client: SnapshotClient, asks: Asks = {}): Promise<ClientKeys> {
  const document = await currentDocument(client, asks);
  if (document === null) return client;
  return document.tokenEndpointAuthMethod === 'private_key_jwt' ? document : NO_KEYS;
}

/**
 * The document of the client as it is now; null: it has none, or it cannot be read, so its row counts. Never rejects.
 */
export async function currentDocument(
  client: SnapshotClient,
  { newer = false, caller = null }: Asks = {},
): Promise<ClientDocument | null> {
  const { clientId } = client;
  slot.value ??= new Map();
  const pauses = slot.value;
  if (!isDocumentUrl(clientId) || now().getTime() < (pauses.get(clientId) ?? 0)) return null;
  try {
    return await readClientDocument(clientId, { known: isApprovedSomewhere(client), newer, caller });
  } catch (error) {
    keepRecent(pauses, clientId, now().getTime() + COOLDOWN_MS, MAX_REMEMBERED);
    const reason = error instanceof Error ? error.message : '';
    log().info({ clientId, reason }, 'the document of a client was not to be had; its keys of before count');
    return null;
  }
}
