// The two sides that plan.ts compares, under the file's names: what the database holds, and what the file asks for.
import { sha256 } from '#lib/kit/index.ts';
import {
  type ApiValues,
  api,
  applicationTypeOf,
  type ClientValues,
  client,
  plainName,
} from '#lib/registry/index.ts';
import { openFromRow, type RegistryRows } from '#lib/store/index.ts';
import type { Environment } from './cross-checks.ts';
import type { Fields, Item } from './plan.ts';
import type { ConfigurationFile, GivenSecret } from './schema.ts';

const print = (secret: string) => sha256(secret).toString('hex');
const secretKeyOf = (type: string) => (type === 'broker' ? 'client_secret' : 'verify_token');

/** An API's fields as the file has them. */
export function apiFields(values: ApiValues): Fields {
  const names = Object.keys(api.shape).filter((name) => name !== 'id') as (keyof ApiValues)[];
  return Object.fromEntries(names.map((name) => [plainName(name), values[name]]));
}

/** A client's fields as the file has them: those of RFC 7591. */
export function clientFields(values: ClientValues): Fields {
  const own = ['clientId', 'name', 'kind'];
  const names = Object.keys(client.shape).filter((name) => !own.includes(name)) as (keyof ClientValues)[];
  return {
    client_name: values.name,
    confidential: values.kind === 'confidential',
    application_type: applicationTypeOf(values.kind),
    ...Object.fromEntries(names.map((name) => [plainName(name), values[name]])),
  };
}

const hashed = (key: string, hash: string | null): Record<string, string> => (hash ? { [key]: hash } : {});

export function currentItems(registry: RegistryRows): Item[] {
  return [
    ...registry.authMethods.map(
      (row): Item => ({
        type: 'auth_method',
        id: row.id,
        fields: { type: row.type, name: row.name, ...row.config },
        secrets: methodSecrets(row),
        managed: row.managed,
      }),
    ),
    ...registry.apis.map(
      (row): Item => ({
        type: 'api',
        id: row.id,
        fields: apiFields(row),
        secrets: hashed('introspection_secret', row.introspectionSecretHash),
        managed: row.managed,
      }),
    ),
    ...registry.clients.map(
      (row): Item => ({
        type: 'client',
        id: row.clientId,
        fields: { ...clientFields(row), disabled: row.disabled },
        secrets: hashed('client_secret', row.configSecretHash),
        managed: row.managed,
      }),
    ),
    ...registry.subscriptions.map(
      ({ clientId, api: apiId, trusted, scopes, state, managed, decidedAt }): Item => ({
        type: 'subscription',
        id: `${clientId} ${apiId}`,
        fields: { client_id: clientId, api: apiId, trusted, scopes, state },
        secrets: {},
        managed,
        decided: decidedAt !== null,
      }),
    ),
    ...registry.people.map(
      ({ email, name, roles, disabled, emailVerified, configPassword, managed }): Item => ({
        type: 'user',
        id: email,
        fields: { name, roles, disabled, email_verified: emailVerified },
        secrets: hashed('password', configPassword),
        managed,
      }),
    ),
  ];
}

function methodSecrets(row: RegistryRows['authMethods'][number]): Record<string, string> {
  if (row.sealedSecret === null) return {};
  const plain = openFromRow('auth_methods', row.id, row.sealedSecret);
  // One that no longer opens (a lost GATEHOUSE_SECRET) counts as different, so the file's value replaces it.
  return { [secretKeyOf(row.type)]: plain === null ? '' : print(plain) };
}

/** `secrets` holds the plain ones by `type id`, apart from the items, so that no plan can print one. */
export function desiredItems(
  file: ConfigurationFile,
  env: Environment,
): { items: Item[]; secrets: Map<string, string> } {
  const secrets = new Map<string, string>();
  const secret = (of: string, key: string, { value, variable }: GivenSecret): Record<string, string> => {
    const plain = value ?? (variable === undefined ? undefined : env[variable]);
    if (plain === undefined) return {};
    secrets.set(of, plain);
    return { [key]: print(plain) };
  };
  const items = [
    ...file.auth_methods.map((method): Item => {
      const { type, id } = method;
      const given =
        method.type === 'local' ? {} : secret(`auth_method ${id}`, secretKeyOf(type), secretOf(method));
      return { type: 'auth_method', id, fields: methodFields(method), secrets: given };
    }),
    ...file.apis.map(
      ({ values, secret: given }): Item => ({
        type: 'api',
        id: values.id,
        fields: apiFields(values),
        secrets: secret(`api ${values.id}`, 'introspection_secret', given),
      }),
    ),
    ...file.clients.map(
      ({ values, disabled, secret: given }): Item => ({
        type: 'client',
        id: values.clientId,
        fields: { ...clientFields(values), disabled },
        secrets: secret(`client ${values.clientId}`, 'client_secret', given),
      }),
    ),
    ...file.subscriptions.map(
      ({ clientId, api: apiId, trusted, scopes, approvedBy }): Item => ({
        type: 'subscription',
        id: `${clientId} ${apiId}`,
        fields: { client_id: clientId, api: apiId, trusted, scopes },
        secrets: {},
        approvedBy,
      }),
    ),
    ...file.users.map(
      ({ values: { email, name, roles }, disabled, emailVerified, secret: given }): Item => ({
        type: 'user',
        id: email,
        // false takes back nothing: the person may have proved it by a mail
        fields: { name, roles, disabled, email_verified: emailVerified || undefined },
        secrets: secret(`user ${email}`, 'password', given),
      }),
    ),
  ];
  return { items, secrets };
}

type FileMethod = ConfigurationFile['auth_methods'][number];

function secretOf(method: Exclude<FileMethod, { type: 'local' }>): GivenSecret {
  return method.type === 'broker'
    ? { value: method.client_secret, variable: method.client_secret_env }
    : { value: method.verify_token, variable: method.verify_token_env };
}

const BROKER_SCOPES = ['openid', 'email', 'profile'];

/** Null takes away what is stored. */
function methodFields(method: FileMethod): Fields {
  const { id, type, name } = method;
  const head = { type, name: name ?? id };
  if (method.type === 'local') return head;
  const { claims = {}, trust_email } = method;
  const people = {
    claims: Object.keys(claims).length > 0 ? claims : null,
    trust_email: trust_email || null,
  };
  if (method.type === 'external') {
    const { verify_url, timeout_ms, allow_private_network } = method;
    return { ...head, verify_url, timeout_ms, ...people, allow_private_network };
  }
  return {
    ...head,
    issuer: method.issuer ?? null,
    authorization_endpoint: method.authorization_endpoint ?? null,
    token_endpoint: method.token_endpoint ?? null,
    userinfo_endpoint: method.userinfo_endpoint ?? null,
    subject_claim: method.subject_claim ?? null,
    client_id: method.client_id,
    scopes: method.scopes ?? (method.issuer ? BROKER_SCOPES : []),
    timeout_ms: method.timeout_ms ?? null,
    ...people,
    allow_private_network: method.allow_private_network,
    // false is the same as nothing in the database; a file that says neither leaves what is there
    shared_callback: method.shared_callback === false ? null : method.shared_callback,
  };
}

/** The `config` of a method's fields, for the operation that writes it. */
export function configOf({ type: _, name: __, ...config }: Fields): Fields {
  // left out it stays as it is
  if (config.shared_callback === null) config.shared_callback = false;
  return Object.fromEntries(
    Object.entries(config).filter(([, value]) => value !== null && value !== undefined),
  );
}
