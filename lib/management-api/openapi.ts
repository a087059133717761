// The management API's own OpenAPI document, made of the table of routes.
import { z } from 'zod';
import { VERSION } from '#lib/kit/version.ts';
import { camel, ownValue } from '#lib/kit/wire.ts';
import { MANAGEMENT_API, managementUrl } from '#lib/management/built-in.ts';
import { MANAGEMENT_SCOPES, ruleOf } from '#lib/management/policy.ts';
import { type Json, type Operation, openApiDocument, type ResponseSource } from '#lib/openapi/document.ts';
import { wire } from '#lib/registry/definition.ts';
import { settings } from '#lib/settings/settings.ts';
import type { Route } from './route.ts';
import { SCHEMAS } from './schemas.ts';

export function managementDocument(routes: readonly Route[]): Json {
  return openApiDocument({
    title: 'Gatehouse management API',
    version: VERSION,
    description:
      'For people and their programs: a bearer token of the built-in API `management`, with scopes by area. The token’s person must hold the role, too.',
    server: { url: managementUrl() },
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    operations: routes.map(operationOf),
    schemas: SCHEMAS,
    securitySchemes: { token: tokenScheme() },
  });
}

const tagOf = (route: Route) => route.path.split('/')[1] ?? '';

function operationOf(route: Route): Operation {
  const rules = route.actions.map(ruleOf);
  const roles = [...new Set(rules.flatMap((rule) => rule.roles))];
  const who = roles.includes('everybody') ? 'Everybody.' : `Roles: ${roles.join(', ')}.`;
  const [scope] = rules.map((rule) => rule.scope) as [string];
  return {
    id: camel(`${route.method.toLowerCase()}${route.path.replaceAll(/[:/-]+/g, '_')}`),
    method: route.method,
    path: route.path.replaceAll(/:(\w+)/g, '{$1}'),
    tag: tagOf(route),
    summary: route.summary,
    description: `${who} Scope: \`${scope}\`.`,
    parameters: parametersOf(route),
    ...(route.body ? { body: wire(route.body) } : {}),
    ...(route.picture === 'taken' ? { bodyTypes: PICTURES } : {}),
    responses: [answerOf(route), PROBLEM],
    security: [{ token: [scope] }],
  };
}

function parametersOf({ path, query, version }: Route): Operation['parameters'] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  const ifMatch = z.string().describe('The ETag that was read');
  return {
    path: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))),
    ...(query ? { query: wire(query) } : {}),
    ...(version
      ? { header: z.object({ 'If-Match': version === 'required' ? ifMatch : ifMatch.optional() }) }
      : {}),
  };
}

const PROBLEM: ResponseSource = {
  status: 'default',
  description: 'What went wrong (RFC 9457)',
  mediaType: 'application/problem+json',
  schema: SCHEMAS['Problem'] ?? z.object({}),
};

const PICTURES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/svg+xml'];

function answerOf({ answers, creates, picture }: Route): ResponseSource {
  if (picture === 'given')
    return { status: '200', description: 'As asked', mediaType: 'image/webp', schema: z.unknown() };
  const item = answers && ownValue(SCHEMAS, answers.schema);
  if (!item) return { status: '204', description: 'Done' };
  const rows = z.array(item);
  const next = z.string().nullable().describe('`cursor` of the next page; null: this is the last');
  const previous = z.string().nullable().describe('`cursor` of the page before; null: this is the first');
  return {
    status: creates ? '201' : '200',
    description: creates ? 'Created' : 'As asked',
    headers: { ETag: 'The version, where it has one' },
    schema: { one: item, list: z.object({ rows }), page: z.object({ rows, next, previous }) }[answers.as],
  };
}

function tokenScheme(): Json {
  const issuer = `${settings().authUrl}/auth/local/api/${MANAGEMENT_API}`;
  const scopes = Object.fromEntries(MANAGEMENT_SCOPES.map((scope) => [scope, scope]));
  return {
    type: 'oauth2',
    description: `The issuer is {auth_url}/auth/<local method>/api/${MANAGEMENT_API}.`,
    flows: {
      clientCredentials: { tokenUrl: `${issuer}/token`, scopes },
      authorizationCode: {
        authorizationUrl: `${issuer}/authorize`,
        tokenUrl: `${issuer}/token`,
        scopes,
      },
    },
  };
}
