// The configuration file's shape (contract.md section 3), field by field. What concerns several fields at once is
// cross-checks.ts. Also the source of gatehouse.schema.json, which editors read.
import { z } from 'zod';
import {
  brokerShape,
  clientId,
  emailAddress as email,
  externalShape,
  registryId as id,
  label,
  methodId,
  ROLES,
  scopeName,
  seconds,
  secretText as secret,
  signingAlg,
  longText as text,
  tokenFormat,
  webAddress,
} from '#lib/management/index.ts';

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);

const localMethod = z.strictObject({ id: methodId, type: z.literal('local'), name: label.optional() });
const externalMethod = z.strictObject({
  id: methodId,
  type: z.literal('external'),
  name: label.optional(),
  verify_token: secret.optional(),
  verify_token_env: variable.optional(),
  ...externalShape,
});
const brokerMethod = z.strictObject({
  id: methodId,
  type: z.literal('broker'),
  name: label.optional(),
  client_secret: secret.optional(),
  client_secret_env: variable.optional(),
  callback: z
    .string()
    .optional()
    .describe('Written by export: the redirect address to register at the broker; apply does not read it'),
  ...brokerShape,
});

const api = z.strictObject({
  id,
  name: label.optional(),
  description: text.default(''),
  url: webAddress.describe("{api_url}; the access token's audience"),
  auth_methods: list(id).describe('The valid combinations'),
  scopes: list(z.strictObject({ name: scopeName, description: text.optional() })),
  access_token_ttl: seconds.default(3600),
  access_token_format: tokenFormat.default('jwt'),
  signing_alg: signingAlg.default('ES256'),
  refresh_token_ttl: seconds.default(2_592_000),
  refresh_family_ttl: seconds.default(7_776_000),
  introspection_secret: secret.optional(),
  introspection_secret_env: variable.optional(),
  require_redirect_uri: z.boolean().default(true),
  require_scope: z.boolean().default(false),
  require_approval: z.boolean().default(false),
  approvers: list(email),
});

const client = z.strictObject({
  client_id: clientId,
  client_name: label.optional(),
  confidential: z.boolean().default(false),
  application_type: z
    .enum(['web', 'browser', 'native'], 'must be browser or native (web: confidential ones)')
    .optional(),
  client_secret: secret.optional(),
  client_secret_env: variable.optional(),
  redirect_uris: list(z.string()),
  allowed_origins: list(z.string()),
  logo_uri: webAddress.optional(),
  disabled: z.boolean().optional(),
});

const subscription = z.strictObject({
  client_id: clientId,
  api: id,
  scopes: list(scopeName),
  trusted: z.boolean().default(false),
  approved_by: email.optional(),
});

const user = z.strictObject({
  email,
  name: label.optional(),
  password: secret.optional(),
  password_env: variable.optional(),
  roles: list(z.enum(ROLES, 'must be administrator, approver or developer')),
  disabled: z.boolean().optional(),
});

export const fileSchema = z.strictObject({
  $schema: z.string().optional(),
  auth_methods: list(
    z.discriminatedUnion('type', [localMethod, externalMethod, brokerMethod], {
      error: (issue) => (issue.code === 'invalid_union' ? 'must be local, external or broker' : undefined),
    }),
  ),
  apis: list(api),
  clients: list(client),
  subscriptions: list(subscription),
  users: list(user),
});

export type ConfigurationFile = z.output<typeof fileSchema>;

/** gatehouse.schema.json, as text. */
export function jsonSchema(): string {
  const schema = z.toJSONSchema(fileSchema, { io: 'input', unrepresentable: 'any' });
  return `${JSON.stringify({ ...schema, title: 'Gatehouse configuration' }, null, 2)}\n`;
}
