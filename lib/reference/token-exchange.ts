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
      "Takes something a broker or this service gave and answers with an access token of this service. Two grants: token exchange (RFC 8693), and authorization_code for an application that received the broker's answer itself. Form or JSON. The client needs an approved, trusted subscription to the API. A token that was exchanged never outlives the one it came from, ends with its revocation, and brings no refresh token.",
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
          '`urn:ietf:params:oauth:token-type:access_token` or `urn:ietf:params:oauth:token-type:jwt` for an access token of this service, `urn:ietf:params:oauth:token-type:id_token` for a broker’s ID token, which must be issued to our registration there.',
      },
      {
        name: 'actor_token',
        in: 'body',
        required: 'no',
        description:
          'Who acts for the person, as a token of the same kinds. The new token says so in `act`, around the `act` of the subject token, if it has one.',
      },
      {
        name: 'actor_token_type',
        in: 'body',
        required: 'with actor_token',
        description: 'As subject_token_type.',
      },
      {
        name: 'requested_token_type',
        in: 'body',
        required: 'no',
        description:
          '`urn:ietf:params:oauth:token-type:access_token` (the default), or `urn:ietf:params:oauth:token-type:jwt` where the API takes JWTs.',
      },
      {
        name: 'audience',
        in: 'body',
        required: 'token exchange, or resource',
        description:
          'The API the new token is for: its id or its url. A token is for one API, so a second audience or resource (RFC 8693 §2.1 allows them) is `invalid_target`; the two together may name the same one.',
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
        description:
          'The id of the broker method that the ID token belongs to; needed where several methods trust the same issuer.',
      },
      {
        name: 'scope',
        in: 'body',
        required: 'no',
        description:
          'Space-separated scopes, within what the subscription allows and, at the same API, within those of the subject token. Without it: all of these. Token exchange only.',
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
      {
        name: 'redirect_uri',
        in: 'body',
        required: 'no',
        description:
          'authorization_code: where sent, the one of the pending authorize request; or the address at this service that the broker’s answer came to, which must be the one that the person was sent with.',
      },
      {
        name: 'iss',
        in: 'body',
        required: 'no',
        description:
          "authorization_code: the `iss` of the broker's answer; where sent, it must fit. Where there are several brokers, iss or the address that the answer came to must be sent.",
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
        when: 'The subject or actor token is expired, revoked, or not one this service can check, its person, client or subscription is switched off, or its type is missing or unknown (RFC 8693 §2.2.2). Or nothing says which of several brokers gave the code.',
      },
      {
        status: '400',
        error: 'invalid_target',
        when: "audience or resource names no API, or more than one, or the management API, or the subject's method is not a valid combination with it.",
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
      {
        status: '503',
        error: 'temporarily_unavailable',
        when: 'The broker that has to be asked does not answer. Nothing was exchanged.',
      },
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
