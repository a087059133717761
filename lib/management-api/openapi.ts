// The OpenAPI document of the management API, generated from the table of routes.
import { z } from 'zod';
import { VERSION } from '#lib/kit/version.ts';
import { camel, ownValue } from '#lib/kit/wire.ts';
import { MANAGEMENT_API, managementUrl } from '#lib/management/built-in.ts';
import type { Answers } from '#lib/management/operations.ts';
import { accessOf, MANAGEMENT_SCOPES } from '#lib/management/policy.ts';
import {
  type Json,
  type Operation,
  openApiDocument,
  optional,
  type ResponseSource,
} from '#lib/openapi/document.ts';
import { wire } from '#lib/registry/definition.ts';
import { settings } from '#lib/settings/settings.ts';
import type { Route } from './route.ts';

// Response schemas of the management API, from route operations.

/** Names of the schemas in the order of the document. Other names follow. */
const ORDER = [
  ...['Profile', 'Session', 'Consent', 'Delegation', 'SignIn', 'Client', 'ClientDetail', 'ChangedClient'],
  ...['CreatedClient', 'Secret', 'Consequences', 'ClientRevocation', 'InspectedRequest', 'CatalogueEntry'],
  ...['Subscription', 'SubscriptionDetail', 'State', 'Explanation', 'ConnectionTest', 'DecidedOne'],
  ...['StateChange', 'Api', 'AuthMethod', 'Group', 'GroupMember', 'PersonGroup', 'Person', 'PersonDetail'],
  ...['FactorReset', 'PersonData', 'CreatedPerson', 'Invitation', 'WaitingPerson', 'InvitationResult'],
  ...['Service', 'Found', 'TokenInspection', 'Expiring', 'FirstDay', 'Key', 'AuditEvent', 'Overview'],
  'Problem',
];

const problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string().describe('The code of the error. It stays the same even if the text changes.'),
  detail: z.string().optional(),
  errors: z.array(z.strictObject({ field: z.string(), code: z.string(), detail: z.string() })).optional(),
  request_id: z.string(),
});

/** Returns the schema of each response as JSON, by its name. Throws if two schemas have the same name. */
export function schemasOf(routes: readonly Route[]): Readonly<Record<string, z.ZodObject>> {
  const outputs = new Map<string, Answers>();
  for (const { answers } of routes) {
    if (!answers) continue;
    const { name, schema } = answers;
    if ((outputs.get(name)?.schema ?? schema) !== schema) throw new Error(`two schemas are named ${name}`);
    outputs.set(name, answers);
  }
  const schemas: Record<string, z.ZodObject> = { Problem: problem };
  for (const [name, { schema, as }] of outputs) schemas[name] = as === 'file' ? schema : wire(schema);
  const place = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return Object.fromEntries(
    Object.entries(schemas).toSorted(([name], [other]) => place(name) - place(other)),
  );
}

export function managementDocument(routes: readonly Route[]): Json {
  const schemas = schemasOf(routes);
  return openApiDocument({
    title: 'Gatehouse management API',
    version: VERSION,
    description:
      'For people and their programs: a bearer token of the built-in API `management`, with scopes by area. The person of the token must also have the role.',
    server: { url: managementUrl() },
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    operations: routes.map((route) => operationOf(route, schemas)),
    schemas,
    securitySchemes: { token: tokenScheme() },
  });
}

const tagOf = (route: Route) => route.path.split('/')[1] ?? '';

/** Describes a route. `schemas`: the schemas of responses as JSON, by name. */
export function operationOf(route: Route, schemas: Readonly<Record<string, z.ZodType>>): Operation {
  const { roles, scopes } = accessOf(route.actions);
  const who = roles.includes('everybody') ? 'Everybody.' : `Roles: ${roles.join(', ')}.`;
  const [scope] = scopes as [string];
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
    responses: [answerOf(route, schemas), PROBLEM],
    security: [{ token: [scope] }],
  };
}

function parametersOf({ path, query, version }: Route): Operation['parameters'] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  const seen = 'The ETag from the last read';
  const ifMatch = version === 'required' ? z.string().describe(seen) : optional(z.string(), seen);
  return {
    path: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))),
    ...(query ? { query: wire(query) } : {}),
    ...(version ? { header: z.object({ 'If-Match': ifMatch }) } : {}),
  };
}

const PROBLEM: ResponseSource = {
  status: 'default',
  description: 'Details of the error (RFC 9457)',
  mediaType: 'application/problem+json',
  schema: problem,
};

const PICTURES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/svg+xml'];

function answerOf(
  { answers, creates, picture }: Route,
  schemas: Readonly<Record<string, z.ZodType>>,
): ResponseSource {
  if (picture === 'given')
    return { status: '200', description: 'As asked', mediaType: 'image/webp', schema: z.unknown() };
  const item = answers && ownValue(schemas, answers.name);
  if (!item) return { status: '204', description: 'Done' };
  const rows = z.array(item);
  const next = z.string().nullable().describe('`cursor` of the next page; null: this is the last page');
  const previous = z
    .string()
    .nullable()
    .describe('`cursor` of the previous page; null: this is the first page');
  return {
    status: creates ? '201' : '200',
    description: creates ? 'Created' : 'As asked',
    headers: { ETag: 'The version, if the object has one' },
    schema: {
      one: item,
      file: item,
      list: z.object({ rows }),
      page: z.object({ rows, next, previous }),
    }[answers.as],
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
