// What the addresses that brokers send people back to take and answer (specification 4.2 and 2.4).
import { z } from 'zod';
import { demanded, optional } from '#lib/openapi/schema.ts';
import {
  bodyTooLarge,
  broken,
  type Declaration,
  type DeclaredError,
  identifier,
  methodNotAllowed,
  plainPage,
  prefetched,
  refuses,
  serviceErrors,
  showsPage,
  unavailable,
} from '../errors/declaration.ts';
import { InvalidRequest } from '../errors/errors.ts';
import { CODE_MAX, STATE_MAX } from './broker-callback-input.ts';

const state = optional(
  z.string().max(STATE_MAX).nullable(),
  'The state our redirect to the broker carried, at most 2,048 characters. It works once, and only in the browser that started the sign-in.',
);
const iss = optional(
  z.url(),
  "The broker's issuer (RFC 9207), once. Where it comes it must be the right one. A broker that promises it in its metadata must send it, and so must one that is not alone at this address.",
);
const code = z.string().min(1).max(CODE_MAX);

const BrokerCallbackResponse = z.discriminatedUnion('status', [
  z.object({ status: z.literal('authenticated'), continue: z.url() }),
  z.object({
    status: z.literal('received'),
    code: z.string(),
    state: z.string().nullable(),
    token_endpoint: z.url(),
  }),
  z.object({ status: z.literal('failed'), error: z.string(), error_description: z.string().optional() }),
]);

function invalid(when: string): DeclaredError {
  return { status: 422, error: 'HTTPValidationError', when, as: 'validation' };
}

const inputErrors = (): DeclaredError[] => [
  invalid(
    'state is longer than 2,048 characters: `loc` is `["query","state"]`, `type` is `string_too_long`, with the offending `input` and the limit in `ctx`.',
  ),
  invalid('state or iss is repeated: `loc` is `["query","state"]` or `["query","iss"]`.'),
];

const errors: readonly DeclaredError[] = [
  ...inputErrors(),
  ...refuses(InvalidRequest, [
    'The query cannot be read: a malformed percent escape in code, state or iss, or more than 100 parameters.',
  ]),
  prefetched,
  ...serviceErrors,
];

export const brokerCodeDeclaration: Declaration = {
  path: z.object({
    code: code.describe("The broker's code, URL-encoded: 1 to 4,096 visible ASCII characters."),
  }),
  query: z.object({ state, iss }),
  answers: { BrokerCallbackResponse },
  errors: [
    invalid(
      'code is longer than 4,096 characters or has a character that is not visible ASCII: `loc` is `["path","code"]`.',
    ),
    ...errors,
  ],
};

const answer = z.object({
  code: demanded(code, 'unless error is sent', "The broker's code: 1 to 4,096 visible ASCII characters."),
  state,
  iss,
  error: optional(z.string(), "The broker's error code, where it refused. The answer is then `failed`."),
  error_description: optional(z.string(), "The broker's explanation of its error."),
});

const noCode = () =>
  invalid(
    'There is neither code nor error, or code is repeated or not 1 to 4,096 visible ASCII characters: `loc` is `["query","code"]`.',
  );

const noMethod: DeclaredError = {
  status: 404,
  error: 'not_found',
  when: 'There is no broker method of this name. Answered with JSON, or with an HTML page where a browser asks.',
  as: 'json',
};

export const brokerRedirectDeclaration: Declaration = {
  query: answer,
  answers: { BrokerCallbackResponse },
  errors: [
    noCode(),
    ...showsPage(plainPage(400), [
      'In a browser: the broker refused, or the state is of no use in this browser. The page says what happened, with a way back.',
    ]),
    ...showsPage(plainPage(503), ['In a browser: the broker cannot be reached. The page has a way back.']),
    ...errors,
  ],
};

export const ownBrokerRedirectDeclaration: Declaration = {
  ...brokerRedirectDeclaration,
  path: z.object({ auth_method_id: identifier.describe('The broker method, for example `partner`.') }),
  errors: [noMethod, ...brokerRedirectDeclaration.errors],
};

export const brokerFormDeclaration: Declaration = {
  body: answer,
  bodyTypes: ['application/x-www-form-urlencoded'],
  answers: {},
  errors: [
    noCode(),
    ...inputErrors(),
    ...refuses(InvalidRequest, [
      'The form cannot be read: its content type is another, code, state or iss has a malformed percent escape, or there are more than 100 fields.',
    ]),
    bodyTooLarge,
    methodNotAllowed,
  ],
};

export const ownBrokerFormDeclaration: Declaration = {
  ...brokerFormDeclaration,
  path: ownBrokerRedirectDeclaration.path as z.ZodObject,
  errors: [noMethod, ...brokerFormDeclaration.errors, unavailable, broken],
};
