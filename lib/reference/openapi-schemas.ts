/** The bodies of the answers, as JSON Schema 2020-12 (the dialect of OpenAPI 3.1). */
import type { JsonSchema } from './endpoint.ts';

const string = { type: 'string' };
const uri = { type: 'string', format: 'uri' };
const strings = { type: 'array', items: string };
const seconds = { type: 'integer', description: 'Seconds since 1970-01-01T00:00:00Z.' };

const tokenFields = {
  access_token: { type: 'string', description: 'Used as a bearer token.' },
  refresh_token: {
    type: 'string',
    description: 'For confidential and native clients. Not for browser clients using the code grant.',
  },
  token_type: { type: 'string', const: 'bearer' },
  expires_in: { type: 'integer', description: 'Lifetime of the access token in seconds.' },
  scope: { type: 'string', description: 'Present where it differs from what was asked.' },
};

export const openapiSchemas: Record<string, JsonSchema> = {
  TokenResponse: {
    type: 'object',
    required: ['access_token', 'token_type', 'expires_in'],
    properties: tokenFields,
  },
  TokenExchangeResponse: {
    type: 'object',
    required: ['access_token', 'issued_token_type', 'token_type', 'expires_in'],
    properties: {
      access_token: tokenFields.access_token,
      issued_token_type: {
        type: 'string',
        enum: ['urn:ietf:params:oauth:token-type:access_token', 'urn:ietf:params:oauth:token-type:jwt'],
      },
      token_type: tokenFields.token_type,
      expires_in: tokenFields.expires_in,
      scope: tokenFields.scope,
    },
  },
  OAuthError: {
    type: 'object',
    required: ['error'],
    properties: {
      error: { type: 'string', description: 'A stable word for programs (RFC 6749 §5.2).' },
      error_description: { type: 'string', description: 'What went wrong, for the developer.' },
      request_id: { type: 'string', description: 'The same as the X-Request-Id header.' },
    },
  },
  HTTPValidationError: {
    title: 'HTTPValidationError',
    type: 'object',
    properties: {
      detail: { title: 'Detail', type: 'array', items: { $ref: '#/components/schemas/ValidationError' } },
    },
  },
  ValidationError: {
    title: 'ValidationError',
    type: 'object',
    required: ['loc', 'msg', 'type'],
    properties: {
      loc: {
        title: 'Location',
        type: 'array',
        items: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      },
      msg: { title: 'Message', type: 'string' },
      type: { title: 'Error Type', type: 'string' },
      input: { title: 'Input' },
      ctx: { title: 'Context', type: 'object' },
    },
  },
  RevocationResponse: { type: 'object', maxProperties: 0 },
  IntrospectionResponse: {
    type: 'object',
    required: ['active'],
    properties: {
      active: { type: 'boolean', description: 'When false, nothing else is present.' },
      scope: string,
      client_id: string,
      token_type: string,
      exp: seconds,
      iat: seconds,
      auth_time: seconds,
      sub: string,
      aud: { anyOf: [string, strings] },
      iss: uri,
      jti: string,
      act: {
        type: 'object',
        description: 'Who acts for the person, around who acted before (RFC 8693 §4.1).',
      },
    },
  },
  AuthorizationServerMetadata: {
    type: 'object',
    required: ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri', 'response_types_supported'],
    properties: {
      issuer: uri,
      authorization_endpoint: uri,
      token_endpoint: uri,
      revocation_endpoint: uri,
      introspection_endpoint: uri,
      jwks_uri: uri,
      scopes_supported: strings,
      response_types_supported: strings,
      response_modes_supported: strings,
      grant_types_supported: strings,
      token_endpoint_auth_methods_supported: strings,
      revocation_endpoint_auth_methods_supported: strings,
      introspection_endpoint_auth_methods_supported: strings,
      code_challenge_methods_supported: strings,
      authorization_response_iss_parameter_supported: { type: 'boolean' },
      service_documentation: uri,
    },
  },
  JsonWebKeySet: {
    type: 'object',
    required: ['keys'],
    properties: { keys: { type: 'array', items: { type: 'object', required: ['kty'] } } },
  },
  BrokerCallbackResponse: {
    oneOf: [
      {
        type: 'object',
        required: ['status', 'continue'],
        properties: { status: { const: 'authenticated' }, continue: uri },
      },
      {
        type: 'object',
        required: ['status', 'code', 'state', 'token_endpoint'],
        properties: {
          status: { const: 'received' },
          code: string,
          state: { anyOf: [string, { type: 'null' }] },
          token_endpoint: uri,
        },
      },
      {
        type: 'object',
        required: ['status', 'error'],
        properties: { status: { const: 'failed' }, error: string, error_description: string },
      },
    ],
  },
  Health: {
    type: 'object',
    required: ['status', 'version'],
    properties: { status: { const: 'ok' }, version: { type: 'string', const: '0.1.0' } },
  },
  Readiness: {
    type: 'object',
    description: 'Each check by name, with its result.',
  },
  OpenApiDocument: { type: 'object', required: ['openapi', 'info', 'paths'] },
  Html: { type: 'string' },
};
