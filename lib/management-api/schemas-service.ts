// What the management API answers for administrators: registry, people, keys, audit log.
import { z } from 'zod';

const text = z.string();
const nullable = text.nullable();
const time = z.iso.datetime();
const scopes = z.array(z.strictObject({ name: text, description: text }));
const count = z.int();
const texts = z.array(text);
const moment = z.string().describe('ISO 8601');
const person = z.strictObject({
  id: text,
  email: nullable,
  email_verified: z.boolean(),
  name: text,
  roles: texts,
  disabled: z.boolean(),
  has_password: z.boolean(),
  managed: z.boolean(),
  created_at: time,
  version: count,
});

export const SERVICE_SCHEMAS: Record<string, z.ZodType> = {
  Api: z.strictObject({
    id: text,
    name: text,
    description: text,
    url: text,
    auth_methods: texts,
    scopes,
    access_token_ttl_seconds: count,
    access_token_format: text,
    signing_alg: text,
    refresh_token_ttl_seconds: count,
    refresh_family_ttl_seconds: count,
    require_redirect_uri: z.boolean(),
    require_scope: z.boolean(),
    require_approval: z.boolean(),
    approvers: texts,
    has_introspection_secret: z.boolean(),
    subscriptions: count,
    pending: count,
    managed: z.boolean(),
    created_at: time,
    updated_at: time,
    version: count,
  }),
  AuthMethod: z.strictObject({
    id: text,
    type: z.enum(['local', 'external', 'broker']),
    name: text,
    config: z
      .record(text, z.unknown())
      .describe('the configuration file’s keys; the secret is not among them'),
    has_secret: z.boolean(),
    apis: texts,
    sessions: count,
    managed: z.boolean(),
    created_at: time,
    updated_at: time,
    version: count,
  }),
  Person: person,
  PersonDetail: person.extend({
    identities: z.array(
      z.strictObject({ auth_method_id: text, subject: text, email: nullable, last_seen_at: moment }),
    ),
    sessions: count,
    consents: count,
    clients: count,
  }),
  CreatedPerson: z.strictObject({ id: text, email: text }),
  Key: z.strictObject({
    kid: text,
    alg: text,
    state: z.enum(['signs', 'next', 'verifies', 'expired', 'retired']),
    signs_from: moment,
    retires_at: moment.nullable(),
  }),
  AuditEvent: z.strictObject({
    id: text,
    at: time,
    event: text,
    actor: nullable.describe('a person’s id, operator, config or system'),
    actor_email: nullable,
    person_id: nullable,
    person_email: nullable,
    client_id: nullable,
    api_id: nullable,
    auth_method_id: nullable,
    request_id: nullable,
    ip: nullable,
    details: z.record(text, z.unknown()),
  }),
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
};
