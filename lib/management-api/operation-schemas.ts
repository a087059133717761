// What the management API answers of the service itself.
import { z } from 'zod';

const text = z.string();
const nullable = text.nullable();
const time = z.iso.datetime();
const count = z.int();

export const operationSchemas: Record<string, z.ZodType> = {
  Service: z.strictObject({
    version: text,
    runtime: text.describe('of Node.js'),
    findings: z.array(
      z.strictObject({ check: text, state: z.enum(['ok', 'warning', 'broken']), detail: text }),
    ),
    queues: z.strictObject({
      subscriptions: count.describe('requests of clients that wait for a decision'),
      registrations: count.describe('people who wait for an account'),
      logouts: count.describe('sign-outs that clients are still to be told of'),
      oldest_logout: time.nullable(),
      webhook: z
        .strictObject({ waiting: count, failures: count })
        .nullable()
        .describe('audit events that it has not got; null: it never ran'),
    }),
    maintenance: z
      .strictObject({
        finished_at: time.nullable(),
        deleted: count,
        complete: z.boolean(),
        failed_at: time.nullable(),
        failure: nullable,
      })
      .nullable()
      .describe('the last turn of any instance'),
    settings: z.array(
      z.strictObject({
        name: text,
        from: z.enum(['environment', 'start', 'default']),
        secret: z.boolean().describe('it is set, and not shown'),
        value: nullable,
        means: text,
        unset: text,
      }),
    ),
  }),
  Found: z.strictObject({
    kind: z.enum(['person', 'client', 'subscription', 'api', 'method', 'group', 'key', 'request', 'event']),
    id: text.describe('of a subscription and a request: the client’s'),
    api: nullable.describe('of a subscription'),
    name: text,
    about: nullable.describe(
      'an address of a person, the state of a subscription, the error of a request, the name of an event',
    ),
    by: z.enum(['id', 'email', 'username', 'subject', 'name', 'host', 'pair', 'kid', 'request']),
    exact: z.boolean().describe('the text is all of it, not its beginning'),
  }),
  TokenInspection: z.strictObject({
    kind: z.enum(['jwt', 'opaque', 'other']).describe('`other`: no token of a form that is known here'),
    signature: z.enum(['ours', 'wrong', 'unknown-key']).nullable().describe('null: it is not signed'),
    kid: nullable,
    lives: z
      .boolean()
      .nullable()
      .describe('null: that is not for the one who asks, or it is another service’s'),
    has_expired: z.boolean(),
    claims: z.record(text, z.unknown()),
  }),
  Expiring: z.strictObject({
    id: text.describe('the same each time it is listed'),
    at: time.describe('of several the first'),
    kind: z.enum([
      'secret',
      'delegations',
      'allowances',
      'invitations',
      'registrations',
      'key',
      'trust-anchor',
    ]),
    count: count.optional(),
    client_id: text.optional(),
    client_name: text.optional(),
    api_id: text.optional(),
    api_name: text.optional(),
    auth_method_id: text.optional(),
    method_name: text.optional(),
    what: z.enum(['begins', 'leaves', 'replaced', 'overdue']).optional().describe('of a key'),
    kid: text.optional(),
    alg: text.optional(),
    name: text.optional().describe('of a certificate authority'),
    setting: text.optional().describe('the variable that names its file'),
  }),
  FirstDay: z.strictObject({
    steps: z.array(
      z.strictObject({
        step: text,
        done: z.boolean(),
        said: z.boolean().describe('an administrator said so'),
        sayable: z.boolean().describe('an administrator may say so'),
        found: nullable.describe('what the doctor found'),
      }),
    ),
    complete: z.boolean(),
    away: z.boolean().describe('whether this person has put the list away'),
  }),
};
