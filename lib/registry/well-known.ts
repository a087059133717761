// The paths of the documents of a protected resource and of an issuer: a word of `/.well-known/` between the host and
// the path (RFC 8615, RFC 9728 §3.1, RFC 8414 §3.1), or, as OpenID Connect Discovery §4 has it, behind the path.

const PATH = '/.well-known/';

/** Of the protected resource with this address: an absolute http or https URL without a fragment. */
export const resourceMetadataAddress = (resource: string): string =>
  inserted(resource, 'oauth-protected-resource');

/** Of the issuer with this address, in the order in which clients of MCP look for it. */
export function issuerMetadataAddresses(issuer: string): string[] {
  const both = [inserted(issuer, 'oauth-authorization-server'), inserted(issuer, 'openid-configuration')];
  return [...new Set([...both, `${issuer.replace(/\/$/, '')}${PATH}openid-configuration`])];
}

function inserted(address: string, word: string): string {
  const { origin, pathname, search } = new URL(address);
  return `${origin}${PATH}${word}${pathname === '/' ? '' : pathname.replace(/\/$/, '')}${search}`;
}
