// The OpenAPI 3.1 document of both areas, generated from the descriptions on the documentation page.
import { INTERFACE_VERSION } from '#lib/kit/version.ts';
import type { DeclaredError } from '#lib/oauth/errors.ts';
import { type Json, type Operation, openApiDocument, type ResponseSource } from '#lib/openapi/document.ts';
import { type Described, sections } from './described.ts';
import {
  type Addresses,
  type AnswerProse,
  exampleIssuer,
  HTTPValidationErrorBody,
  Html,
  ISSUER,
  OAuthErrorBody,
  ValidationErrorBody,
} from './endpoint.ts';

const FORM_OR_JSON = ['application/x-www-form-urlencoded', 'application/json'];

export function openapi(baseUrl: string, authUrl: string): Json {
  const addresses = { baseUrl, authUrl };
  const endpoints = sections.flatMap((section) => section.endpoints);
  const declared = Object.assign({}, ...endpoints.map(({ declares }) => declares.answers));
  return openApiDocument({
    title: 'Gatehouse',
    version: INTERFACE_VERSION,
    description:
      'Area A: health, broker callback, token exchange and documentation. Area B: an OAuth 2.0 authorization server; every valid combination of authentication method and API is an issuer of its own.',
    server: { url: baseUrl, description: 'Area A' },
    tags: sections.map(({ title, intro }) => ({ name: title, description: intro })),
    operations: sections.flatMap(({ title, endpoints }) =>
      endpoints.map((endpoint) => operationOf(endpoint, title, addresses)),
    ),
    schemas: {
      ...declared,
      Html,
      OAuthError: OAuthErrorBody,
      HTTPValidationError: HTTPValidationErrorBody,
      ValidationError: ValidationErrorBody,
    },
    securitySchemes: securitySchemes(addresses),
  });
}

function operationOf(endpoint: Described, tag: string, { authUrl }: Addresses): Operation {
  const { id, method, pattern, path, summary, description, declares } = endpoint;
  const { path: inPath, query, header, body, bodyTypes = FORM_OR_JSON, errors, security = [] } = declares;
  return {
    id,
    method,
    path,
    tag,
    summary,
    description,
    parameters: {
      ...(inPath ? { path: inPath } : {}),
      ...(query ? { query } : {}),
      ...(header ? { header } : {}),
    },
    ...(body ? { body, bodyTypes } : {}),
    responses: [...endpoint.answers.map((answer) => responseOf(answer, endpoint)), ...errors.map(errorOf)],
    security,
    ...(pattern.includes(ISSUER) ? { server: { url: authUrl, description: 'Area B' } } : {}),
  };
}

function responseOf(answer: AnswerProse, { declares }: Described): ResponseSource {
  const { status, description, schema: name, mediaType, location } = answer;
  const schema = name === undefined ? undefined : declares.answers[name];
  return {
    status,
    description,
    ...(schema ? { schema } : {}),
    ...(mediaType ? { mediaType } : {}),
    ...(location ? { headers: { Location: location } } : {}),
  };
}

function errorOf({ status, error, when, as }: DeclaredError): ResponseSource {
  const bodies = {
    json: { schema: OAuthErrorBody },
    validation: { schema: HTTPValidationErrorBody },
    page: { schema: Html, mediaType: 'text/html' },
    redirect: {},
    empty: {},
  };
  return { status: String(status), description: `${error}: ${when}`, ...bodies[as] };
}

/** Returns the security schemes: how clients and APIs authenticate, and how requests send tokens. */
function securitySchemes(addresses: Addresses): Json {
  const issuer = exampleIssuer(addresses);
  return {
    clientBasic: {
      type: 'http',
      scheme: 'basic',
      description:
        'client_id and client_secret of a confidential client. It may send both in the body instead, or an assertion that it has signed (`client_assertion`, private_key_jwt); a public client sends client_id alone.',
    },
    apiBasic: {
      type: 'http',
      scheme: 'basic',
      description: "The API's id and its introspection secret.",
    },
    registrationToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'The registration token of this service, which its operator gives out.',
    },
    accessToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'How a client calls the protected API: the access token in the Authorization header.',
    },
    gatehouse: {
      type: 'oauth2',
      description:
        'The flows of one issuer. AUTH_METHOD_ID and API_ID are its authentication method and API.',
      flows: {
        authorizationCode: {
          authorizationUrl: `${issuer}/authorize`,
          tokenUrl: `${issuer}/token`,
          refreshUrl: `${issuer}/token`,
          scopes: {},
        },
        password: { tokenUrl: `${issuer}/token`, refreshUrl: `${issuer}/token`, scopes: {} },
      },
    },
  };
}
