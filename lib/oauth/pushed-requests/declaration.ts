// What the endpoint for pushed authorization requests takes and answers (RFC 9126 §2).
import { z } from 'zod';
import { authorizeParameters } from '../authorize-request/declaration.ts';
import {
  badClient,
  bodyErrors,
  byClient,
  clientBody,
  credentialErrors,
  type Declaration,
  issuerPath,
  proofErrors,
  refuses,
  serviceErrors,
  tokenHeader,
  unknownIssuer,
} from '../errors/declaration.ts';
import {
  InvalidRequest,
  InvalidScope,
  InvalidTarget,
  RegistrationNotSupported,
  RequestNotSupported,
  TemporarilyUnavailable,
  UnauthorizedClient,
  UnmetAuthenticationRequirements,
  UnsupportedResponseType,
} from '../errors/errors.ts';

const { client_id: _, request_uri: _uri, issuer_host: _host, ...asked } = authorizeParameters.shape;

const PushedResponse = z.object({
  request_uri: z
    .string()
    .describe('Of the authorize address, with client_id, for one code: the request itself, sealed.'),
  expires_in: z.int().describe('Seconds until a browser has to come with it: 90.'),
});

export const pushedDeclaration: Declaration = {
  path: issuerPath,
  header: tokenHeader,
  body: z.object({ ...clientBody, ...asked }),
  answers: { PushedResponse },
  errors: [
    ...bodyErrors,
    ...credentialErrors,
    badClient,
    ...proofErrors,
    ...refuses(InvalidRequest, [
      'request_uri was sent: what is pushed are the parameters themselves.',
      'redirect_uri is missing although the API requires it or the client has several, or is not one that is registered for the client, character by character.',
      'response_type is missing.',
      'A public client, or any client at an API with the profile oauth-2.1, sent no code_challenge or no code_challenge_method.',
      'code_challenge_method is not `S256`, or code_challenge is not 43 base64url characters.',
      'state is longer than 2,048 bytes.',
      'prompt, max_age, response_mode, nonce, claims or id_token_hint has a value that the authorize address does not take.',
      'The request is longer than 8,192 characters, or its request_uri would be longer than 4,096.',
      'The document at client_id is not one of a client, or its address may not be asked.',
    ]),
    ...refuses(UnsupportedResponseType, ['response_type is anything but `code`.']),
    ...refuses(RequestNotSupported, ['A request object was sent with the scope `openid`.']),
    ...refuses(RegistrationNotSupported, ['The parameter registration was sent with the scope `openid`.']),
    ...refuses(InvalidScope, ['A scope is unknown, or none was sent although the API requires it.']),
    ...refuses(InvalidTarget, [
      'resource names another API than the one of this issuer, has a fragment, or is no absolute URI; one of them, where there are several.',
    ]),
    ...refuses(UnauthorizedClient, [
      'The client has no approved subscription to the API; of the client of a document also: its host is not listed.',
    ]),
    ...refuses(UnmetAuthenticationRequirements, [
      'claims asks for an essential acr that no sign-in here has.',
    ]),
    ...refuses(TemporarilyUnavailable, [
      'client_id is the address of a document, and its host does not answer, or was asked too often. Retry-After says when to come again.',
    ]),
    unknownIssuer,
    ...serviceErrors,
  ],
  security: byClient,
};
