// A row that a document made, brought up to date when the document says something else. The row is never older than
// what any process has read: a copy that was read before the row was written changes nothing. A document can say
// something else at each fetch, so changes that are written are bounded: over the bound the row stays as it is, and the
// audit log has attempts.limited.

import { recordEvent } from '#lib/audit/audit-log.ts';
import { countAttempt, TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import { now } from '#lib/kit/clock.ts';
import { inTransaction } from '#lib/store/database/prisma.ts';
import { endTokens } from '#lib/store/endings/endings.ts';
import { findClient } from '#lib/store/registry/clients.ts';
import type { SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { type DocumentValues, updateDocumentClient } from '#lib/store/registry/unregistered.ts';
import { attemptLimit, type Limit } from '#lib/store/tokens/limits.ts';
import { takeBackAttempt } from '#lib/store/tokens/rate-limits.ts';
import type { ClientDocument } from '../client-documents/document.ts';
import { readClientDocument } from '../client-documents/read-document.ts';
import { isApprovedSomewhere } from '../clients/client.ts';
import { differenceOf, valuesOf } from './document-client.ts';

/** Who asks, for the audit log and for the bounds of reading. */
export type ClientAsker = { address: string | null; requestId: string };

const firstSeen = new WeakMap<ClientDocument, Date>();

/** When this process had the document first. One that says the same as before is the same object. */
export function readAtOf(document: ClientDocument): Date {
  const at = firstSeen.get(document) ?? now();
  firstSeen.set(document, at);
  return at;
}

const DAY_SECONDS = 86_400;

/**
 * How many changes of one document are written in a day; those that no approver has let in have a bound together, too.
 */
function changeLimits(client: SnapshotClient): Limit[] {
  const limit = (name: string, most: number) => attemptLimit('document', name, most, DAY_SECONDS);
  if (isApprovedSomewhere(client)) return [limit(`approved ${client.clientId}`, 100)];
  return [attemptLimit('all', 'document changes', 1_000, DAY_SECONDS), limit(client.clientId, 10)];
}

/**
 * Reads the document of this client, and brings its row up to date: true where the row has changed, so that the request
 * is answered again. False after today's limit of written changes. ClientDocumentRefused,
 * ClientDocumentUnavailable.
 */
export async function refreshDocumentClient(client: SnapshotClient, asker: ClientAsker): Promise<boolean> {
  if (client.origin !== 'document') return false;
  const reader = { caller: asker.address, known: isApprovedSomewhere(client) };
  const document = await readClientDocument(client.clientId, reader);
  if (differenceOf(client, valuesOf(document)).changed.length === 0) return false;
  if (isNewer(document, client)) return updateWithin(client, document, asker);
  // another process has read a later one than this one keeps
  const later = await readClientDocument(client.clientId, { ...reader, newer: true });
  return isNewer(later, client) && updateWithin(client, later, asker);
}

/** Counts the change first; what turns out to be no change is not counted. */
async function updateWithin(
  client: SnapshotClient,
  document: ClientDocument,
  asker: ClientAsker,
): Promise<boolean> {
  const { requestId, address: ip } = asker;
  const limits = changeLimits(client);
  try {
    await countAttempt(limits, { clientId: client.clientId, requestId, ip });
  } catch (error) {
    if (error instanceof TooManyAttempts) return false;
    throw error;
  }
  let updated = false;
  try {
    updated = await update(document, asker);
  } finally {
    if (!updated) await takeBackAttempt(limits);
  }
  return updated;
}

const isNewer = (document: ClientDocument, { documentReadAt }: SnapshotClient): boolean =>
  documentReadAt === null || readAtOf(document) > new Date(documentReadAt);

async function update(document: ClientDocument, { address, requestId }: ClientAsker): Promise<boolean> {
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
    if (!(await updateDocumentClient(db, after, { readAt: readAtOf(document), otherIdentity }))) return false;
    if (before.confidential !== after.confidential)
      await endTokens(db, { clientId }, 'client changed between public and confidential');
    if (changed.length > 0) {
      const pick = (of: Partial<DocumentValues>) =>
        Object.fromEntries(changed.map((name) => [name, shortened(of[name] ?? null)]));
      const details = { changed, before: pick(before), after: pick(after) };
      await recordEvent(
        { event: 'client.changed', clientId, requestId, ip: address ?? undefined, details },
        db,
      );
    }
    return true;
  });
}

const MOST_ENTRIES = 10;
const MOST_CHARACTERS = 1_000;

/**
 * What the audit log keeps of a value that a stranger chose: 1,000 characters of JSON and a few, or ten entries of a
 * list.
 */
function shortened(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text.length <= MOST_CHARACTERS) return value;
  if (!Array.isArray(value)) return `${text.slice(0, MOST_CHARACTERS)}…`;
  const each = MOST_CHARACTERS / MOST_ENTRIES;
  const first = value.slice(0, MOST_ENTRIES).map((one) => String(one).slice(0, each));
  return value.length > MOST_ENTRIES ? [...first, `… and ${value.length - MOST_ENTRIES} more`] : first;
}
