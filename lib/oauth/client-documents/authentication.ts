// How a client authenticates that has only its document (draft-ietf-oauth-client-id-metadata-document-02 §4.1): by
// nothing, or by keys of its own, never by a secret. What it says of several servers at once is weighed as OpenID
// Connect Relying Party Metadata Choices 1.0 does: the one method if it is one of ours, else the best of its list.
import { hasPrivatePart, type PublicKeySet, publicKey } from '#lib/registry/clients/public-keys.ts';
import { ClientDocumentRefused } from './errors.ts';
import { addressMember, type DocumentParts, textList } from './members.ts';

const MAX_KEYS = 10;

export type DocumentAuthentication =
  | { tokenEndpointAuthMethod: 'none'; jwks: null; jwksUri: null }
  | { tokenEndpointAuthMethod: 'private_key_jwt'; jwks: PublicKeySet | null; jwksUri: string | null };

const NONE: DocumentAuthentication = { tokenEndpointAuthMethod: 'none', jwks: null, jwksUri: null };

/** Or ClientDocumentRefused. */
export function authenticationOf(members: DocumentParts): DocumentAuthentication {
  refuseSecrets(members);
  const jwks = keysByValue(members);
  const jwksUri = addressMember(members, 'jwks_uri');
  const method = methodOf(members, jwks !== null || jwksUri !== null);
  if (method === 'none') return NONE;
  if (members['jwks'] !== undefined && jwksUri !== null)
    throw new ClientDocumentRefused('authentication', 'jwks and jwks_uri must not stand beside each other.');
  if (jwks === null && jwksUri === null)
    throw new ClientDocumentRefused(
      'authentication',
      'token_endpoint_auth_method private_key_jwt needs public keys that sign: jwks or jwks_uri.',
    );
  return { tokenEndpointAuthMethod: 'private_key_jwt', jwks, jwksUri };
}

function methodOf(members: DocumentParts, hasKeys: boolean): 'none' | 'private_key_jwt' {
  const one = members['token_endpoint_auth_method'] ?? null;
  if (one === 'none' || one === 'private_key_jwt') return one;
  const listed = textList(members, 'token_endpoint_auth_methods_supported');
  if (one === null && listed === null) return 'none';
  if (listed?.includes('private_key_jwt') && hasKeys) return 'private_key_jwt';
  if (listed?.includes('none')) return 'none';
  throw new ClientDocumentRefused(
    'authentication',
    'token_endpoint_auth_method must be none or private_key_jwt, or token_endpoint_auth_methods_supported must list one of them.',
  );
}

function refuseSecrets(members: DocumentParts): void {
  const named = ['client_secret', 'client_secret_expires_at'].find((name) => members[name] !== undefined);
  if (named)
    throw new ClientDocumentRefused('secret', `${named} must not be here: everybody can read the document.`);
  const method = members['token_endpoint_auth_method'];
  if (typeof method === 'string' && method.startsWith('client_secret_'))
    throw new ClientDocumentRefused(
      'secret',
      `token_endpoint_auth_method must not be ${method}: a client that has only its document keeps no secret with us.`,
    );
}

/** The keys of `jwks` that sign; null: it is not there, or holds none. */
function keysByValue({ jwks }: DocumentParts): PublicKeySet | null {
  if (jwks === undefined || jwks === null) return null;
  const keys = typeof jwks === 'object' && 'keys' in jwks ? jwks.keys : null;
  if (!Array.isArray(keys)) throw new ClientDocumentRefused('member', 'jwks must be a JWK Set (RFC 7517).');
  for (const key of keys) {
    if (typeof key !== 'object' || key === null)
      throw new ClientDocumentRefused('member', 'jwks must be a JWK Set (RFC 7517).');
    if (hasPrivatePart(key))
      throw new ClientDocumentRefused(
        'private-key',
        'jwks holds a private or a symmetric key, which everybody can read now. Make a new pair, and publish its public key alone.',
      );
  }
  const known = keys.flatMap((key) => {
    const { success, data } = publicKey.safeParse(key);
    return success ? [data] : [];
  });
  const usable = known.slice(0, MAX_KEYS);
  const ids = usable.map(({ kid }) => kid);
  if (ids.some((kid, at) => kid !== undefined && ids.indexOf(kid) < at))
    throw new ClientDocumentRefused('member', 'jwks must not have two keys of one kid.');
  return usable.length === 0 ? null : { keys: usable };
}
