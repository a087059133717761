// Which grants of its document a client may have. A document is written for many servers, so what does not exist here,
// or is not for a client of this kind, is left out; it is refused only if nothing is left to begin with.
import { ClientDocumentRefused } from './errors.ts';
import { type DocumentParts, textList } from './members.ts';

const CODE = 'authorization_code';
const PUBLIC_GRANTS = [CODE, 'refresh_token'];
const CONFIDENTIAL_GRANTS = [
  ...PUBLIC_GRANTS,
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'urn:ietf:params:oauth:grant-type:token-exchange',
];

/** Without the member: a code, and refresh tokens. ClientDocumentRefused where none is left. */
export function grantsOf(members: DocumentParts, confidential: boolean): string[] {
  const allowed = confidential ? CONFIDENTIAL_GRANTS : PUBLIC_GRANTS;
  const listed = textList(members, 'grant_types') ?? PUBLIC_GRANTS;
  const kept = [...new Set(listed)].filter((name) => allowed.includes(name));
  if (!kept.some((name) => name !== 'refresh_token'))
    throw new ClientDocumentRefused(
      'grants',
      'grant_types must list one that may be used: authorization_code.',
    );
  if (kept.includes(CODE)) requireCodeAnswer(members);
  return kept;
}

export const needsRedirect = (grants: readonly string[]) => grants.includes(CODE);

/** `code`, beside what else is listed (RFC 7591 §2.1). */
function requireCodeAnswer(members: DocumentParts): void {
  const listed = textList(members, 'response_types');
  if (listed !== null && !listed.includes('code'))
    throw new ClientDocumentRefused(
      'grants',
      'response_types must list code, as grant_types lists authorization_code.',
    );
}
