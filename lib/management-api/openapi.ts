// The management API's own document, OpenAPI 3.1, made of the table of routes: no second place to keep in step.
import { z } from 'zod';
import { camel, VERSION } from '#lib/kit/index.ts';
import { MANAGEMENT_API, MANAGEMENT_SCOPES, managementUrl, ruleOf } from '#lib/management/index.ts';
import { wire } from '#lib/registry/index.ts';
import { settings } from '#lib/settings/index.ts';
import { ACCESS } from './access.ts';
import type { Route } from './route.ts';
import { SCHEMAS } from './schemas.ts';

type Json = Record<string, unknown>;

export function openApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse management API',
      version: VERSION,
      description:
        'For people and their programs: a bearer token of the built-in API `management`, with scopes by area. The token’s person must hold the role, too.',
    },
    servers: [{ url: managementUrl() }],
    security: [{ token: [] }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { token: tokenScheme() },
      schemas: Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, schemaOf(schema)])),
      responses: {
        Problem: { description: 'What went wrong (RFC 9457)', content: problem() },
      },
    },
  };
}

const tagOf = (route: Route) => route.path.split('/')[1] ?? '';

function operationOf(route: Route): Json {
  const access = ACCESS[`${route.method} ${route.path}`];
  const scope = ruleOf(route.actions[0] ?? 'account.read').scope;
  const who = access === 'everybody' ? 'Everybody.' : `Roles: ${access?.join(', ') ?? ''}.`;
  return {
    operationId: camel(`${route.method.toLowerCase()}${route.path.replaceAll(/[:/-]+/g, '_')}`),
    tags: [tagOf(route)],
    summary: route.summary,
    description: `${who} Scope: \`${scope}\`.`,
    security: [{ token: [scope] }],
    parameters: parametersOf(route),
    ...(route.body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(wire(route.body), 'input') } },
          },
        }
      : {}),
    responses: {
      [route.status]: answerOf(route),
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

function parametersOf(route: Route): Json[] {
  const path = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const shape = route.query
    ? (schemaOf(wire(route.query), 'input')['properties'] as Record<string, Json>)
    : {};
  const query = Object.entries(shape).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description === undefined ? {} : { description }),
    schema,
  }));
  const match = {
    name: 'If-Match',
    in: 'header',
    required: route.versioned === true,
    description: 'The ETag that was read',
    schema: { type: 'string' },
  };
  const edits = route.versioned || route.method === 'DELETE' || route.path.endsWith('/decision');
  return [...path, ...query, ...(edits ? [match] : [])];
}

function answerOf({ status, answers }: Route): Json {
  if (status === 204 || !answers) return { description: 'Done' };
  const item = { $ref: `#/components/schemas/${answers.schema}` };
  const rows = { type: 'array', items: item };
  const next = { type: ['string', 'null'], description: '`cursor` of the next page' };
  const pages = { page: { rows, next }, list: { rows } };
  const schema = answers.as
    ? { type: 'object', required: Object.keys(pages[answers.as]), properties: pages[answers.as] }
    : item;
  return {
    description: status === 201 ? 'Created' : 'As asked',
    headers: { ETag: { schema: { type: 'string' }, description: 'The version, where it has one' } },
    content: { 'application/json': { schema } },
  };
}

const problem = () => ({
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
});

function tokenScheme(): Json {
  const issuer = `${settings().authUrl}/auth/local/api/${MANAGEMENT_API}`;
  return {
    type: 'oauth2',
    description: `The issuer is {auth_url}/auth/<local method>/api/${MANAGEMENT_API}.`,
    flows: {
      authorizationCode: {
        authorizationUrl: `${issuer}/authorize`,
        tokenUrl: `${issuer}/token`,
        scopes: Object.fromEntries(MANAGEMENT_SCOPES.map((scope) => [scope, scope])),
      },
    },
  };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return json;
}
