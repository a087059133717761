// Well-known paths of protected resource and issuer metadata. The segment `/.well-known/` precedes the path of the
// address (RFC 8615, RFC 9728 §3.1, RFC 8414 §3.1) or follows it (OpenID Connect Discovery §4).

const PATH = '/.well-known/';

/**
 * Address of the metadata of a protected resource. The argument is the resource's address, an absolute http or https
 * URL without a fragment.
 */
export const resourceMetadataAddress = (resource: string): string =>
  insertWord(resource, 'oauth-protected-resource');

/** Addresses of an issuer's metadata, in the order in which an MCP client tries them. */
export function issuerMetadataAddresses(issuer: string): string[] {
  const both = [insertWord(issuer, 'oauth-authorization-server'), insertWord(issuer, 'openid-configuration')];
  return [...new Set([...both, `${issuer.replace(/\/$/, '')}${PATH}openid-configuration`])];
}

function insertWord(address: string, word: string): string {
  const { origin, pathname, search } = new URL(address);
  return `${origin}${PATH}${word}${pathname === '/' ? '' : pathname.replace(/\/$/, '')}${search}`;
}
