// What clients and APIs read before they start: the metadata (RFC 8414) and the public keys (RFC 7517).
import { curl, exampleIssuer, ISSUER, type Prose } from './endpoint.ts';

function metadata(id: string, pattern: string, summary: string, description: string): Prose {
  return {
    id,
    method: 'GET',
    pattern,
    summary,
    description: `${description} Readable from any origin, without credentials.`,
    answers: [
      {
        status: '200',
        description: 'The metadata. `issuer` is the address that every `iss` of this combination carries.',
        example:
          '{"issuer":"https://auth.example/auth/local/api/orders","authorization_endpoint":"https://auth.example/auth/local/api/orders/authorize","token_endpoint":"https://auth.example/auth/local/api/orders/token","jwks_uri":"https://auth.example/auth/local/api/orders/jwks",…}',
        schema: 'AuthorizationServerMetadata',
      },
    ],
    command: ({ authUrl }) =>
      curl(`${authUrl}${pattern.replace(':authMethodId', 'AUTH_METHOD_ID').replace(':apiId', 'API_ID')}`),
  };
}

export const discoveryEndpoints: Prose[] = [
  metadata(
    'metadata',
    `/.well-known/oauth-authorization-server${ISSUER}`,
    'The metadata of an issuer',
    'Every address, grant and method of this combination (RFC 8414). A standard client needs the issuer alone: it finds this document by itself.',
  ),
  metadata(
    'metadata-openid-inserted',
    `/.well-known/openid-configuration${ISSUER}`,
    'The metadata, under the OpenID name',
    'The same document, for clients that put the OpenID name before the path. Gatehouse issues access tokens, not ID tokens.',
  ),
  metadata(
    'metadata-appended',
    `${ISSUER}/.well-known/oauth-authorization-server`,
    'The metadata, after the issuer',
    'The same document, for clients that append the name to the issuer.',
  ),
  metadata(
    'metadata-openid-appended',
    `${ISSUER}/.well-known/openid-configuration`,
    'The metadata, after the issuer, under the OpenID name',
    'The same document, where OpenID Connect Discovery looks for it. Gatehouse issues access tokens, not ID tokens.',
  ),
  {
    id: 'jwks',
    method: 'GET',
    pattern: `${ISSUER}/jwks`,
    summary: 'The public keys',
    description:
      'The keys that verify JWT access tokens: one set for the service, the same at every issuer, so that an API takes tokens of all its methods. Pick the key by `kid`; when a `kid` is new to you, fetch the set again. A new key is published before it signs. Readable from any origin, without credentials.',
    answers: [
      {
        status: '200',
        description: 'The key set (RFC 7517).',
        example:
          '{"keys":[{"kty":"EC","crv":"P-256","alg":"ES256","use":"sig","kid":"KEY_ID","x":"…","y":"…"}]}',
        schema: 'JsonWebKeySet',
      },
    ],
    command: (addresses) => curl(`${exampleIssuer(addresses)}/jwks`),
  },
];
