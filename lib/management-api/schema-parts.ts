// What the management API's shapes are made of.
import { z } from 'zod';
import { DECISIONS, SUBSCRIPTION_STATES } from '#lib/management/index.ts';

export const text = z.string();
export const nullable = text.nullable();
export const time = z.iso.datetime();
export const scopes = z.array(z.strictObject({ name: text, description: text }));
export const count = z.int();
export const texts = z.array(text);
export const kind = z.enum(['confidential', 'browser', 'native']);
export const state = z.enum(SUBSCRIPTION_STATES);
export const moment = z.string().describe('ISO 8601');

export const client = z.strictObject({
  client_id: text,
  name: text,
  kind,
  redirect_uris: texts,
  allowed_origins: texts,
  logo_uri: nullable,
  disabled: z.boolean(),
  managed: z.boolean().describe('owned by the configuration file, which the next apply restores'),
  owner_id: nullable,
  owner_email: nullable,
  subscriptions: count,
  pending: count,
  created_at: time,
  updated_at: time,
  version: count,
});
export const subscription = z.strictObject({
  client_id: text,
  client_name: text,
  client_kind: kind,
  client_disabled: z.boolean(),
  redirect_uris: texts,
  owner_id: nullable,
  owner_email: nullable,
  api: text,
  api_name: text,
  api_scopes: scopes,
  approvers: texts,
  require_approval: z.boolean(),
  state,
  trusted: z.boolean(),
  scopes: texts.describe('a ceiling; none: all of the API’s scopes'),
  message: nullable,
  reason: nullable,
  requested_by: nullable,
  requested_by_email: nullable,
  decided_by_email: nullable,
  decided_at: time.nullable(),
  created_at: time,
  updated_at: time,
  version: count,
  managed: z.boolean(),
});
export const person = z.strictObject({
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
export const may = z.strictObject(
  Object.fromEntries([...DECISIONS, 'request', 'change', 'cancel'].map((name) => [name, z.boolean()])),
);
