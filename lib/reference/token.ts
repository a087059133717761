/** Area B: the token endpoint (RFC 6749 §3.2), one address for every grant. */
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
import { tokenErrors } from './token-errors.ts';

/** RFC 7636 appendix B: the verifier of the challenge that the authorize command sends. */
const exampleVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

const grantParameters: SourceParameter[] = [
  {
    name: 'grant_type',
    in: 'body',
    required: 'yes',
    description: '`authorization_code`, `password` or `refresh_token`.',
    schema: { type: 'string', enum: ['authorization_code', 'password', 'refresh_token'] },
  },
  ...clientParameters,
  {
    name: 'code',
    in: 'body',
    required: 'authorization_code',
    description: 'The authorization code, within 60 seconds and once.',
  },
  {
    name: 'code_verifier',
    in: 'body',
    required: 'where the authorize request had a code_challenge',
    description:
      '43 to 128 characters out of letters, digits, `.`, `-`, `_` and `~`. Always for public clients; a confidential client that used PKCE sends it as well as its secret.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._~-]{43,128}$' },
  },
  {
    name: 'redirect_uri',
    in: 'body',
    required: 'no',
    description: 'authorization_code only. Where sent, it must be the one of the authorize request.',
    schema: { type: 'string', format: 'uri' },
  },
  {
    name: 'username',
    in: 'body',
    required: 'password',
    description: "The person's e-mail address; with an external method, the name that service knows.",
  },
  { name: 'password', in: 'body', required: 'password', description: "The person's password." },
  {
    name: 'refresh_token',
    in: 'body',
    required: 'refresh_token',
    description: 'The most recent refresh token. Each works once; the answer brings the next one.',
  },
  {
    name: 'scope',
    in: 'body',
    required: 'no',
    description:
      'refresh_token: a narrower scope for this access token only. password: ignored, the token has the full scope.',
  },
];

export const tokenEndpoints: EndpointSource[] = [
  {
    id: 'token',
    area: 'B',
    method: 'POST',
    path: `${issuerPath}/token`,
    summary: 'Get an access token',
    description:
      "For every grant, form-encoded or JSON. A confidential client authenticates with its secret, in the body or by HTTP Basic; a public client sends client_id and never a secret. The password grant needs an approved, trusted subscription and a method that checks passwords (local or external). A browser client's code grant gives no refresh token: renew with prompt=none at the authorize endpoint. Answers are never cached, and a browser may read them from the client's allowed origins.",
    parameters: [...issuerParameters, ...grantParameters],
    answers: [
      {
        status: '200',
        description:
          'The tokens. `expires_in` is in seconds and set by the API. `refresh_token` is present for confidential and native clients, and for the password grant. `scope` is present where it differs from what was asked.',
        example:
          '{"access_token":"eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9…","token_type":"bearer","expires_in":3600,"refresh_token":"REFRESH_TOKEN"}',
        schema: 'TokenResponse',
        mediaType: 'application/json',
      },
    ],
    errors: [
      unreadable,
      twoCredentials,
      badClient,
      ...tokenErrors,
      unknownCombination,
      methodNotAllowed,
      tooLarge,
      unavailable,
      broken,
    ],
    security: [{ clientBasic: [] }, {}],
    command: (addresses) =>
      [
        '# authorization_code, confidential client',
        curl(
          `${exampleIssuer(addresses)}/token`,
          '-u CLIENT_ID:CLIENT_SECRET',
          '-d grant_type=authorization_code',
          '-d code=CODE',
        ),
        '',
        '# authorization_code with PKCE, public client',
        curl(
          `${exampleIssuer(addresses)}/token`,
          '-d grant_type=authorization_code',
          '-d client_id=CLIENT_ID',
          '-d code=CODE',
          `-d code_verifier=${exampleVerifier}`,
        ),
        '',
        '# password',
        curl(
          `${exampleIssuer(addresses)}/token`,
          '-u CLIENT_ID:CLIENT_SECRET',
          '-d grant_type=password',
          "--data-urlencode 'username=E_MAIL'",
          "--data-urlencode 'password=PASSWORD'",
        ),
        '',
        '# refresh_token',
        curl(
          `${exampleIssuer(addresses)}/token`,
          '-u CLIENT_ID:CLIENT_SECRET',
          '-d grant_type=refresh_token',
          '-d refresh_token=REFRESH_TOKEN',
        ),
      ].join('\n'),
  },
];
