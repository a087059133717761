// What the management API answers, as schemas: for its document, and for the test that holds every answer against them.
import { z } from 'zod';
import { clientRow } from '#lib/registry/clients/client.ts';
import { ACR_VALUES } from '#lib/registry/fields/acr.ts';
import { wire } from '#lib/registry/fields/definition.ts';
import { displayText } from '#lib/registry/fields/display-text.ts';
import { apiRow } from '#lib/registry/objects/api.ts';
import { authMethodRow } from '#lib/registry/objects/auth-method.ts';
import { consentRow, delegationRow } from '#lib/registry/objects/consent.ts';
import { groupMemberRow, groupRow, personGroupRow } from '#lib/registry/objects/group.ts';
import { keyRow } from '#lib/registry/objects/key.ts';
import { personRow } from '#lib/registry/objects/person.ts';
import { sessionRow, signInRow } from '#lib/registry/objects/session.ts';
import { subscriptionRow } from '#lib/registry/objects/subscription.ts';
import { DECISIONS, SUBSCRIPTION_STATES } from '#lib/registry/objects/subscription-states.ts';
import { auditEvent } from './audit-schema.ts';
import { operationSchemas } from './operation-schemas.ts';
import { peopleSchemas } from './people-schemas.ts';

const text = z.string();
const shown = displayText(text).describe('a text, or texts by language');
const nullable = text.nullable();
const time = z.iso.datetime();
const count = z.int();
const texts = z.array(text);
const state = z.enum(SUBSCRIPTION_STATES);
const tested = z.enum(['ok', 'warning', 'broken']);
/** from a JSON column, as PostgreSQL writes it */
const moment = z.string().describe('ISO 8601');
const scopes = z.array(
  z.strictObject({ name: text, description: shown, required_acr: z.enum(ACR_VALUES).optional() }),
);
const identity = { auth_method_id: text, email: nullable, last_seen_at: moment };

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
    .describe('what the assertions of a client with private_key_jwt name as `aud`; null: none was accepted'),
});
const subscription = wire(subscriptionRow);
const person = wire(personRow);

export const SCHEMAS: Record<string, z.ZodType> = {
  Profile: person.omit({ disabled: true, factors: true, managed: true }).extend({
    password_changed_at: time.nullable(),
    identities: z.array(z.strictObject({ ...identity, method_name: text })),
  }),
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
  Consequences: z.strictObject({
    faults: z.array(
      z.strictObject({
        field: text,
        code: text,
        message: text,
        values: z.record(z.string(), z.union([text, z.number()])).optional(),
      }),
    ),
    warnings: texts,
    returns_to_pending: z.array(
      z.strictObject({ client_id: text, api: text, api_name: text, trusted: z.boolean() }),
    ),
    loses_access: z.array(z.strictObject({ client_id: text, api: text })),
    ends_tokens: count,
    people: count,
  }),
  ClientRevocation: z.strictObject({ tokens: count, consents: count, delegations: count, people: count }),
  InspectedRequest: z.strictObject({
    id: text,
    at: time,
    endpoint: z.enum(['authorize', 'par', 'token']),
    ok: z.boolean(),
    api: nullable,
    auth_method_id: nullable,
    request_id: nullable,
    error: nullable,
    description: nullable,
    title: text,
    explanation: nullable,
    facts: z.array(z.strictObject({ name: text, value: text })),
  }),
  CatalogueEntry: z.strictObject({
    id: text,
    name: shown,
    description: shown,
    url: text,
    require_approval: z.boolean(),
    scopes,
    methods: z.array(z.strictObject({ id: text, name: shown, type: text })),
    subscription: z
      .strictObject({
        state,
        trusted: z.boolean(),
        machine: z.boolean(),
        device: z.boolean(),
        scopes: texts,
        reason: nullable,
        version: count,
      })
      .nullable(),
  }),
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
    since_approval: z
      .strictObject({
        trusted: z.strictObject({ before: z.boolean(), now: z.boolean() }).nullable(),
        machine: z.strictObject({ before: z.boolean(), now: z.boolean() }).nullable(),
        device: z.strictObject({ before: z.boolean(), now: z.boolean() }).nullable(),
        kind: z.strictObject({ before: text, now: text }).nullable(),
        brand: z.boolean().describe('its logo or its colours'),
        scopes_added: texts,
        scopes_removed: texts,
        redirect_uris_added: texts,
        redirect_uris_removed: texts,
      })
      .nullable(),
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
        reason: text.optional().describe('why it does not hold, or what it asks of the person'),
        change: text.optional().describe('what would make it hold'),
      }),
    ),
    auth_method_id: nullable.describe('the method that the steps are of'),
    token: z
      .record(text, z.unknown())
      .optional()
      .describe('the claims of the access token, not signed; left out where a step does not hold'),
  }),
  ConnectionTest: z.strictObject({
    state: tested,
    took_ms: count,
    steps: z.array(
      z.strictObject({
        check: text,
        state: z.enum([...tested.options, 'skipped']),
        sent: nullable.describe('what was asked, without secrets'),
        answered: nullable.describe('what came back: the status and the first characters, without secrets'),
        took_ms: count.nullable(),
        found: text.describe('what that means'),
        change: nullable.describe('what makes it work'),
      }),
    ),
  }),
  DecidedOne: z.strictObject({
    client_id: text,
    api: text,
    state: state.nullable().describe('null: it was not decided'),
    error: nullable.describe('why not'),
  }),
  StateChange: z.strictObject({ from: state, to: state }),
  Api: wire(apiRow),
  AuthMethod: wire(authMethodRow).extend({
    callback: nullable.describe('the redirect address to register at the broker; null: no broker'),
  }),
  Group: wire(groupRow),
  GroupMember: wire(groupMemberRow),
  PersonGroup: wire(personGroupRow),
  Person: person,
  PersonDetail: person.extend({
    identities: z.array(z.strictObject({ ...identity, subject: text })),
    sessions: count,
    consents: count,
    clients: count,
    passkeys: count,
    totp_count: count,
    old_passkeys: count.describe('of these, those that belong to another host'),
    recovery_codes: count,
    trusted_browsers: count,
  }),
  ...peopleSchemas,
  ...operationSchemas,
  Key: wire(keyRow),
  AuditEvent: auditEvent,
  Overview: z.strictObject({
    pending: count,
    counts: z
      .strictObject({
        apis: count,
        auth_methods: count,
        clients: count,
        people: count,
        subscriptions: count,
        sessions: count,
      })
      .nullable(),
  }),
  Problem: z.strictObject({
    type: text,
    title: text,
    status: count,
    code: text.describe('What exactly was refused. It stays the same, whatever becomes of the words.'),
    detail: text.optional(),
    errors: z.array(z.strictObject({ field: text, code: text, detail: text })).optional(),
    request_id: text,
  }),
};
