/** Parameters and errors that several endpoints share, in one wording. */
import type { SourceError, SourceParameter } from './endpoint.ts';

export const idSchema = { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$' };

export const issuerParameters: SourceParameter[] = [
  {
    name: 'auth_method_id',
    in: 'path',
    required: 'yes',
    description: "The authentication method, for example `local`. The API's page lists the valid ones.",
    schema: idSchema,
  },
  {
    name: 'api_id',
    in: 'path',
    required: 'yes',
    description: 'The API the tokens are for, for example `orders`.',
    schema: idSchema,
  },
];

export const clientParameters: SourceParameter[] = [
  {
    name: 'client_id',
    in: 'body',
    required: 'yes',
    description: "The client's identifier. Leave it out of the body only where HTTP Basic carries it.",
  },
  {
    name: 'client_secret',
    in: 'body',
    required: 'confidential clients',
    description:
      'The client secret, in the body or as HTTP Basic, never both. A public client must not send one.',
  },
  {
    name: 'Authorization',
    in: 'header',
    required: 'no',
    description:
      'HTTP Basic with client_id and client_secret, each form-encoded first (RFC 6749 §2.3.1), instead of client_secret in the body.',
  },
];

export const unknownCombination: SourceError = {
  status: '404',
  error: 'not_found',
  when: 'The authentication method or the API does not exist, or the API does not list this method. Answered with JSON, or with an HTML page where a browser asks.',
};

export const tooLarge: SourceError = {
  status: '413',
  error: 'invalid_request',
  when: 'The body is larger than 64 KiB.',
};

export const methodNotAllowed: SourceError = {
  status: '405',
  error: 'invalid_request',
  when: 'The method is not one of those in the `Allow` header of this answer.',
};

export const unreadable: SourceError = {
  status: '400',
  error: 'invalid_request',
  when: 'The body is unreadable, its content type is neither application/x-www-form-urlencoded nor application/json, or a parameter is missing or repeated. An empty parameter counts as missing.',
};

export const twoCredentials: SourceError = {
  status: '400',
  error: 'invalid_request',
  when: 'The client secret arrives twice: by HTTP Basic and in the body.',
};

export const badClient: SourceError = {
  status: '401',
  error: 'invalid_client',
  when: 'The client is unknown or disabled, its secret is wrong or missing, or a public client sends a secret. Where HTTP Basic was used the answer carries `WWW-Authenticate`.',
};

export const unavailable: SourceError = {
  status: '503',
  error: 'temporarily_unavailable',
  when: 'The database cannot be reached or the service is overloaded. Keep your tokens and try again.',
};

export const broken: SourceError = {
  status: '500',
  error: 'server_error',
  when: 'A fault of ours. Report the `request_id`; the log holds the cause under it.',
};
