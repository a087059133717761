// Which grants of its document a client may have. A document is written for many servers, so what does not exist here,
// or is not for a client of this kind, is left out; it is refused only if nothing is left to begin with.
import { AUTHORIZATION_CODE, grantTypesFor, REFRESH_TOKEN } from '../rules/grant-types.ts';
import { ClientDocumentRefused } from './errors.ts';
import { type DocumentParts, textList } from './members.ts';

/** Without the member: a code, and refresh tokens. ClientDocumentRefused where none is left. */
export function grantsOf(members: DocumentParts, confidential: boolean): string[] {
  const allowed = grantTypesFor(confidential ? 'confidential' : 'native', 'document');
  const listed = textList(members, 'grant_types') ?? [AUTHORIZATION_CODE, REFRESH_TOKEN];
  const kept = [...new Set(listed)].filter((name) => allowed.includes(name));
  if (!kept.some((name) => name !== REFRESH_TOKEN))
    throw new ClientDocumentRefused(
      'grants',
      'grant_types must list one that may be used: authorization_code.',
    );
  if (kept.includes(AUTHORIZATION_CODE)) requireCodeAnswer(members);
  return kept;
}

export const needsRedirect = (grants: readonly string[]) => grants.includes(AUTHORIZATION_CODE);

/** `code`, beside what else is listed (RFC 7591 §2.1). */
function requireCodeAnswer(members: DocumentParts): void {
  const listed = textList(members, 'response_types');
  if (listed !== null && !listed.includes('code'))
    throw new ClientDocumentRefused(
      'grants',
      'response_types must list code, as grant_types lists authorization_code.',
    );
}
