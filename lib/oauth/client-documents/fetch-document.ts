// One call for one document: 200 or "not modified", JSON, 5 KB, no redirect, within 3 s, at a public address
// (draft-ietf-oauth-client-id-metadata-document-02 §4; SSRF and sizes: its security considerations).
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';
import { settings } from '#lib/settings/settings.ts';
import { type ClientDocument, readDocument } from './document.ts';
import { ClientDocumentRefused, ClientDocumentUnavailable } from './errors.ts';

const MAX_BYTES = 5_120;
const TIMEOUT_MS = 3_000;
const RETRY_SECONDS = 30;
const JSON_TYPE = /^application\/(?:[a-z0-9!#$&^_.+-]+\+)?json\s*(?:;|$)/i;
/** They say nothing about the document: too early, too often, or a guard of the host that takes us for a robot. */
const PASSING = new Set([403, 408, 425, 429]);

/** `document` null: the copy that the validators are of is still good. */
export type FetchedDocument = { document: ClientDocument | null; headers: Headers };

/** ClientDocumentRefused, ClientDocumentUnavailable. */
export async function fetchDocument(
  clientId: string,
  validators: Record<string, string>,
): Promise<FetchedDocument> {
  const answer = await called(clientId, validators);
  const { status, headers } = answer;
  if (status === 304 && Object.keys(validators).length > 0) return { document: null, headers };
  if (status >= 500 || PASSING.has(status)) throw silent();
  if (status === 404 || status === 410)
    throw new ClientDocumentRefused('gone', `Its host answers ${status} where 200 is needed.`);
  if (status !== 200)
    throw new ClientDocumentRefused('status', `Its host answers ${status} where 200 is needed.`);
  if (!JSON_TYPE.test(headers.get('content-type') ?? ''))
    throw new ClientDocumentRefused('media-type', 'Its host must send it as application/json.');
  return { document: readDocument(clientId, await textOf(answer)), headers };
}

async function called(clientId: string, validators: Record<string, string>): Promise<Response> {
  const call = outboundFetch({
    allowPrivateNetwork: settings().clientDocumentsPrivateNetwork,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  });
  try {
    return await call(clientId, { headers: { accept: 'application/json', ...validators } });
  } catch (cause) {
    throw cause instanceof OutboundFailed ? inWords(cause) : cause;
  }
}

function inWords(cause: OutboundFailed): Error {
  const refused = (reason: ClientDocumentRefused['reason'], sentence: string) =>
    new ClientDocumentRefused(reason, sentence, { cause });
  if (cause.reason === 'redirect')
    return refused('redirect', 'Its host answers with a redirect, and none is followed.');
  if (cause.reason === 'too-large')
    return refused('too-large', `The document must not have more than ${MAX_BYTES} bytes.`);
  if (cause.reason === 'private-address' || cause.reason === 'insecure')
    return refused('address', 'Its host does not stand at a public address.');
  if (cause.reason === 'bad-answer') return refused('unreadable', 'What its host sends can not be unpacked.');
  return silent(cause);
}

const silent = (cause?: OutboundFailed) =>
  new ClientDocumentUnavailable('Its host does not answer right now. Try again in a moment.', RETRY_SECONDS, {
    cause,
  });

async function textOf(answer: Response): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await answer.arrayBuffer());
  } catch (cause) {
    throw new ClientDocumentRefused('unreadable', 'The document is not UTF-8.', { cause });
  }
}
