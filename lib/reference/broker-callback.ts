/** Area A: the addresses that brokers send people back to. */
import {
  curl,
  type EndpointSource,
  type SourceAnswer,
  type SourceError,
  type SourceParameter,
} from './endpoint.ts';
import { idSchema, methodNotAllowed, unavailable } from './shared.ts';

const stateSchema = { anyOf: [{ type: 'string', maxLength: 2048 }, { type: 'null' }] };
const codeSchema = { type: 'string', minLength: 1, maxLength: 4096 };

const state: SourceParameter = {
  name: 'state',
  in: 'query',
  required: 'no',
  description:
    'The state our redirect to the broker carried, at most 2,048 characters. It works once, and only in the browser that started the sign-in.',
  schema: stateSchema,
};

const answers: SourceAnswer[] = [
  {
    status: '200',
    description:
      '`authenticated`: the state was given to this browser by this service. The code was exchanged at the broker and the person is signed in; `continue` is the address that resumes the authorize request, in the same browser.',
    example: '{"status":"authenticated","continue":"https://auth.example/continue?interaction=v1.…"}',
    schema: 'BrokerCallbackResponse',
    mediaType: 'application/json',
  },
  {
    status: '200',
    description:
      '`received`: there is no state, or none that is of use in this browser: unknown, used, older than ten minutes, or given to another one. Nothing is stored and nobody is signed in; the answer says where the code may be exchanged.',
    example:
      '{"status":"received","code":"CODE","state":null,"token_endpoint":"https://gatehouse.example/auth/token"}',
    schema: 'BrokerCallbackResponse',
    mediaType: 'application/json',
  },
  {
    status: '200',
    description:
      '`failed`: the broker refused the code, reported an error, or could not be reached; or the answer can be another broker’s. Nobody is signed in.',
    example: '{"status":"failed","error":"invalid_grant","error_description":"The broker refused the code."}',
    schema: 'BrokerCallbackResponse',
    mediaType: 'application/json',
  },
];

const iss: SourceParameter = {
  name: 'iss',
  in: 'query',
  required: 'no',
  description:
    "The broker's issuer (RFC 9207), once. Where it comes it must be the right one. A broker that promises it in its metadata must send it, and so must one that is not alone at this address.",
  schema: { type: 'string', format: 'uri' },
};

const validationErrors: SourceError[] = [
  {
    status: '422',
    error: 'HTTPValidationError',
    when: 'state is longer than 2,048 characters: `loc` is `["query","state"]`, `type` is `string_too_long`, with the offending `input` and the limit in `ctx`. Or iss is repeated: `loc` is `["query","iss"]`.',
    channel: 'validation',
  },
  methodNotAllowed,
  unavailable,
];

/** The broker's ordinary redirect, whatever the address. */
const redirect = {
  parameters: [
    {
      name: 'code',
      in: 'query',
      required: 'unless error is sent',
      description: "The broker's code: 1 to 4,096 visible ASCII characters.",
      schema: codeSchema,
    },
    state,
    iss,
    {
      name: 'error',
      in: 'query',
      required: 'no',
      description: "The broker's error code, where it refused. The answer is then `failed`.",
    },
    {
      name: 'error_description',
      in: 'query',
      required: 'no',
      description: "The broker's explanation of its error.",
    },
  ],
  answers: [
    {
      status: '303',
      description:
        'A browser whose sign-in succeeded, sent to the address that resumes the authorize request.',
      location: 'The address that resumes the authorize request.',
    },
    ...answers,
  ],
  errors: [
    {
      status: '422',
      error: 'HTTPValidationError',
      when: 'There is neither code nor error, or code is repeated or not 1 to 4,096 visible ASCII characters: `loc` is `["query","code"]`.',
      channel: 'validation',
    },
    ...validationErrors,
  ],
} satisfies Pick<EndpointSource, 'parameters' | 'answers' | 'errors'>;

const brokerMethod: SourceParameter = {
  name: 'auth_method_id',
  in: 'path',
  required: 'yes',
  description: 'The broker method, for example `partner`.',
  schema: idSchema,
};

const unknownMethod: SourceError = {
  status: '404',
  error: 'not_found',
  when: 'There is no broker method of this name. Answered with JSON, or with an HTML page where a browser asks.',
};

export const brokerCallbackEndpoints: EndpointSource[] = [
  {
    id: 'broker-callback-code',
    area: 'A',
    method: 'GET',
    path: '/auth/callback/broker/{code}',
    summary: 'Take the code a broker hands back',
    description:
      'Finishes a sign-in at a broker (a federated OpenID Connect or OAuth 2.0 provider). Always answers JSON; read `status` first. Needs no authentication: the state and the browser that carries it are the proof.',
    parameters: [
      {
        name: 'code',
        in: 'path',
        required: 'yes',
        description: "The broker's code, URL-encoded: 1 to 4,096 visible ASCII characters.",
        schema: codeSchema,
      },
      state,
      iss,
    ],
    answers,
    errors: [
      {
        status: '422',
        error: 'HTTPValidationError',
        when: 'code is longer than 4,096 characters or has a character that is not visible ASCII: `loc` is `["path","code"]`.',
        channel: 'validation',
      },
      ...validationErrors,
    ],
    command: ({ baseUrl }) => curl(`${baseUrl}/auth/callback/broker/CODE?state=STATE`),
  },
  {
    id: 'broker-callback',
    area: 'A',
    method: 'GET',
    path: '/auth/callback/broker',
    summary: 'The redirect address that all brokers may use',
    description:
      'For a broker that was registered with it, while no other one is. It leads to the same place as the address above. A browser (its `Accept` prefers text/html) is sent on to the authorize request with 303, or sees a page that says what went wrong, with a way back; anything else gets the JSON.',
    ...redirect,
    command: ({ baseUrl }) => curl(`${baseUrl}/auth/callback/broker?code=CODE&state=STATE`),
  },
  {
    id: 'broker-callback-own',
    area: 'A',
    method: 'GET',
    path: '/auth/callback/{auth_method_id}',
    summary: 'The redirect address of one broker method',
    description:
      'Register this address at the broker. An answer to a sign-in of another method is `failed` here, and its code goes nowhere (mix-up, RFC 9700 §4.4). Everything else is as at the address above.',
    parameters: [brokerMethod, ...redirect.parameters],
    answers: redirect.answers,
    errors: [unknownMethod, ...redirect.errors],
    command: ({ baseUrl }) => curl(`${baseUrl}/auth/callback/AUTH_METHOD_ID?code=CODE&state=STATE`),
  },
];
