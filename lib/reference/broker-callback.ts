/** Area A: the address a broker sends the person back to, in its two forms. */
import {
  curl,
  type EndpointSource,
  type SourceAnswer,
  type SourceError,
  type SourceParameter,
} from './endpoint.ts';
import { methodNotAllowed, unavailable } from './shared.ts';

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
      '`failed`: the broker refused the code, reported an error, or could not be reached. Nobody is signed in.',
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
    "The broker's issuer (RFC 9207). Where it comes it must be the right one; at the ordinary address a broker that promises it in its metadata must send it.",
  schema: { type: 'string', format: 'uri' },
};

const validationErrors: SourceError[] = [
  {
    status: '422',
    error: 'HTTPValidationError',
    when: 'state is longer than 2,048 characters: `loc` is `["query","state"]`, `type` is `string_too_long`, with the offending `input` and the limit in `ctx`.',
    channel: 'validation',
  },
  methodNotAllowed,
  unavailable,
];

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
    summary: "The broker's ordinary redirect address",
    description:
      'Register this address at the broker. It leads to the same place as the address above. A browser (its `Accept` prefers text/html) is sent on to the authorize request with 303, or sees a page that says what went wrong, with a way back; anything else gets the JSON.',
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
    command: ({ baseUrl }) => curl(`${baseUrl}/auth/callback/broker?code=CODE&state=STATE`),
  },
];
