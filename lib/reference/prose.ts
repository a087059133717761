// Prose of each endpoint, for the documentation page and the OpenAPI document. Discovery first. What clients and
// APIs read before they start: the metadata (RFC 8414) and the public keys (RFC 7517).

import { INTERFACE_VERSION } from '#lib/kit/version.ts';
import { methodNotAllowed } from '#lib/oauth/errors.ts';
import {
  type AnswerProse,
  curl,
  exampleIssuer,
  Html,
  ISSUER,
  OpenApiDocument,
  type Prose,
} from './endpoint.ts';

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

// The authorize endpoint, by GET and by POST.

/** RFC 7636 appendix B; its verifier is in the command of the token endpoint. */
const exampleChallenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

export const authorizeEndpoints: Prose[] = [
  {
    id: 'authorize',
    method: 'GET',
    pattern: `${ISSUER}/authorize`,
    summary: 'Send the person here to get a code',
    description:
      "Open it in the person's browser. Checked in this order: the combination (404), the client and redirect_uri (400, a page and never a redirect), then everything else (a redirect with `error`, `state` and `iss`). Trusted subscriptions need no consent; otherwise a remembered consent that covers the scopes is enough, except for native clients, whose people are asked each time. With client_id and the request_uri of a pushed request nothing else is read. An unknown parameter is ignored, request and other request_uris too; an empty one counts as absent.",
    answers: [
      {
        status: '302',
        description:
          'To redirect_uri with `code`, your `state`, and `iss`, which must equal the issuer you asked. The code lives 60 seconds and works once.',
        example:
          'Location: https://shop.example/callback?code=CODE&state=STATE&iss=https%3A%2F%2Fauth.example%2Fauth%2Flocal%2Fapi%2Forders',
        location: 'redirect_uri with code, state and iss; or with error, error_description, state and iss.',
      },
      {
        status: '303',
        description:
          'To the sign-in page, the page for a second factor or the consent page, or to the broker of a broker method, where the person is needed and prompt is not `none`.',
        location: 'A hosted page, or the broker.',
      },
    ],
    command: (addresses) =>
      curl(
        `${exampleIssuer(addresses)}/authorize?response_type=code&client_id=CLIENT_ID&redirect_uri=REDIRECT_URI&state=STATE&code_challenge=${exampleChallenge}&code_challenge_method=S256`,
        '-i',
      ),
  },
  {
    id: 'authorize-post',
    method: 'POST',
    pattern: `${ISSUER}/authorize`,
    summary: 'The same, with the parameters in a form',
    description:
      'For clients that rather post a form. The parameters are those of GET, form-encoded, at most 8,192 bytes beside an id_token_hint. The answer is 303 to the GET address, which alone reads the session and reports every other error.',
    answers: [
      {
        status: '303',
        description: 'To the same request as a GET.',
        location: 'The GET authorize address with the same parameters.',
      },
    ],
    command: (addresses) =>
      curl(
        `${exampleIssuer(addresses)}/authorize`,
        '-i',
        '-d response_type=code',
        '-d client_id=CLIENT_ID',
        "--data-urlencode 'redirect_uri=REDIRECT_URI'",
        '-d state=STATE',
        `-d code_challenge=${exampleChallenge}`,
        '-d code_challenge_method=S256',
      ),
  },
  {
    id: 'par',
    method: 'POST',
    pattern: `${ISSUER}/par`,
    summary: 'Push the request first (RFC 9126)',
    description:
      'The client sends the parameters of its authorize request here, from its server or its page, and gets a request_uri: the browser is sent to the authorize address with client_id and request_uri alone, so that nobody on the way reads or changes the request. Clients authenticate as at the token endpoint; public clients send client_id alone. All that the authorize address checks of a request is checked here, and every error is JSON. A request_uri has to be visited within 90 seconds, at the issuer address (path or host) that it was pushed to, and gives one code; signing in may then take as long as it does otherwise. A client with `require_pushed_authorization_requests` may not come to the authorize address otherwise.',
    answers: [
      {
        status: '201',
        description: 'The request is good. Send the browser to the authorize address.',
        example: '{"request_uri":"urn:ietf:params:oauth:request_uri:v1.…","expires_in":90}',
        schema: 'PushedResponse',
      },
    ],
    command: (addresses) =>
      curl(
        `${exampleIssuer(addresses)}/par`,
        '-u CLIENT_ID:CLIENT_SECRET',
        '-d response_type=code',
        "--data-urlencode 'redirect_uri=REDIRECT_URI'",
        '-d state=STATE',
        `-d code_challenge=${exampleChallenge}`,
        '-d code_challenge_method=S256',
      ),
  },
];

// The token, revocation and introspection endpoints.

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

// The device authorization endpoint.

export const deviceEndpoints: Prose[] = [
  {
    id: 'device-authorization',
    method: 'POST',
    pattern: `${ISSUER}/device_authorization`,
    summary: 'Connect a device',
    description:
      'For a device without a browser (RFC 8628), where the API says `device_grant: on` and the subscription `device: true`. It shows the code and the address, and polls the token endpoint until the person has decided in the browser of another device. The metadata name this address where the API connects devices.',
    answers: [
      {
        status: '200',
        description: 'What the device shows, and what it polls with.',
        example:
          '{"device_code":"ghd_…","user_code":"WDJB-MJHT","verification_uri":"https://auth.example/device","verification_uri_complete":"https://auth.example/device?user_code=WDJB-MJHT","expires_in":600,"interval":5}',
        schema: 'DeviceAuthorizationResponse',
      },
    ],
    command: (addresses) =>
      [
        curl(
          `${exampleIssuer(addresses)}/device_authorization`,
          '-d client_id=CLIENT_ID',
          "--data-urlencode 'scope=orders:read'",
        ),
        '',
        '# then every five seconds',
        curl(
          `${exampleIssuer(addresses)}/token`,
          '-d grant_type=urn:ietf:params:oauth:grant-type:device_code',
          '-d client_id=CLIENT_ID',
          '-d device_code=DEVICE_CODE',
        ),
      ].join('\n'),
  },
];

// OpenID Connect: who signed in.

const userinfoAnswers = [
  {
    status: '200',
    description:
      'The claims of the scopes that were granted, and those asked for by name. What is not known of the person is left out.',
    example:
      '{"sub":"PERSON_ID","name":"Alice","updated_at":1790000000,"email":"alice@example.com","email_verified":true}',
    schema: 'Userinfo',
  },
];

const userinfoShared = { pattern: `${ISSUER}/userinfo`, answers: userinfoAnswers };

const signOut = {
  pattern: `${ISSUER}/logout`,
  answers: [
    { status: '302', description: 'Back to post_logout_redirect_uri, with the state.' },
    { status: '303', description: 'To the page that asks the person, or from POST to GET.' },
    { status: '200', description: 'A page that says that the person is signed out.' },
  ],
};

export const openIdEndpoints: readonly Prose[] = [
  {
    ...userinfoShared,
    id: 'userinfo',
    method: 'GET',
    summary: 'Who the person is',
    description:
      'For an access token that was given with the scope `openid`, JWT or opaque, for as long as its sign-in lives. Browsers of any origin may read the answer.',
    command: (addresses) =>
      curl(`${exampleIssuer(addresses)}/userinfo`, "-H 'Authorization: Bearer ACCESS_TOKEN'"),
  },
  {
    ...userinfoShared,
    id: 'userinfo-post',
    method: 'POST',
    summary: 'The same by POST',
    description: 'With the access token in the header, or in the body as `access_token` (RFC 6750 §2.2).',
    command: (addresses) => curl(`${exampleIssuer(addresses)}/userinfo`, '-d access_token=ACCESS_TOKEN'),
  },
  {
    ...signOut,
    id: 'sign-out',
    method: 'GET',
    summary: 'Sign the person out',
    description:
      "Send the browser here. With an ID token of this browser's session it ends without a question, at all APIs of the method; otherwise the person is asked. A redirect that is not registered changes nothing about that.",
    command: (addresses) => curl(`${exampleIssuer(addresses)}/logout?id_token_hint=ID_TOKEN`),
  },
  {
    ...signOut,
    id: 'sign-out-post',
    method: 'POST',
    summary: 'The same by POST',
    description: 'A form. The browser is sent to the GET of the same address.',
    command: (addresses) => curl(`${exampleIssuer(addresses)}/logout`, '-d id_token_hint=ID_TOKEN'),
  },
];

// Dynamic client registration (RFC 7591).

export const registrationEndpoints: readonly Prose[] = [
  {
    id: 'register',
    method: 'POST',
    pattern: `${ISSUER}/register`,
    summary: 'Register a client',
    description:
      "Makes a client with a pending subscription to the issuer's API: it gets no token until an approver has said yes, in the same inbox as every request. The address is there only where the operator has set a registration token, and the metadata names it only then. JSON alone; members that are not known here are ignored, grants that the client may not have are left out. What nobody approves in thirty days is deleted.",
    answers: [
      {
        status: '201',
        description: 'The client as it was registered. The secret is shown this once.',
        example:
          '{"client_id":"registered-JxQ…","client_id_issued_at":1790000000,"client_name":"My agent","redirect_uris":["http://127.0.0.1/callback"],"token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"scope":"orders:read"}',
        schema: 'RegistrationResponse',
      },
    ],
    command: (addresses) =>
      curl(
        `${exampleIssuer(addresses)}/register`,
        "-H 'Authorization: Bearer REGISTRATION_TOKEN'",
        "-H 'Content-Type: application/json'",
        '-d @client.json',
      ),
  },
];

// The addresses that brokers send people back to, and the exchange of tokens and broker codes.

const brokerAnswers: AnswerProse[] = [
  {
    status: '200',
    description:
      '`authenticated`: the state was given to this browser by this service. The code was exchanged at the broker and the person is signed in; `continue` is the address that resumes the authorize request, in the same browser.',
    example: '{"status":"authenticated","continue":"https://auth.example/continue?interaction=v1.…"}',
    schema: 'BrokerCallbackResponse',
  },
  {
    status: '200',
    description:
      '`received`: there is no state, or none that is of use in this browser: unknown, used, older than ten minutes, or given to another one. Nothing is stored and nobody is signed in; the answer says where the code may be exchanged.',
    example:
      '{"status":"received","code":"CODE","state":null,"token_endpoint":"https://gatehouse.example/auth/token"}',
    schema: 'BrokerCallbackResponse',
  },
  {
    status: '200',
    description:
      '`failed`: the broker refused the code, reported an error, or could not be reached; or the answer can be another broker’s. Nobody is signed in.',
    example: '{"status":"failed","error":"invalid_grant","error_description":"The broker refused the code."}',
    schema: 'BrokerCallbackResponse',
  },
];

const redirectAnswers: AnswerProse[] = [
  {
    status: '303',
    description: 'A browser whose sign-in succeeded, sent to the address that resumes the authorize request.',
    location: 'The address that resumes the authorize request.',
  },
  ...brokerAnswers,
];

const FORM =
  'For a broker that answers by a form (OAuth 2.0 Form Post Response Mode). The form comes from the broker’s site and so without our cookie: it changes nothing, and the browser is sent on to the GET of this address.';
const sentOn: AnswerProse = {
  status: '303',
  description:
    'To the GET of this address, with what it reads of the form: code, state, iss, error, error_description.',
  location: 'This address, with the answer in its query.',
};

export const brokerEndpoints: Prose[] = [
  {
    id: 'broker-callback-code',
    method: 'GET',
    pattern: '/auth/callback/broker/:code',
    summary: 'Take the code a broker hands back',
    description:
      'Finishes a sign-in at a broker (a federated OpenID Connect or OAuth 2.0 provider). Always answers JSON; read `status` first. Needs no authentication: the state and the browser that carries it are the proof.',
    answers: brokerAnswers,
    command: ({ baseUrl }) => curl(`${baseUrl}/auth/callback/broker/CODE?state=STATE`),
  },
  {
    id: 'broker-callback',
    method: 'GET',
    pattern: '/auth/callback/broker',
    summary: 'The redirect address that all brokers may use',
    description:
      'For a broker that was registered with it, while no other one is. It leads to the same place as the address above. A browser (its `Accept` prefers text/html) is sent on to the authorize request with 303, or sees a page that says what went wrong, with a way back; anything else gets the JSON.',
    answers: redirectAnswers,
    command: ({ baseUrl }) => curl(`${baseUrl}/auth/callback/broker?code=CODE&state=STATE`),
  },
  {
    id: 'broker-callback-own',
    method: 'GET',
    pattern: '/auth/callback/:authMethodId',
    summary: 'The redirect address of one broker method',
    description:
      'Register this address at the broker. An answer to a sign-in of another method is `failed` here, and its code goes nowhere (mix-up, RFC 9700 §4.4). Everything else is as at the address above.',
    answers: redirectAnswers,
    command: ({ baseUrl }) => curl(`${baseUrl}/auth/callback/AUTH_METHOD_ID?code=CODE&state=STATE`),
  },
  {
    id: 'broker-callback-form',
    method: 'POST',
    pattern: '/auth/callback/broker',
    summary: 'Take a broker’s form at the address that all brokers may use',
    description: FORM,
    answers: [sentOn],
    command: ({ baseUrl }) => curl(`${baseUrl}/auth/callback/broker`, "-d 'code=CODE&state=STATE'"),
  },
  {
    id: 'broker-callback-own-form',
    method: 'POST',
    pattern: '/auth/callback/:authMethodId',
    summary: 'Take a broker’s form at the address of its method',
    description: FORM,
    answers: [sentOn],
    command: ({ baseUrl }) => curl(`${baseUrl}/auth/callback/AUTH_METHOD_ID`, "-d 'code=CODE&state=STATE'"),
  },
  {
    id: 'token-exchange',
    method: 'POST',
    pattern: '/auth/token',
    summary: 'Exchange a token or a broker code',
    description:
      "Takes something a broker or this service gave and answers with an access token of this service. Two grants: token exchange (RFC 8693), and authorization_code for an application that received the broker's answer itself. Form or JSON. The client needs an approved, trusted subscription to the API. A token that was exchanged never outlives the one it came from, ends with its revocation, and brings no refresh token.",
    answers: [
      {
        status: '200',
        description:
          "Token exchange: an access token for the target API. Its `iss` is the subject's method at that API.",
        example:
          '{"access_token":"eyJhbGciOiJFUzI1NiIs…","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"bearer","expires_in":1800}',
        schema: 'TokenExchangeResponse',
      },
      {
        status: '200',
        description:
          'An ID-JAG was asked for (`requested_token_type`): it is in `access_token`, and is exchanged at the other authorization server.',
        example:
          '{"access_token":"eyJhbGciOiJSUzI1NiIs…","issued_token_type":"urn:ietf:params:oauth:token-type:id-jag","token_type":"N_A","expires_in":300}',
        schema: 'IdJagResponse',
      },
      {
        status: '200',
        description: 'authorization_code: the answer of the token endpoint.',
        example: '{"access_token":"eyJhbGciOiJFUzI1NiIs…","token_type":"bearer","expires_in":3600}',
        schema: 'TokenResponse',
      },
    ],
    command: ({ baseUrl }) =>
      curl(
        `${baseUrl}/auth/token`,
        '-u CLIENT_ID:CLIENT_SECRET',
        "--data-urlencode 'grant_type=urn:ietf:params:oauth:grant-type:token-exchange'",
        "--data-urlencode 'subject_token=ACCESS_TOKEN'",
        "--data-urlencode 'subject_token_type=urn:ietf:params:oauth:token-type:access_token'",
        "--data-urlencode 'audience=OTHER_API_ID'",
      ),
  },
];

// Health, readiness, and the two descriptions of the service itself.

export const serviceEndpoints: Prose[] = [
  {
    id: 'health',
    method: 'GET',
    pattern: '/health',
    summary: 'Is the process alive?',
    description:
      'Answers 200 for as long as the process serves. It asks nothing of the database, so a restart triggered by it never makes a database outage worse. Needs no authentication.',
    answers: [
      {
        status: '200',
        description: 'The process serves.',
        example: JSON.stringify({ status: 'ok', version: INTERFACE_VERSION }),
        schema: 'Health',
      },
    ],
    command: ({ baseUrl }) => curl(`${baseUrl}/health`),
  },
  {
    id: 'ready',
    method: 'GET',
    pattern: '/ready',
    summary: 'May traffic be sent here?',
    description:
      'Runs each check and names it with its result. Point a load balancer at this address, and a liveness probe at /health. Needs no authentication.',
    answers: [
      { status: '200', description: 'Every check passed.', schema: 'Readiness' },
      {
        status: '503',
        description: 'At least one check failed; the body names it. Send traffic elsewhere.',
        schema: 'Readiness',
      },
    ],
    command: ({ baseUrl }) => curl(`${baseUrl}/ready`, '-i'),
  },
  {
    id: 'webauthn',
    method: 'GET',
    pattern: '/.well-known/webauthn',
    summary: 'Where passkeys may be used',
    description:
      'The origins of our own pages (WebAuthn Level 3, related origins). A browser asks by itself, at the domain that passkeys belong to (`PASSKEY_RP_ID`), where a page is not below that domain.',
    answers: [
      {
        status: '200',
        description: 'The origins.',
        example: '{"origins":["https://auth.example","https://www.example"]}',
        schema: 'RelatedOrigins',
      },
    ],
    command: ({ baseUrl }) => curl(`${baseUrl}/.well-known/webauthn`),
  },
  {
    id: 'change-password',
    method: 'GET',
    pattern: '/.well-known/change-password',
    summary: 'Where a user changes the password',
    description:
      'Password managers and browsers open it (W3C, A Well-Known URL for Changing Passwords). The page changes passwords that Gatehouse stores.',
    answers: [
      {
        status: '302',
        description: 'The page that changes a password.',
        location: 'The page, at the service’s own address.',
      },
    ],
    command: ({ baseUrl }) => curl(`${baseUrl}/.well-known/change-password`, '-i'),
  },
  {
    id: 'passkey-endpoints',
    method: 'GET',
    pattern: '/.well-known/passkey-endpoints',
    summary: 'Where a user adds and sees passkeys',
    description:
      'Password managers read it (W3C, Passkey Endpoints Well-Known URL) and offer a passkey to a user who signs in with a password.',
    answers: [
      {
        status: '200',
        description: 'The two pages.',
        example:
          '{"enroll":"https://login.example/account/security/add","manage":"https://login.example/account/security"}',
        schema: 'PasskeyEndpoints',
      },
    ],
    command: ({ baseUrl }) => curl(`${baseUrl}/.well-known/passkey-endpoints`),
  },
  {
    id: 'documentation',
    method: 'GET',
    pattern: '/documentation',
    summary: 'This page',
    description:
      'Every endpoint of both areas with its parameters, answers, errors and a command to paste, and the valid combinations of authentication method and API.',
    answers: [{ status: '200', description: 'The HTML page.', schema: 'Html', mediaType: 'text/html' }],
    command: ({ baseUrl }) => curl(`${baseUrl}/documentation`),
    declares: { answers: { Html }, errors: [] },
  },
  {
    id: 'openapi',
    method: 'GET',
    pattern: '/openapi.json',
    summary: 'The machine-readable description',
    description: `OpenAPI 3.1 of both areas, from the same source as this page. \`info.version\` is ${INTERFACE_VERSION}, the version of the interface.`,
    answers: [{ status: '200', description: 'The OpenAPI document.', schema: 'OpenApiDocument' }],
    command: ({ baseUrl }) => curl(`${baseUrl}/openapi.json`, '-o openapi.json'),
    declares: { answers: { OpenApiDocument }, errors: [methodNotAllowed] },
  },
];
