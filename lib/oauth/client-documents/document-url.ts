// Which client ids are addresses of documents (draft-ietf-oauth-client-id-metadata-document-02 §3). The text is the id
// of the client, so addresses that a URL parser would rewrite are refused: two texts must not lead to one document.
import { isLoopbackHost } from '#lib/kit/loopback.ts';
import { settings } from '#lib/settings/settings.ts';

/** Of the whole address, in bytes: it is an id, which tokens, rows and pages contain. */
const MAX_BYTES = 500;
/** RFC 3986 §2, with whole percent encodings; no fragment. */
const CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?@!$&'()*+,;=[\]]|%[0-9A-Fa-f]{2})+$/;
const PARTS = /^(https?):\/\/([^/?]+)(\/[^?]*)(\?.+)?$/i;

/** By its form only: no lookup and no call. */
export function isDocumentUrl(clientId: string): boolean {
  if (clientId.length > MAX_BYTES || !CHARACTERS.test(clientId)) return false;
  const [, scheme = '', authority = '', path = ''] = PARTS.exec(clientId) ?? [];
  const url = URL.parse(clientId);
  if (scheme === '' || url === null || authority.includes('@') || hasDotSegment(path)) return false;
  const [, host, port] = /^(.+?)(?::(\d*))?$/.exec(authority) ?? [];
  // 127.1, 0x7f.1 and b%C3%BCcher.example are not what their reader sees
  if (host?.toLowerCase() !== url.hostname || url.hostname.endsWith('.') || port === '') return false;
  return scheme.toLowerCase() === 'https' || mayBePlain(url);
}

function hasDotSegment(path: string): boolean {
  return path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
}

/** http, where it does not leave the machine, and the operator allows the private network. */
export function mayBePlain(url: URL): boolean {
  return url.protocol === 'http:' && isLoopbackHost(url.hostname) && settings().clientDocumentsPrivateNetwork;
}
