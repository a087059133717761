/** The OpenAPI 3.1 document of both areas, built from the same descriptions as the documentation page. */
import type {
  Addresses,
  Channel,
  EndpointSource,
  JsonSchema,
  SourceAnswer,
  SourceError,
} from './endpoint.ts';
import { openapiSchemas } from './openapi-schemas.ts';
import { openapiSecuritySchemes } from './openapi-security.ts';
import { sectionSources } from './sections.ts';

type Content = Record<string, { schema: JsonSchema; examples?: JsonSchema }>;

type Response = { description: string; content?: Content; headers?: JsonSchema };

export function openapi(baseUrl: string, authUrl: string): object {
  const addresses = { baseUrl, authUrl };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse',
      version: '0.1.0',
      description:
        'Area A: health, broker callback, token exchange and documentation. Area B: an OAuth 2.0 authorization server; every valid combination of authentication method and API is an issuer of its own.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl, description: 'Area A' }],
    tags: sectionSources.map(({ title, intro }) => ({ name: title, description: intro })),
    paths: paths(addresses),
    components: { schemas: openapiSchemas, securitySchemes: openapiSecuritySchemes(addresses) },
  };
}

function paths({ authUrl }: Addresses): Record<string, JsonSchema> {
  const items: Record<string, JsonSchema> = {};
  for (const section of sectionSources) {
    for (const endpoint of section.endpoints) {
      const item = items[endpoint.path] ?? {};
      if (endpoint.area === 'B') item.servers = [{ url: authUrl, description: 'Area B' }];
      item[endpoint.method.toLowerCase()] = operation(endpoint, section.title);
      items[endpoint.path] = item;
    }
  }
  return items;
}

function operation(endpoint: EndpointSource, tag: string): JsonSchema {
  const body = requestBody(endpoint);
  const parameters = endpoint.parameters
    // OpenAPI says that a header named Authorization is described by a security scheme alone.
    .filter((parameter) => parameter.in !== 'body' && parameter.name !== 'Authorization')
    .map(({ name, in: place, required, description, schema }) => ({
      name,
      in: place,
      required: required === 'yes',
      description:
        required === 'yes' || required === 'no' ? description : `${description} Required: ${required}.`,
      schema: schema ?? { type: 'string' },
    }));
  return {
    operationId: endpoint.id,
    tags: [tag],
    summary: endpoint.summary,
    description: endpoint.description,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: responses(endpoint),
    security: endpoint.security ?? [],
  };
}

function requestBody(endpoint: EndpointSource): JsonSchema | undefined {
  const fields = endpoint.parameters.filter((parameter) => parameter.in === 'body');
  if (fields.length === 0) return undefined;
  // HTTP Basic may carry client_id, so the body alone cannot be held to it.
  const basic = endpoint.security?.some((requirement) => 'clientBasic' in requirement) ?? false;
  const schema = {
    type: 'object',
    required: fields
      .filter(({ name, required }) => required === 'yes' && !(basic && name === 'client_id'))
      .map(({ name }) => name),
    properties: Object.fromEntries(
      fields.map(({ name, required, description, schema }) => [
        name,
        {
          ...(schema ?? { type: 'string' }),
          description:
            required === 'yes' || required === 'no' ? description : `${description} Required: ${required}.`,
        },
      ]),
    ),
  };
  const form = { 'application/x-www-form-urlencoded': { schema } };
  const json = { 'application/json': { schema } };
  return { required: true, content: endpoint.id === 'authorize-post' ? form : { ...form, ...json } };
}

function responses(endpoint: EndpointSource): Record<string, Response> {
  const byStatus: Record<string, Response> = {};
  for (const answer of endpoint.answers) addAnswer(byStatus, answer);
  for (const error of endpoint.errors) addError(byStatus, error);
  return byStatus;
}

function addAnswer(byStatus: Record<string, Response>, answer: SourceAnswer): void {
  const response = extend(byStatus, answer.status, answer.description);
  if (answer.location) {
    response.headers = { Location: { description: answer.location, schema: { type: 'string' } } };
  }
  if (answer.schema && answer.mediaType) addContent(response, answer.mediaType, answer.schema);
}

function addError(byStatus: Record<string, Response>, { status, error, when, channel }: SourceError): void {
  const response = extend(byStatus, status, `${error}: ${when}`);
  const body = bodyOf(channel ?? 'json');
  if (body) addContent(response, body.mediaType, body.schema);
}

function bodyOf(channel: Channel): { mediaType: string; schema: string } | undefined {
  switch (channel) {
    case 'json':
      return { mediaType: 'application/json', schema: 'OAuthError' };
    case 'validation':
      return { mediaType: 'application/json', schema: 'HTTPValidationError' };
    case 'page':
      return { mediaType: 'text/html', schema: 'Html' };
    case 'redirect':
      return undefined;
  }
}

function extend(byStatus: Record<string, Response>, status: string, words: string): Response {
  const present = byStatus[status];
  if (!present) {
    const created = { description: words };
    byStatus[status] = created;
    return created;
  }
  present.description = `${present.description}\n\n${words}`;
  return present;
}

/** Two answers of one status with different bodies become a choice between them. */
function addContent(response: Response, mediaType: string, name: string): void {
  const ref = { $ref: `#/components/schemas/${name}` };
  const content = response.content ?? {};
  const present = content[mediaType]?.schema;
  response.content = { ...content, [mediaType]: { schema: present ? either(present, ref) : ref } };
}

function either(present: JsonSchema, ref: { $ref: string }): JsonSchema {
  const choices = Array.isArray(present.anyOf) ? present.anyOf : [present];
  const known = choices.some((choice) => choice.$ref === ref.$ref);
  return known ? present : { anyOf: [...choices, ref] };
}
