/** Area A: POST /auth/token, which exchanges what a broker or this service gave for a token of this service. */
import { curl, type EndpointSource } from './endpoint.ts';
import {
  badClient,
  broken,
  clientParameters,
  methodNotAllowed,
  tooLarge,
  twoCredentials,
  unavailable,
  unreadable,
} from './shared.ts';

const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';

export const tokenExchangeEndpoints: EndpointSource[] = [
  {
    id: 'token-exchange',
    area: 'A',
    method: 'POST',
    path: '/auth/token',
    summary: 'Exchange a token or a broker code',
    description:
      "Takes something a broker or this service gave and answers with an access token of this service. Two grants: token exchange (RFC 8693), and authorization_code for an application that received the broker's answer itself. Form or JSON. The client needs an approved, trusted subscription to the API. A token that was exchanged never outlives the one it came from and brings no refresh token.",
    parameters: [
      {
        name: 'grant_type',
        in: 'body',
        required: 'yes',
        description: `\`${tokenExchange}\` or \`authorization_code\`.`,
        schema: { type: 'string', enum: [tokenExchange, 'authorization_code'] },
      },
      ...clientParameters,
      {
        name: 'subject_token',
        in: 'body',
        required: 'token exchange',
        description: "An access token of this service, or a broker's ID token.",
      },
      {
        name: 'subject_token_type',
        in: 'body',
        required: 'token exchange',
        description:
          '`urn:ietf:params:oauth:token-type:access_token`, `urn:ietf:params:oauth:token-type:jwt` or `urn:ietf:params:oauth:token-type:id_token`.',
      },
      {
        name: 'audience',
        in: 'body',
        required: 'token exchange, or resource',
        description: 'The API the new token is for: its id or its url.',
      },
      {
        name: 'resource',
        in: 'body',
        required: 'token exchange, or audience',
        description: 'The API the new token is for: its url.',
        schema: { type: 'string', format: 'uri' },
      },
      {
        name: 'auth_method',
        in: 'body',
        required: 'where the token does not tell',
        description: 'The id of the broker method that the subject token belongs to.',
      },
      {
        name: 'scope',
        in: 'body',
        required: 'no',
        description: 'Space-separated scopes, within what the subscription allows. Token exchange only.',
      },
      {
        name: 'code',
        in: 'body',
        required: 'authorization_code',
        description: "The broker's code.",
      },
      {
        name: 'state',
        in: 'body',
        required: 'authorization_code',
        description:
          "The state that our redirect to the broker carried. It names the pending authorize request, which must be the caller's.",
      },
      {
        name: 'code_verifier',
        in: 'body',
        required: 'where the authorize request had a code_challenge',
        description: 'The verifier whose hash is the code_challenge of the pending authorize request.',
      },
    ],
    answers: [
      {
        status: '200',
        description:
          "Token exchange: an access token for the target API. Its `iss` is the subject's method at that API.",
        example: `{"access_token":"eyJhbGciOiJFUzI1NiIs…","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"bearer","expires_in":1800}`,
        schema: 'TokenExchangeResponse',
        mediaType: 'application/json',
      },
      {
        status: '200',
        description: 'authorization_code: the answer of the token endpoint.',
        example: '{"access_token":"eyJhbGciOiJFUzI1NiIs…","token_type":"bearer","expires_in":3600}',
        schema: 'TokenResponse',
        mediaType: 'application/json',
      },
    ],
    errors: [
      unreadable,
      twoCredentials,
      badClient,
      {
        status: '400',
        error: 'unsupported_grant_type',
        when: 'grant_type is neither of the two.',
      },
      {
        status: '400',
        error: 'unauthorized_client',
        when: 'The client has no approved, trusted subscription to the API.',
      },
      {
        status: '400',
        error: 'invalid_request',
        when: 'The subject token is expired, revoked, or not one this service can check, or subject_token_type is missing or unknown (RFC 8693 §2.2.2).',
      },
      {
        status: '400',
        error: 'invalid_target',
        when: "audience or resource names no API, or the subject's method is not a valid combination with it.",
      },
      {
        status: '400',
        error: 'invalid_scope',
        when: 'A scope is unknown or wider than allowed.',
      },
      {
        status: '400',
        error: 'invalid_grant',
        when: "The broker's code is refused, the state is unknown, used or another client's, or the verifier does not fit.",
      },
      methodNotAllowed,
      tooLarge,
      unavailable,
      broken,
    ],
    security: [{ clientBasic: [] }, {}],
    command: ({ baseUrl }) =>
      curl(
        `${baseUrl}/auth/token`,
        '-u CLIENT_ID:CLIENT_SECRET',
        `--data-urlencode 'grant_type=${tokenExchange}'`,
        "--data-urlencode 'subject_token=ACCESS_TOKEN'",
        "--data-urlencode 'subject_token_type=urn:ietf:params:oauth:token-type:access_token'",
        "--data-urlencode 'audience=OTHER_API_ID'",
      ),
  },
];
