// What clients and APIs read before they start: the metadata (RFC 8414) and the public keys (RFC 7517).
import { curl, exampleIssuer, ISSUER, type Prose } from './endpoint.ts';

type Said = Pick<Prose, 'id' | 'pattern' | 'summary' | 'description' | 'command'>;

/** A document that anybody may read. */
function open(said: Said, answer: Omit<Prose['answers'][number], 'status'>): Prose {
  const description = `${said.description} Readable from any origin, without credentials.`;
  return { ...said, method: 'GET', description, answers: [{ status: '200', ...answer }] };
}

function metadata(id: string, pattern: string, summary: string, description: string): Prose {
  const command: Prose['command'] = ({ authUrl }) =>
    curl(`${authUrl}${pattern.replace(':authMethodId', 'AUTH_METHOD_ID').replace(':apiId', 'API_ID')}`);
  return open(
    { id, pattern, summary, description, command },
    {
      description: 'The metadata. `issuer` is the address that every `iss` of this combination carries.',
      example:
        '{"issuer":"https://auth.example/auth/local/api/orders","authorization_endpoint":"https://auth.example/auth/local/api/orders/authorize","token_endpoint":"https://auth.example/auth/local/api/orders/token","jwks_uri":"https://auth.example/auth/local/api/orders/jwks",…}',
      schema: 'AuthorizationServerMetadata',
    },
  );
}

function resource(id: string, path: string, summary: string, description: string): Prose {
  const pattern = `/.well-known/oauth-protected-resource/${path}`;
  const command: Prose['command'] = ({ baseUrl }) => curl(`${baseUrl}${pattern.replace(':apiId', 'API_ID')}`);
  return open(
    { id, pattern, summary, description, command },
    {
      description: "The metadata. `resource` is the API's url, the audience of its access tokens.",
      example:
        '{"resource":"https://mcp.example/mcp","resource_name":"Orders","authorization_servers":["https://auth.example/auth/local/api/orders"],"scopes_supported":["orders:read"],"bearer_methods_supported":["header"],"access_token_format":"jwt","access_token_signing_alg":"ES256","resource_documentation":"https://auth.example/apis/orders"}',
      schema: 'ProtectedResourceMetadata',
    },
  );
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
  resource(
    'resource-metadata',
    'apis/:apiId',
    'The metadata of an API',
    "Which issuers an API takes tokens of (RFC 9728). Clients look for it on the API's own host: copy it there, proxy it, or name this address in the `WWW-Authenticate` header of the API's 401.",
  ),
  resource(
    'resource-metadata-management',
    'api/v1',
    'The metadata of the management API',
    'The same for the management API of this service, where RFC 9728 puts it. A 401 of that API names this address.',
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
