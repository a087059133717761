// A Client ID Metadata Document as this service understands it (draft-ietf-oauth-client-id-metadata-document-02 §4.1):
// from text to the members of a client, in the words of the registry. DocumentParts that are not named here are for
// others, and left out.
import { sha256 } from '#lib/kit/random.ts';
import { findUnstorable } from '#lib/kit/text/storable.ts';
import type { PublicKeySet } from '#lib/registry/clients/public-keys.ts';
import { issueInWords } from '#lib/registry/fields/definition.ts';
import { type DisplayText, textsOfMember } from '#lib/registry/fields/display-text.ts';
import { label } from '#lib/registry/fields/values.ts';
import { authenticationOf } from './authentication.ts';
import { ClientDocumentRefused } from './errors.ts';
import { grantsOf, needsRedirect } from './grants.ts';
import { addressMember, type DocumentParts, flagMember } from './members.ts';
import { redirectsOf } from './redirects.ts';

export type ClientDocument = {
  /** the address, letter by letter */
  clientId: string;
  /** of the address, without a port: what people and rules know it by */
  host: string;
  /** the host, where the document has none */
  name: DisplayText;
  clientUri: string | null;
  /** of the same host; null: none, or one of another host */
  logoUri: string | null;
  tosUri: string | null;
  policyUri: string | null;
  redirectUris: string[];
  /** it signs with keys of its own */
  confidential: boolean;
  applicationType: 'web' | 'native';
  tokenEndpointAuthMethod: 'none' | 'private_key_jwt';
  jwks: PublicKeySet | null;
  jwksUri: string | null;
  /** those that it may have */
  grantTypes: string[];
  /** its authorize requests must be pushed first (RFC 9126 §6) */
  requirePushedAuthorizationRequests: boolean;
  /** its access tokens are bound to a key of its own (RFC 9449 §5.2) */
  dpopBoundAccessTokens: boolean;
  /** SHA-256 of all of the above, base64url: another one, and something has changed that counts */
  digest: string;
};

const PUSHED = 'require_pushed_authorization_requests';

/** Addresses that are not used here, but must still be https (§4.1). */
const UNUSED_ADDRESSES = [
  'initiate_login_uri',
  'sector_identifier_uri',
  'backchannel_logout_uri',
  'frontchannel_logout_uri',
];

/** Or ClientDocumentRefused. `clientId` has the form of a document's address. */
export function readDocument(clientId: string, text: string): ClientDocument {
  const members = membersOf(text);
  if (members['client_id'] === undefined)
    throw new ClientDocumentRefused('unreadable', 'client_id is missing: it is the address of the document.');
  if (members['client_id'] !== clientId)
    throw new ClientDocumentRefused(
      'client-id',
      'client_id must be the address of the document, letter by letter, as the request names it.',
    );
  const authentication = authenticationOf(members);
  const confidential = authentication.tokenEndpointAuthMethod === 'private_key_jwt';
  const grantTypes = grantsOf(members, confidential);
  for (const name of UNUSED_ADDRESSES) addressMember(members, name);
  const host = new URL(clientId).hostname;
  const document: Omit<ClientDocument, 'digest'> = {
    clientId,
    host,
    name: nameOf(members) ?? host,
    clientUri: addressMember(members, 'client_uri'),
    logoUri: ofSameHost(host, addressMember(members, 'logo_uri')),
    tosUri: addressMember(members, 'tos_uri'),
    policyUri: addressMember(members, 'policy_uri'),
    redirectUris: redirectsOf(members, needsRedirect(grantTypes)),
    confidential,
    applicationType: confidential ? 'web' : 'native',
    ...authentication,
    grantTypes,
    requirePushedAuthorizationRequests: flagMember(members, PUSHED),
    dpopBoundAccessTokens: flagMember(members, 'dpop_bound_access_tokens'),
  };
  return { ...document, digest: sha256(JSON.stringify(document)).toString('base64url') };
}

function membersOf(text: string): DocumentParts {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ClientDocumentRefused('unreadable', 'The document is not JSON.', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ClientDocumentRefused('unreadable', 'The document must be a JSON object.');
  if (findUnstorable(value))
    throw new ClientDocumentRefused(
      'member',
      'The document holds text that can not be kept, or is nested too deeply.',
    );
  return { ...value };
}

function nameOf(members: DocumentParts): DisplayText | null {
  const own = members['client_name'] ?? null;
  const name = textsOfMember(members, 'client_name', own === null ? null : readName('client_name', own));
  if (name === null || typeof name === 'string') return name;
  return Object.fromEntries(
    Object.entries(name).map(([tag, text]) => [tag, readName(`client_name#${tag}`, text)]),
  );
}

function readName(member: string, name: unknown): string {
  const read = label.safeParse(name);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new ClientDocumentRefused('member', `${member} ${issue ? issueInWords(issue) : 'makes no sense'}.`);
}

/** A picture on another host could be another client's logo. */
function ofSameHost(host: string, address: string | null): string | null {
  return address !== null && new URL(address).hostname === host ? address : null;
}
