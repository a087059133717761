/** The OpenAPI security schemes: how clients and APIs prove themselves, and how a token is used. */
import { type Addresses, exampleIssuer, type JsonSchema } from './endpoint.ts';

export function openapiSecuritySchemes(addresses: Addresses): Record<string, JsonSchema> {
  const issuer = exampleIssuer(addresses);
  return {
    clientBasic: {
      type: 'http',
      scheme: 'basic',
      description:
        'client_id and client_secret of a confidential client. It may send both in the body instead; a public client sends client_id alone.',
    },
    apiBasic: {
      type: 'http',
      scheme: 'basic',
      description: "The API's id and its introspection secret.",
    },
    accessToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'How a client calls the protected API: the access token in the Authorization header.',
    },
    gatehouse: {
      type: 'oauth2',
      description:
        'The flows of one issuer. AUTH_METHOD_ID and API_ID are its authentication method and API.',
      flows: {
        authorizationCode: {
          authorizationUrl: `${issuer}/authorize`,
          tokenUrl: `${issuer}/token`,
          refreshUrl: `${issuer}/token`,
          scopes: {},
        },
        password: { tokenUrl: `${issuer}/token`, refreshUrl: `${issuer}/token`, scopes: {} },
      },
    },
  };
}
