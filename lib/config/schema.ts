// The shape of the configuration file (docs/reference/configuration.md): the definitions of lib/registry, with the
// names that the file uses. Rules that concern several fields are in checks.ts. gatehouse.schema.json is generated
// from this shape.
import { z } from 'zod';
import { api, apiScopeName, scopeGroups } from '#lib/catalogue/apis/definition.ts';
import { client, kindOf } from '#lib/catalogue/clients/definition.ts';
import { group, groupId, MOST_GROUPS, MOST_GROUPS_OF_PERSON } from '#lib/catalogue/groups/definition.ts';
import type { MethodKind } from '#lib/catalogue/methods/kind.ts';
import { type AuthMethodType, METHOD_KINDS } from '#lib/catalogue/methods/kinds.ts';
import { METHOD_TYPES_IN_WORDS } from '#lib/catalogue/methods/questions.ts';
import { person } from '#lib/catalogue/people/definition.ts';
import { readHash } from '#lib/catalogue/people/person-line.ts';
import { subscription, subscriptionTerms } from '#lib/catalogue/subscriptions/definition.ts';
import { nearest } from '#lib/kit/text.ts';
import { scopeAcr } from '#lib/registry/claims.ts';
import { changeOf, plainName, withoutDefault } from '#lib/registry/definition.ts';
import { displayText } from '#lib/registry/display-text.ts';
import {
  atMost,
  authMethodId,
  emailAddress,
  keyOrSecretText,
  label,
  passwordText,
  secretText,
  sentence,
} from '#lib/registry/values.ts';

// A client secret that exists only as a hash, which another service made.

const KINDS = ['bcrypt', 'pbkdf2'];

/** The reason why the hash is invalid; `null`: it is valid. */
function fault(text: string): string | null {
  const read = readHash(text);
  if (read.form === 'refused') return read.because;
  return KINDS.includes(read.kind) ? null : `it is ${read.kind}`;
}

const keptSecretHash = z.string().superRefine((text, context) => {
  const because = fault(text);
  if (because !== null)
    context.addIssue({ code: 'custom', message: `must be a bcrypt or PBKDF2 hash: ${because}` });
});

/** Converts a hash to the form that is stored, because programs write the same hash in different ways. */
function inOneForm(text: string): string {
  const read = readHash(text);
  return read.form === 'refused' ? text : read.hash;
}

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');

/** Schema of a list that reads a missing value or null as an empty list. */
const list = <Items extends z.ZodType<unknown[]>>(items: Items) =>
  items.nullish().transform((value) => value ?? ([] as z.output<Items>));

type Shape = Readonly<Record<string, z.ZodType>>;

/** Schema that reads fields with the names of the file, and returns them with the names of the code. */
function entry<Of extends Shape>(shape: Of) {
  const names = new Map(Object.keys(shape).map((name) => [plainName(name), name]));
  const fields = Object.entries(shape).map(([name, field]) => [plainName(name), inFile(field)]);
  return z
    .strictObject(Object.fromEntries(fields) as Record<string, z.ZodType>)
    .transform(
      (input) =>
        Object.fromEntries(
          Object.entries(input).map(([key, value]) => [names.get(key) ?? key, value]),
        ) as z.output<z.ZodObject<Of>>,
    );
}

function inFile(field: z.ZodType): z.ZodType {
  const inner = withoutDefault(field);
  if (!(inner instanceof z.ZodArray)) return field;
  const { description } = field;
  return description === undefined ? list(inner) : list(inner).describe(description);
}

const name = displayText(label).optional().describe('Shown to people. Default: the id');
const disabled = z.boolean().optional();
const METHOD_ID = authMethodId.describe(
  'Part of every issuer of the method, and never changes: up to 63 lower-case letters, digits and hyphens. Not callback, token or new',
);
const callback = z
  .string()
  .optional()
  .describe('The redirect address to register at the broker. Written by export, ignored by apply');

function methodEntry({ type, config, secret, capabilities }: MethodKind<AuthMethodType>) {
  const shape: Shape = {
    ...(secret &&
      !secret.within && {
        [secret.key]: secretText.optional().describe(secret.label),
        [`${secret.key}_env`]: variable.optional(),
      }),
    ...(capabilities.redirects && { callback }),
    ...config.shape,
    ...(secret?.within && {
      [secret.within]: withKey(config.shape[secret.within], secret.key),
    }),
    ...(secret?.signing && {
      [secret.signing.in]: withKey(config.shape[secret.signing.in], secret.signing.key),
    }),
  };
  return z.strictObject({
    id: METHOD_ID,
    type: z.literal(type).describe('Kind of the method'),
    name: name.describe('Shown to people. Default: the name of the preset, otherwise the id'),
    ...shape,
  });
}
/** Adds the signing key, or the variable that contains it, to the object. */
function withKey(field: unknown, key: string): z.ZodType {
  const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
  if (!(inner instanceof z.ZodObject)) throw new Error('a signing key must be an object');
  const more = { [key]: keyOrSecretText.optional(), [`${key}_env`]: variable.optional() };
  const { description = '' } = field as z.ZodType;
  return z
    .strictObject({ ...inner.shape, ...more })
    .optional()
    .describe(description);
}
const [firstKind, ...otherKinds] = METHOD_KINDS;

const scope = z.strictObject({
  name: apiScopeName,
  description: displayText(sentence).optional(),
  required_acr: scopeAcr,
  groups: scopeGroups,
});

const apiEntry = entry({
  ...api.shape,
  name,
  scopes: z.array(scope).describe(api.shape.scopes.description ?? ''),
  introspectionSecret: secretText
    .optional()
    .describe(
      'The API’s credential for the introspection endpoint (HTTP Basic, with the API’s id as the username)',
    ),
  introspectionSecretEnv: variable.optional(),
}).transform(({ introspectionSecret, introspectionSecretEnv, ...given }) => ({
  values: {
    ...given,
    name: given.name ?? given.id,
    scopes: given.scopes.map((apiScope) => ({
      ...apiScope,
      description: apiScope.description ?? apiScope.name,
    })),
  },
  secret: { value: introspectionSecret, variable: introspectionSecretEnv },
}));

const groupEntry = entry({ ...group.shape, name }).transform(({ name: given, ...rest }) => ({
  ...rest,
  // an id can be longer than a name
  name: given ?? rest.id.slice(0, 200),
}));

const { clientId, name: _, kind: __, ...clientShape } = client.shape;
const clientEntry = entry({
  clientId,
  clientName: name,
  confidential: z.boolean().default(false).describe('The client can keep a secret or a private key'),
  applicationType: z
    .enum(['web', 'browser', 'native'], 'must be browser or native (web is for confidential clients)')
    .optional()
    .describe('For a public client: browser or native. For a confidential client: web'),
  clientSecret: secretText
    .optional()
    .describe('Stored only as a hash. Applied when the client is created, and when the value changes'),
  clientSecretEnv: variable.optional(),
  clientSecretHash: keptSecretHash
    .optional()
    .describe(
      'Instead of client_secret: the bcrypt or PBKDF2 hash of the secret, from another service. The first use of the secret replaces the hash',
    ),
  ...clientShape,
  disabled: disabled.describe('Disables the client'),
}).transform(
  ({
    clientName,
    clientSecret,
    clientSecretEnv,
    clientSecretHash,
    confidential,
    applicationType,
    disabled,
    ...given
  }) => ({
    values: {
      ...given,
      name: clientName ?? given.clientId,
      kind: kindOf({ confidential, applicationType: applicationType ?? 'web' }),
    },
    disabled,
    secret: { value: clientSecret, variable: clientSecretEnv },
    keptHash: clientSecretHash === undefined ? undefined : inOneForm(clientSecretHash),
  }),
);

const { api: apiId, scopes, trusted, machine, device } = subscription.shape;
const subscriptionEntry = entry({
  clientId,
  api: apiId,
  scopes,
  trusted,
  machine,
  device,
  // a term that is missing stays unchanged
  ...changeOf(subscriptionTerms).shape,
  approvedBy: emailAddress
    .optional()
    .describe(
      'Email address of a user in this file with the role administrator or approver (for management: administrator). Approves the subscription and each later change of its terms or its client. Without approved_by, a subscription that needs approval is pending',
    ),
});

const { email, roles } = person.shape;
const personEntry = entry({
  email,
  name: label.optional().describe('Shown to people. Default: none'),
  password: passwordText
    .optional()
    .describe(
      'Applied when the person is created, and when the value changes. Must not be the address or the name of the person, or the name of the service',
    ),
  passwordEnv: variable.optional(),
  roles,
  groups: atMost(MOST_GROUPS_OF_PERSON, groupId)
    .optional()
    .describe('Ids of groups that the person is a manual member of. Default: as set in the console'),
  emailVerified: z
    .boolean()
    .optional()
    .describe('true: the address is treated as verified. false: no change'),
  disabled: disabled.describe('Disables the user'),
}).transform(({ password: value, passwordEnv, disabled, emailVerified, ...values }) => ({
  values: { ...values, roles: [...new Set(values.roles)] },
  disabled,
  emailVerified,
  secret: { value, variable: passwordEnv },
}));

export const fileSchema = z.strictObject({
  $schema: z.string().optional(),
  auth_methods: list(
    z.array(
      z.discriminatedUnion('type', [methodEntry(firstKind), ...otherKinds.map(methodEntry)], {
        error: (issue) => (issue.code === 'invalid_union' ? `must be ${METHOD_TYPES_IN_WORDS}` : undefined),
      }),
    ),
  ),
  groups: list(atMost(MOST_GROUPS, groupEntry)),
  apis: list(z.array(apiEntry)),
  clients: list(z.array(clientEntry)),
  subscriptions: list(z.array(subscriptionEntry)),
  users: list(z.array(personEntry)),
});

export type ConfigurationFile = z.output<typeof fileSchema>;
/** A secret, or the name of the environment variable that contains it. */
export type GivenSecret = ConfigurationFile['apis'][number]['secret'];

/** The text of gatehouse.schema.json. */
export function jsonSchema(): string {
  const schema = z.toJSONSchema(fileSchema, { io: 'input', unrepresentable: 'any' });
  return `${JSON.stringify({ ...schema, title: 'Gatehouse configuration' }, null, 2)}\n`;
}

// The keys that are valid at a path in the configuration file, for errors about unknown keys.

type Schema = {
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

/** Reads the schema of the file. `path`: in the form that zod uses, such as `['apis', 0]`. */
function keysAt(path: readonly PropertyKey[]): string[] {
  const root = JSON.parse(jsonSchema()) as Schema;
  const places = path.reduce<Schema[]>(
    (schemas, part) =>
      schemas.flatMap((schema) => {
        const { properties, items, additionalProperties } = schema;
        const inner = typeof part === 'number' ? items : (properties?.[String(part)] ?? additionalProperties);
        return typeof inner === 'object' ? alternatives(inner) : [];
      }),
    alternatives(root),
  );
  return [...new Set(places.flatMap(({ properties = {} }) => Object.keys(properties)))];
}

const alternatives = (schema: Schema): Schema[] => [
  schema,
  ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap(alternatives),
];

/** Returns a suggestion such as `; did you mean access_token_ttl?`, or nothing. */
export function meantKey(path: readonly PropertyKey[], key: string): string {
  // another variant of the object has this key, but it is wrong for this object
  const keys = keysAt(path);
  const meant = keys.includes(key) ? null : nearest(key, keys);
  return meant === null ? '' : `; did you mean ${meant}?`;
}
