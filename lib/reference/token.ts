// The token, revocation and introspection endpoints.
import { curl, exampleIssuer, ISSUER, type Prose } from './endpoint.ts';

/** RFC 7636 appendix B: the verifier of the challenge that the authorize command sends. */
const exampleVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

export const tokenEndpoints: Prose[] = [
  {
    id: 'token',
    method: 'POST',
    pattern: `${ISSUER}/token`,
    summary: 'Get an access token',
    description:
      "For every grant, form-encoded or JSON. A confidential client authenticates with its secret, in the body or by HTTP Basic, or with an assertion that it has signed (private_key_jwt); a public client sends client_id and never a secret. The password grant needs an approved, trusted subscription and a method that checks passwords (local, LDAP or external). The client_credentials grant gives a confidential client a token in its own name, with nobody signed in: it needs an approved subscription with `machine: true`, and its answer has neither a refresh token nor an ID token. A browser client's code grant gives no refresh token unless the client has `dpop_bound_access_tokens`: renew with prompt=none at the authorize endpoint. Answers are never cached, and a browser may read them from the client's allowed origins.",
    answers: [
      {
        status: '200',
        description:
          'The tokens. `expires_in` is in seconds and set by the API. `refresh_token` is present for confidential and native clients, for browser clients with `dpop_bound_access_tokens`, and for the password grant. `scope` is the scope of the token.',
        example:
          '{"access_token":"eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9…","token_type":"bearer","expires_in":3600,"refresh_token":"REFRESH_TOKEN"}',
        schema: 'TokenResponse',
      },
      {
        status: '200',
        description:
          'An ID-JAG was asked for (`requested_token_type`): it is in `access_token`, and is exchanged at the other authorization server.',
        example:
          '{"access_token":"eyJhbGciOiJSUzI1NiIs…","issued_token_type":"urn:ietf:params:oauth:token-type:id-jag","token_type":"N_A","expires_in":300}',
        schema: 'IdJagResponse',
      },
    ],
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
        '# client_credentials: a token in the name of the client itself',
        curl(
          `${exampleIssuer(addresses)}/token`,
          '-u CLIENT_ID:CLIENT_SECRET',
          '-d grant_type=client_credentials',
          "--data-urlencode 'scope=orders:read'",
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

export const tokenManagementEndpoints: Prose[] = [
  {
    id: 'revoke',
    method: 'POST',
    pattern: `${ISSUER}/revoke`,
    summary: 'Give a token back',
    description:
      "Ends a token of the calling client. Revoking a refresh token ends its whole family, its access tokens included: those introspect as inactive at once, while an API that checks a JWT only by its signature takes it until it expires. The answer is 200 for unknown tokens and other clients' tokens too, and those live on. Clients authenticate as at the token endpoint; public clients send client_id alone.",
    answers: [
      {
        status: '200',
        description:
          'The token is no longer valid, or never was one of yours. The body is an empty object: there is nothing to read.',
        example: '{}',
        schema: 'RevocationResponse',
      },
    ],
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
    method: 'POST',
    pattern: `${ISSUER}/introspect`,
    summary: 'Ask whether a token is good',
    description:
      "For an API with its own credential (HTTP Basic, its id as the name), which may ask about its tokens of every method; or for a confidential client with an approved subscription to the token's API. Works for JWT and opaque access tokens, and for those of a client in its own name, whose `sub` is the client_id. A revoked token is inactive, a JWT too, and so is one whose signing key was retired.",
    answers: [
      {
        status: '200',
        description: 'The token is good.',
        example:
          '{"active":true,"iss":"https://auth.example/auth/local/api/orders","aud":"https://api.example/orders","sub":"PERSON_ID","client_id":"shop-web","scope":"orders:read","token_type":"bearer","iat":1790000000,"exp":1790003600}',
        schema: 'IntrospectionResponse',
      },
      {
        status: '200',
        description:
          'The token is unknown, expired or revoked, or not yours to ask about. The answer does not say which.',
        example: '{"active":false}',
        schema: 'IntrospectionResponse',
      },
    ],
    command: (addresses) =>
      curl(
        `${exampleIssuer(addresses)}/introspect`,
        '-u API_ID:INTROSPECTION_SECRET',
        '-d token=ACCESS_TOKEN',
      ),
  },
  {
    id: 'verify',
    method: 'GET',
    pattern: '/verify/:apiId',
    summary: 'Let a gateway ask',
    description:
      'Forward auth: a gateway (nginx, Traefik, Caddy, HAProxy, Envoy) asks here before it lets a request through. By any method; no body is read, and no credential is needed but the token. JWT and opaque, of every method of the API; what has ended is refused at once. The gateway copies the `x-auth-` headers of the answer to the request, and drops those that the caller sent.',
    answers: [
      {
        status: '200',
        description:
          'The token is good. `x-auth-sub`, `x-auth-client-id`, `x-auth-scope`, `x-auth-issuer` and `x-auth-kind` (`person` or `machine`); `x-auth-act` is the client that acts for the person; `x-auth-claims` is the base64url of the JSON of the claims that the API names in `token_claims`. Over 2,048 bytes those are left out, with `x-auth-claims-omitted: true`. No body.',
      },
    ],
    command: ({ baseUrl }) =>
      curl(`${baseUrl}/verify/API_ID?scope=orders:read`, '-i', "-H 'Authorization: Bearer ACCESS_TOKEN'"),
  },
];
