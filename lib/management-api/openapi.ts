// The OpenAPI document of the management API, generated from the table of routes.
import { z } from 'zod';
import { apiRow } from '#lib/catalogue/apis/definition.ts';
import { catalogueEntry } from '#lib/catalogue/apis/rows.ts';
import { clientRevocation, clientRow } from '#lib/catalogue/clients/definition.ts';
import { groupMemberRow, groupRow, personGroupRow } from '#lib/catalogue/groups/definition.ts';
import { authMethodRow } from '#lib/catalogue/methods/definition.ts';
import {
  accountRow,
  consentRow,
  delegationRow,
  invitationResult,
  invitationRow,
  personRow,
  personView,
  sessionRow,
  signInRow,
  waitingPersonRow,
} from '#lib/catalogue/people/definition.ts';
import { factorReset } from '#lib/catalogue/people/operations.ts';
import { DECISIONS, SUBSCRIPTION_STATES, subscriptionRow } from '#lib/catalogue/subscriptions/definition.ts';
import { decidedOne, difference } from '#lib/catalogue/subscriptions/operations.ts';
import { VERSION } from '#lib/kit/version.ts';
import { camel, ownValue } from '#lib/kit/wire.ts';
import { MANAGEMENT_API, managementUrl } from '#lib/management/built-in.ts';
import { connectionTest } from '#lib/management/connection-steps.ts';
import { consequences } from '#lib/management/consequences.ts';
import { inspectedToken } from '#lib/management/find.ts';
import { inspectedRequest } from '#lib/management/inspector.ts';
import { accessOf, MANAGEMENT_SCOPES } from '#lib/management/policy.ts';
import { overview, serviceState } from '#lib/management/service.ts';
import { expiring, firstDay } from '#lib/management/upkeep.ts';
import {
  type Json,
  type Operation,
  openApiDocument,
  optional,
  type ResponseSource,
} from '#lib/openapi/document.ts';
import { wire } from '#lib/registry/definition.ts';
import { keyRow } from '#lib/registry/keys.ts';
import { settings } from '#lib/settings/settings.ts';
import { foundThing } from '#lib/store/find.ts';
import type { Route } from './route.ts';

// Schemas of the management API's responses. Used by its OpenAPI document, and by the test that validates
// every response.

// An audit log event in responses of the management API.

const text = z.string();
const texts = z.array(text);
const time = z.iso.datetime();
const nullable = text.nullable();
const values = z.record(text, z.unknown()).optional();
/** Details of an event. The members below are set for changes; further members depend on the event. */
const eventDetails = z
  .looseObject({
    changed: texts.optional().describe('for a change: the fields that changed, by their names in the code'),
    // also a text, because `before` of one event is a time
    before: z.union([values, text.optional()]).describe('their values before the change, without secrets'),
    after: values.describe('their values after the change, without secrets'),
    leftOut: texts.optional().describe('fields without values: both sides together have at most 8 KiB'),
  })
  .describe('the fields of the event; their names are data');

const auditEvent = z.strictObject({
  id: text,
  at: time,
  event: text,
  actor: nullable.describe(
    'a person’s id, client:ID for a client in its own name, operator, config or system',
  ),
  actor_email: nullable,
  person_id: nullable,
  person_email: nullable,
  client_id: nullable,
  api_id: nullable,
  auth_method_id: nullable,
  request_id: nullable,
  ip: nullable,
  details: eventDetails,
});

// Responses of the management API about the service.

const count = z.int();

const operationSchemas: Record<string, z.ZodType> = {
  Service: wire(serviceState),
  Found: wire(foundThing),
  TokenInspection: wire(inspectedToken),
  Expiring: wire(expiring),
  FirstDay: wire(firstDay),
};

// Schemas of responses about users who were created, invited or reset.

/** the account page and docs/how-to/accounts.md describe these rows */
const rows = z.array(z.record(z.string(), z.unknown()));

const peopleSchemas: Record<string, z.ZodType> = {
  FactorReset: wire(factorReset),
  PersonData: z.strictObject({
    made_at: time,
    service: text,
    at_most: z
      .strictObject({ sessions: count, sign_ins: count, events: count })
      .describe('the number of newest rows of each kind in the file'),
    profile: z.record(z.string(), z.unknown()).nullable(),
    identities: rows,
    consents: rows,
    delegations: rows,
    factors: z.record(z.string(), z.unknown()),
    clients: rows,
    requests: rows,
    sessions: rows,
    sign_ins: rows,
    events: rows,
  }),
  CreatedPerson: z.strictObject({ id: text, email: text }),
  Invitation: wire(invitationRow),
  WaitingPerson: wire(waitingPersonRow),
  InvitationResult: wire(invitationResult),
};

const state = z.enum(SUBSCRIPTION_STATES);
/** a time from a JSON column, in the format of PostgreSQL */
const moment = z.string().describe('ISO 8601');

const client = wire(clientRow);
const clientDetail = client.extend({
  secrets: z.array(
    z.strictObject({
      id: text,
      created_at: moment,
      expires_at: moment.nullable(),
      last_used_at: moment.nullable(),
    }),
  ),
  assertion: z
    .strictObject({ audience: z.enum(['issuer', 'token_endpoint']), since: moment })
    .nullable()
    .describe('the `aud` of the assertions of a client with private_key_jwt; null: none was accepted'),
});
const subscription = wire(subscriptionRow);

export const SCHEMAS: Record<string, z.ZodType> = {
  Profile: wire(accountRow),
  Session: wire(sessionRow),
  Consent: wire(consentRow),
  Delegation: wire(delegationRow),
  SignIn: wire(signInRow),
  Client: client,
  ClientDetail: clientDetail,
  ChangedClient: clientDetail.extend({
    returned_to_pending: z
      .array(z.strictObject({ client_id: text, api: text }))
      .describe('approved subscriptions that get no tokens until they are approved again'),
  }),
  CreatedClient: z.strictObject({ client_id: text, secret: nullable }),
  Secret: z.strictObject({ id: text.optional(), secret: text }),
  Consequences: wire(consequences),
  ClientRevocation: wire(clientRevocation),
  InspectedRequest: wire(inspectedRequest),
  CatalogueEntry: wire(catalogueEntry),
  Subscription: subscription,
  SubscriptionDetail: subscription.extend({
    history: z.array(
      z.strictObject({
        at: time,
        from: nullable,
        to: text,
        trusted: z.boolean(),
        machine: z.boolean(),
        device: z.boolean(),
        scopes: texts,
        redirect_uris: texts,
        client_kind: nullable,
        actor: text,
        reason: nullable,
        undone_at: time.nullable(),
      }),
    ),
    since_approval: wire(difference).nullable(),
    may: z.strictObject(
      Object.fromEntries(
        [...DECISIONS, 'terms', 'request', 'change', 'cancel'].map((name) => [name, z.boolean()]),
      ),
    ),
  }),
  State: z.strictObject({ state }),
  Explanation: z.strictObject({
    steps: z.array(
      z.strictObject({
        step: text,
        ok: z.boolean(),
        reason: text.optional().describe('the reason for a failure, or the action required from the person'),
        change: text.optional().describe('the change that would fix it'),
      }),
    ),
    auth_method_id: nullable.describe('the sign-in method of the steps'),
    token: z
      .record(text, z.unknown())
      .optional()
      .describe('the claims of the access token, not signed; absent if a step fails'),
  }),
  ConnectionTest: wire(connectionTest),
  DecidedOne: wire(decidedOne),
  StateChange: z.strictObject({ from: state, to: state }),
  Api: wire(apiRow),
  AuthMethod: wire(authMethodRow).extend({
    callback: nullable.describe('the redirect address to register at the broker; null: not a broker'),
  }),
  Group: wire(groupRow),
  GroupMember: wire(groupMemberRow),
  PersonGroup: wire(personGroupRow),
  Person: wire(personRow),
  PersonDetail: wire(personView),
  ...peopleSchemas,
  ...operationSchemas,
  Key: wire(keyRow),
  AuditEvent: auditEvent,
  Overview: wire(overview),
  Problem: z.strictObject({
    type: text,
    title: text,
    status: count,
    code: text.describe('The code of the error. It stays the same even if the text changes.'),
    detail: text.optional(),
    errors: z.array(z.strictObject({ field: text, code: text, detail: text })).optional(),
    request_id: text,
  }),
};

export function managementDocument(routes: readonly Route[]): Json {
  return openApiDocument({
    title: 'Gatehouse management API',
    version: VERSION,
    description:
      'For people and their programs: a bearer token of the built-in API `management`, with scopes by area. The person of the token must also have the role.',
    server: { url: managementUrl() },
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    operations: routes.map(operationOf),
    schemas: SCHEMAS,
    securitySchemes: { token: tokenScheme() },
  });
}

const tagOf = (route: Route) => route.path.split('/')[1] ?? '';

export function operationOf(route: Route): Operation {
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
    responses: [answerOf(route), PROBLEM],
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
  schema: SCHEMAS['Problem'] ?? z.object({}),
};

const PICTURES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/svg+xml'];

function answerOf({ answers, creates, picture }: Route): ResponseSource {
  if (picture === 'given')
    return { status: '200', description: 'As asked', mediaType: 'image/webp', schema: z.unknown() };
  const item = answers && ownValue(SCHEMAS, answers.schema);
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
