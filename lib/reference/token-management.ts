/** Area B: revocation (RFC 7009) and introspection (RFC 7662). */
import { curl, type EndpointSource, exampleIssuer, issuerPath, type SourceParameter } from './endpoint.ts';
import {
  badClient,
  broken,
  clientParameters,
  issuerParameters,
  methodNotAllowed,
  tooLarge,
  twoCredentials,
  unavailable,
  unknownCombination,
  unreadable,
} from './shared.ts';

const hint: SourceParameter = {
  name: 'token_type_hint',
  in: 'body',
  required: 'no',
  description: '`access_token` or `refresh_token`, to say where to look first. The other kind is found too.',
};

export const tokenManagementEndpoints: EndpointSource[] = [
  {
    id: 'revoke',
    area: 'B',
    method: 'POST',
    path: `${issuerPath}/revoke`,
    summary: 'Give a token back',
    description:
      "Ends a token of the calling client. Revoking a refresh token ends its whole family, its access tokens included: those introspect as inactive at once, while an API that checks a JWT only by its signature takes it until it expires. The answer is 200 for unknown tokens and other clients' tokens too, and those live on. Clients authenticate as at the token endpoint; public clients send client_id alone.",
    parameters: [
      ...issuerParameters,
      ...clientParameters,
      {
        name: 'token',
        in: 'body',
        required: 'yes',
        description: 'The access token or refresh token to end.',
      },
      hint,
    ],
    answers: [
      {
        status: '200',
        description:
          'The token is no longer valid, or never was one of yours. The body is an empty object: there is nothing to read.',
        example: '{}',
        schema: 'RevocationResponse',
        mediaType: 'application/json',
      },
    ],
    errors: [
      unreadable,
      twoCredentials,
      badClient,
      {
        status: '400',
        error: 'unsupported_token_type',
        when: 'A kind of token was asked for that this address cannot revoke (RFC 7009 §2.2.1).',
      },
      unknownCombination,
      methodNotAllowed,
      tooLarge,
      unavailable,
      broken,
    ],
    security: [{ clientBasic: [] }, {}],
    command: (addresses) =>
      curl(
        `${exampleIssuer(addresses)}/revoke`,
        '-i',
        '-u CLIENT_ID:CLIENT_SECRET',
        '-d token=REFRESH_TOKEN',
      ),
  },
  {
    id: 'introspect',
    area: 'B',
    method: 'POST',
    path: `${issuerPath}/introspect`,
    summary: 'Ask whether a token is good',
    description:
      "For an API with its own credential (HTTP Basic, its id as the name), which may ask about its tokens of every method; or for a confidential client with an approved subscription to the token's API. Works for JWT and opaque access tokens. A revoked token is inactive, a JWT too, and so is one whose signing key was retired.",
    parameters: [
      ...issuerParameters,
      ...clientParameters.map((parameter) =>
        parameter.name === 'client_secret'
          ? {
              ...parameter,
              required: 'unless HTTP Basic is used',
              description: 'The secret of the confidential client.',
            }
          : parameter.name === 'client_id'
            ? { ...parameter, required: 'unless HTTP Basic is used' }
            : {
                ...parameter,
                description:
                  "HTTP Basic: the API's id and introspection secret, or client_id and client_secret.",
              },
      ),
      { name: 'token', in: 'body', required: 'yes', description: 'The token in question.' },
      hint,
    ],
    answers: [
      {
        status: '200',
        description: 'The token is good.',
        example:
          '{"active":true,"iss":"https://auth.example/auth/local/api/orders","aud":"https://api.example/orders","sub":"PERSON_ID","client_id":"shop-web","scope":"orders:read","token_type":"bearer","iat":1790000000,"exp":1790003600}',
        schema: 'IntrospectionResponse',
        mediaType: 'application/json',
      },
      {
        status: '200',
        description:
          'The token is unknown, expired or revoked, or not yours to ask about. The answer does not say which.',
        example: '{"active":false}',
        schema: 'IntrospectionResponse',
        mediaType: 'application/json',
      },
    ],
    errors: [
      unreadable,
      twoCredentials,
      {
        status: '401',
        error: 'invalid_client',
        when: 'The credential is missing or wrong, the client is disabled, or it is a public client.',
      },
      unknownCombination,
      methodNotAllowed,
      tooLarge,
      unavailable,
      broken,
    ],
    security: [{ apiBasic: [] }, { clientBasic: [] }, {}],
    command: (addresses) =>
      curl(
        `${exampleIssuer(addresses)}/introspect`,
        '-u API_ID:INTROSPECTION_SECRET',
        '-d token=ACCESS_TOKEN',
      ),
  },
];
