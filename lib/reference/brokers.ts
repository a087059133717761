// The addresses that brokers send people back to, and the exchange of tokens and broker codes.
import { type AnswerProse, curl, type Prose } from './endpoint.ts';

const answers: AnswerProse[] = [
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
  ...answers,
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
    answers,
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
