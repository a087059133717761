// The configuration file's shape (contract.md section 3), field by field. What concerns several fields at once is
// cross-checks.ts. Also the source of gatehouse.schema.json, which editors read.
import { z } from 'zod';

const ID = /^[a-z0-9][a-z0-9-]{0,62}$/;
const ID_FAULT = 'must be 1 to 63 small letters, digits and hyphens, and must not begin with a hyphen';
const SECONDS_FAULT = 'must be a whole number from 1';

const id = z.string().regex(ID, ID_FAULT);
const label = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must not be longer than 200 characters');
const text = z.string().max(2000, 'must not be longer than 2000 characters');
const seconds = z.int(SECONDS_FAULT).min(1, SECONDS_FAULT).max(2_147_483_647, 'must not be over 2147483647');
const secret = z.string().min(1, 'must not be empty').max(4096, 'must not be longer than 4096 characters');
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');
const email = z
  .string()
  .max(254, 'must not be longer than 254 characters')
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
  .transform((value) => value.toLowerCase());
const scopeName = z
  .string()
  .max(200, 'must not be longer than 200 characters')
  .regex(
    /^[\x21\x23-\x5b\x5d-\x7e]+$/,
    'must be a scope: visible ASCII without space, quote and backslash (RFC 6749 §3.3)',
  );
const webAddress = z
  .string()
  .max(2000)
  .refine((value) => {
    const url = URL.canParse(value) ? new URL(value) : null;
    return (
      url !== null && /^https?:\/\//i.test(value) && !value.includes('#') && !url.username && !url.password
    );
  }, 'must be an absolute https:// address without a fragment');
const clientId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._~-]{0,199}$/,
    'must be 1 to 200 letters, digits, dots, hyphens, underscores and tildes',
  );
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);

const methodId = id.refine(
  (value) => value !== 'callback' && value !== 'token',
  'must not be callback or token',
);

const localMethod = z.strictObject({ id: methodId, type: z.literal('local'), name: label.optional() });
const externalMethod = z.strictObject({
  id: methodId,
  type: z.literal('external'),
  name: label.optional(),
  verify_url: webAddress.describe('The service that checks username and password'),
  verify_token: secret.optional(),
  verify_token_env: variable.optional(),
  timeout_ms: z
    .int('must be a whole number')
    .min(1, 'must be from 1 to 60000')
    .max(60_000, 'must be from 1 to 60000')
    .default(3000),
  allow_private_network: z.boolean().default(false),
});
const brokerMethod = z.strictObject({
  id: methodId,
  type: z.literal('broker'),
  name: label.optional(),
  issuer: webAddress.optional(),
  authorization_endpoint: webAddress.optional(),
  token_endpoint: webAddress.optional(),
  userinfo_endpoint: webAddress.optional(),
  subject_claim: z.string().min(1, 'must not be empty').optional(),
  client_id: z.string().min(1, 'must not be empty').max(1000),
  client_secret: secret.optional(),
  client_secret_env: variable.optional(),
  scopes: z.array(scopeName).optional(),
  timeout_ms: z
    .int('must be a whole number')
    .min(1, 'must be from 1 to 60000')
    .max(60_000, 'must be from 1 to 60000')
    .optional(),
  allow_private_network: z.boolean().default(false),
});

const api = z.strictObject({
  id,
  name: label.optional(),
  description: text.default(''),
  url: webAddress.describe("{api_url}; the access token's audience"),
  auth_methods: list(id).describe('The valid combinations'),
  scopes: list(z.strictObject({ name: scopeName, description: text.optional() })),
  access_token_ttl: seconds.default(3600),
  access_token_format: z.enum(['jwt', 'opaque'], 'must be jwt or opaque').default('jwt'),
  signing_alg: z.enum(['ES256', 'RS256'], 'must be ES256 or RS256').default('ES256'),
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

export const ROLES = ['administrator', 'approver', 'developer'] as const;

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
