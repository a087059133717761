// Documents, read through a cache of this process. A copy is used while it is fresh, then its host is asked whether it
// has changed; by one call, however many wait. Errors and faulty documents are never kept. While a host does not
// answer, or answers with something that is no document, its copy of the last day counts. A document that says
// something else counts at once.
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import type { ClientDocument } from './document.ts';
import { isDocumentUrl } from './document-url.ts';
import { ClientDocumentRefused, ClientDocumentUnavailable } from './errors.ts';
import { fetchDocument } from './fetch-document.ts';
import { freshMilliseconds, validatorsOf } from './freshness.ts';
import { type DocumentAsker, governed } from './governor.ts';
import { keepRecent } from './keep-recent.ts';

/** Copies that are kept; the one that was not used for longest goes first. Each has 5 KB at the most. */
const MAX_COPIES = 1_000;
const COOLDOWN_MS = 30_000;
const STALE_MS = 86_400_000;

/**
 * Milliseconds since 1970: `confirmedAt` its host said last that it is so, `askedAt` it was asked, with or without an
 * answer.
 */
type Copy = {
  document: ClientDocument;
  validators: Record<string, string>;
  freshUntil: number;
  confirmedAt: number;
  askedAt: number;
};
type Shelf = { copies: Map<string, Copy>; asking: Map<string, Promise<ClientDocument>> };

// one for the process, shared by both doors
const slot = processWide<Shelf>('client-documents');

/**
 * The document at a client id that is its address; the same object as long as it says the same. `newer`: even a fresh
 * copy is not good enough, because a key of the client is not in it; asked at most once in 30 s. ClientDocumentRefused,
 * ClientDocumentUnavailable.
 */
export async function readClientDocument(
  clientId: string,
  { newer = false, ...asker }: DocumentAsker & { newer?: boolean } = {},
): Promise<ClientDocument> {
  const copy = kept(clientId);
  if (copy && isGood(copy, newer)) return copy.document;
  if (!isDocumentUrl(clientId))
    throw new ClientDocumentRefused('url', 'client_id is not an address of a document: https, with a path.');
  const { asking } = shelf();
  const running = asking.get(clientId) ?? asked(clientId, asker, copy);
  if (!copy) return running;
  return running.catch((error: unknown) => {
    const lasts = now().getTime() < copy.confirmedAt + STALE_MS;
    if (lasts && isPassing(error)) return copy.document;
    throw error;
  });
}

/** Does this failure say nothing about the client? */
export const isPassing = (error: unknown): boolean =>
  error instanceof ClientDocumentUnavailable ||
  (error instanceof ClientDocumentRefused && error.isNoDocument);

function isGood({ freshUntil, askedAt, confirmedAt }: Copy, newer: boolean): boolean {
  const time = now().getTime();
  if (time < askedAt + COOLDOWN_MS) return time < confirmedAt + STALE_MS;
  return !newer && time < freshUntil;
}

function asked(clientId: string, asker: DocumentAsker, copy: Copy | undefined): Promise<ClientDocument> {
  const { asking } = shelf();
  const running = governed(clientId, asker, () => refreshed(clientId, copy)).finally(() =>
    asking.delete(clientId),
  );
  asking.set(clientId, running);
  return running;
}

async function refreshed(clientId: string, copy: Copy | undefined): Promise<ClientDocument> {
  if (copy) copy.askedAt = now().getTime();
  try {
    const { document, headers } = await fetchDocument(clientId, copy?.validators ?? {});
    const at = now().getTime();
    const isOther = document !== null && document.digest !== copy?.document.digest;
    const current = isOther ? document : copy?.document;
    if (!current) throw new ClientDocumentRefused('status', 'Its host answers 304 where 200 is needed.');
    const validators = { ...(document ? {} : copy?.validators), ...validatorsOf(headers) };
    const freshUntil = at + freshMilliseconds(headers, at);
    keep(clientId, { document: current, validators, freshUntil, confirmedAt: at, askedAt: at });
    return current;
  } catch (error) {
    if (!isPassing(error)) shelf().copies.delete(clientId);
    throw error;
  }
}

function shelf(): Shelf {
  slot.value ??= { copies: new Map(), asking: new Map() };
  return slot.value;
}

function kept(clientId: string): Copy | undefined {
  const copy = shelf().copies.get(clientId);
  if (copy) keep(clientId, copy);
  return copy;
}

const keep = (clientId: string, copy: Copy) => keepRecent(shelf().copies, clientId, copy, MAX_COPIES);
