// An event of the audit log as the management API answers it.
import { z } from 'zod';

const text = z.string();
const texts = z.array(text);
const time = z.iso.datetime();
const nullable = text.nullable();
const values = z.record(text, z.unknown()).optional();
/** Of a change; what else an event says depends on it. */
const eventDetails = z
  .looseObject({
    changed: texts.optional().describe('of a change: the fields that changed, as the code names them'),
    // of one event, a moment
    before: z.union([values, text.optional()]).describe('their values before it, without secrets'),
    after: values.describe('their values after it, without secrets'),
    leftOut: texts
      .optional()
      .describe('fields whose values are left out: both sides together have at most 8 KiB'),
  })
  .describe('the event’s own fields; their names are data');

export const auditEvent = z.strictObject({
  id: text,
  at: time,
  event: text,
  actor: nullable.describe(
    'a person’s id, client: and the id of a client in its own name, operator, config or system',
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
