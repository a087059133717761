// Where a client that has only its document may have people sent back to: https, http on this machine (any port, by
// name or number, as a program on a desktop needs it: RFC 8252 §7.3), or a private-use scheme (§7.1).
import { redirectUriFault } from '#lib/registry/clients/redirect-rules.ts';
import { ClientDocumentRefused } from './errors.ts';
import { type DocumentParts, textList } from './members.ts';

const MAX_ADDRESSES = 100;
/** An application's own scheme without a dot, such as cursor://: several of them claim one, so it is left out. */
const UNDOTTED = /^(?!https?:)[a-z][a-z0-9+-]*:\/\//i;

/** In the document's order, each once; ClientDocumentRefused where one is no good, or none is left that is needed. */
export function redirectsOf(members: DocumentParts, needed: boolean): string[] {
  const listed = [...new Set(textList(members, 'redirect_uris') ?? [])];
  const kept = listed.filter((uri) => !isLeftOut(uri));
  if (listed.length > MAX_ADDRESSES)
    throw new ClientDocumentRefused('redirect-uris', `redirect_uris must not be more than ${MAX_ADDRESSES}.`);
  if (needed && kept.length === 0)
    throw new ClientDocumentRefused(
      'redirect-uris',
      'redirect_uris must name an address that may be used: https, http on this machine, or a private-use scheme with a dot.',
    );
  for (const [at, uri] of kept.entries()) {
    const fault = redirectUriFault(uri, 'native');
    if (fault) throw new ClientDocumentRefused('redirect-uris', `redirect_uris.${at} ${fault}.`);
  }
  return kept;
}

const UNDOTTED_FAULT = redirectUriFault('undotted://callback', 'native');
const isLeftOut = (uri: string) => UNDOTTED.test(uri) && redirectUriFault(uri, 'native') === UNDOTTED_FAULT;
