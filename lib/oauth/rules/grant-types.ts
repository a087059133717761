// The grant types, and which of them a client may list that a document or a registration describes (RFC 7591 §2). Every
// other file takes their names from here; a test says so.
import type { ClientKind } from '#lib/registry/clients/client.ts';

/** RFC 6749 §4.1.3 */
export const AUTHORIZATION_CODE = 'authorization_code';
/** RFC 6749 §4.3.2 */
export const PASSWORD = 'password';
/** RFC 6749 §6 */
export const REFRESH_TOKEN = 'refresh_token';
/** RFC 6749 §4.4.2 */
export const CLIENT_CREDENTIALS = 'client_credentials';
/** RFC 7523 §2.1 */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** RFC 8628 §3.4 */
export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';
/** RFC 8693 §2.1 */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

type GrantType = {
  type: string;
  /** the kinds of clients that may list it in their document */
  document: readonly ClientKind[];
  /** the kinds of clients that may list it when they register themselves */
  registration: readonly ClientKind[];
};

const EVERY_KIND: readonly ClientKind[] = ['browser', 'native', 'confidential'];

export const GRANT_TYPES: readonly GrantType[] = [
  { type: AUTHORIZATION_CODE, document: EVERY_KIND, registration: EVERY_KIND },
  { type: PASSWORD, document: [], registration: [] },
  { type: REFRESH_TOKEN, document: EVERY_KIND, registration: ['native', 'confidential'] },
  { type: CLIENT_CREDENTIALS, document: ['confidential'], registration: ['confidential'] },
  { type: DEVICE_CODE, document: [], registration: ['native', 'confidential'] },
  { type: JWT_BEARER, document: ['confidential'], registration: [] },
  { type: TOKEN_EXCHANGE, document: ['confidential'], registration: [] },
];

/** In the order of the table. */
export const grantTypesFor = (kind: ClientKind, by: 'document' | 'registration'): string[] =>
  GRANT_TYPES.filter((grant) => grant[by].includes(kind)).map(({ type }) => type);
