// A row that a document made, brought up to date when the document says something else. The row is never older than what any
// process has read: a copy that was read before the row was written changes nothing.
import { recordEvent } from '#lib/audit/index.ts';
import { now } from '#lib/kit/index.ts';
import {
  type AgentValues,
  endTokens,
  findClient,
  inTransaction,
  type SnapshotClient,
  updateAgent,
} from '#lib/store/index.ts';
import { type ClientDocument, readClientDocument } from '../client-documents/index.ts';
import { differenceOf, valuesOf } from './document-client.ts';

/** Who asks, for the audit log and for the bounds of reading. */
export type AgentAsker = { address: string | null; requestId: string };

const firstSeen = new WeakMap<ClientDocument, Date>();

/** When this process had the document first. One that says the same as before is the same object. */
export function readAtOf(document: ClientDocument): Date {
  const at = firstSeen.get(document) ?? now();
  firstSeen.set(document, at);
  return at;
}

/**
 * Reads the document of this client, and brings its row up to date: true where the row has changed, so that whatever relied on
 * it is answered again. ClientDocumentRefused, ClientDocumentUnavailable.
 */
export async function refreshAgent(client: SnapshotClient, asker: AgentAsker): Promise<boolean> {
  if (client.origin !== 'document') return false;
  const { address } = asker;
  const document = await readClientDocument(client.clientId, { caller: address, known: true });
  if (differenceOf(client, valuesOf(document)).changed.length === 0) return false;
  if (isNewer(document, client)) return update(document, asker);
  // another process has read a later one than this one keeps
  const later = await readClientDocument(client.clientId, { caller: address, known: true, newer: true });
  return isNewer(later, client) && update(later, asker);
}

const isNewer = (document: ClientDocument, { documentReadAt }: SnapshotClient): boolean =>
  documentReadAt === null || readAtOf(document) > new Date(documentReadAt);

async function update(document: ClientDocument, { address, requestId }: AgentAsker): Promise<boolean> {
  const { clientId } = document;
  const after = valuesOf(document);
  return inTransaction(async (db) => {
    const row = await findClient(db, clientId, 'lock');
    if (row?.origin !== 'document') return false;
    const { grantTypes } = after;
    const before = {
      ...row,
      confidential: row.kind === 'confidential',
      applicationType: after.applicationType,
      grantTypes,
    };
    const { changed, otherIdentity } = differenceOf(before, after);
    if (!(await updateAgent(db, after, { readAt: readAtOf(document), otherIdentity }))) return false;
    if (before.confidential !== after.confidential)
      await endTokens(db, { clientId }, 'client changed between public and confidential');
    if (changed.length > 0) {
      const pick = (of: Partial<AgentValues>) =>
        Object.fromEntries(changed.map((name) => [name, of[name] ?? null]));
      const details = { changed, before: pick(before), after: pick(after) };
      await recordEvent(
        { event: 'client.changed', clientId, requestId, ip: address ?? undefined, details },
        db,
      );
    }
    return true;
  });
}
