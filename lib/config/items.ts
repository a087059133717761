// The two sides that plan.ts compares, in the same words: what the database holds, and what the file asks for.
import { sha256 } from '#lib/kit/index.ts';
import { type MethodRow, openFromRow, type Registry } from '#lib/store/index.ts';
import type { Environment } from './cross-checks.ts';
import type { Fields, Item } from './plan.ts';
import type { ConfigurationFile } from './schema.ts';

const print = (secret: string) => sha256(secret).toString('hex');
const secretKeyOf = (type: string) => (type === 'broker' ? 'client_secret' : 'verify_token');

export function currentItems(registry: Registry): Item[] {
  return [
    ...registry.methods.map(
      (row): Item => ({
        type: 'auth_method',
        id: row.id,
        fields: { type: row.type, name: row.name, ...row.config },
        secrets: methodSecrets(row),
        managed: row.managed,
      }),
    ),
    ...registry.apis.map(
      ({ id, introspection_secret_hash, position: _, managed, ...fields }): Item => ({
        type: 'api',
        id,
        fields,
        secrets: introspection_secret_hash ? { introspection_secret: introspection_secret_hash } : {},
        managed,
      }),
    ),
    ...registry.clients.map(
      ({ client_id, config_secret_hash, managed, ...fields }): Item => ({
        type: 'client',
        id: client_id,
        fields,
        secrets: config_secret_hash ? { client_secret: config_secret_hash } : {},
        managed,
      }),
    ),
    ...registry.subscriptions.map(
      (row): Item => ({
        type: 'subscription',
        id: `${row.client_id} ${row.api}`,
        fields: {
          client_id: row.client_id,
          api: row.api,
          trusted: row.trusted,
          scopes: row.scopes,
          state: row.state,
        },
        secrets: {},
        managed: row.managed,
        decided: row.decided,
      }),
    ),
    ...registry.people.map(
      (row): Item => ({
        type: 'user',
        id: row.email,
        fields: { name: row.name, roles: row.roles, disabled: row.disabled },
        secrets: row.config_password ? { password: row.config_password } : {},
        managed: row.managed,
      }),
    ),
  ];
}

function methodSecrets(row: MethodRow): Record<string, string> {
  if (row.sealed_secret === null) return {};
  const plain = openFromRow('auth_methods', row.id, row.sealed_secret);
  // One that no longer opens (a lost GATEHOUSE_SECRET) counts as different, so the file's value replaces it.
  return { [secretKeyOf(row.type)]: plain === null ? '' : print(plain) };
}

/** `values` holds the plain secrets by `type id`, apart from the items, so that no plan can print one. */
export function desiredItems(
  file: ConfigurationFile,
  env: Environment,
): { items: Item[]; values: Map<string, string> } {
  const values = new Map<string, string>();
  const secret = (
    type: string,
    id: string,
    key: string,
    source: Record<string, unknown>,
  ): Record<string, string> => {
    const variable = source[`${key}_env`] as string | undefined;
    const value = (source[key] as string | undefined) ?? (variable ? env[variable] : undefined);
    if (value === undefined) return {};
    values.set(`${type} ${id}`, value);
    return { [key]: print(value) };
  };
  const items: Item[] = [];
  for (const method of file.auth_methods) {
    const { id, ...fields } = methodFields(method);
    const secrets =
      method.type === 'local' ? {} : secret('auth_method', id, secretKeyOf(method.type), method);
    items.push({ type: 'auth_method', id, fields, secrets });
  }
  for (const api of file.apis) {
    const { id, introspection_secret: _, introspection_secret_env: __, ...rest } = api;
    const scopes = rest.scopes.map((scope) => ({
      name: scope.name,
      description: scope.description ?? scope.name,
    }));
    const fields = { ...rest, name: rest.name ?? id, scopes };
    items.push({ type: 'api', id, fields, secrets: secret('api', id, 'introspection_secret', api) });
  }
  for (const client of file.clients) {
    const { client_id: id, client_secret: _, client_secret_env: __, ...rest } = client;
    const fields: Fields = {
      ...rest,
      client_name: rest.client_name ?? id,
      application_type: rest.application_type ?? 'web',
      logo_uri: rest.logo_uri ?? null,
    };
    items.push({ type: 'client', id, fields, secrets: secret('client', id, 'client_secret', client) });
  }
  for (const { client_id, api, trusted, scopes, approved_by } of file.subscriptions) {
    const fields = { client_id, api, trusted, scopes };
    items.push({
      type: 'subscription',
      id: `${client_id} ${api}`,
      fields,
      secrets: {},
      approvedBy: approved_by,
    });
  }
  for (const user of file.users) {
    const fields = { name: user.name, roles: [...new Set(user.roles)], disabled: user.disabled };
    items.push({
      type: 'user',
      id: user.email,
      fields,
      secrets: secret('user', user.email, 'password', user),
    });
  }
  return { items, values };
}

const BROKER_SCOPES = ['openid', 'email', 'profile'];

function methodFields(method: ConfigurationFile['auth_methods'][number]): { id: string } & Fields {
  const { id, type, name } = method;
  const head = { id, type, name: name ?? id };
  if (method.type === 'local') return head;
  if (method.type === 'external') {
    const { verify_url, timeout_ms, allow_private_network } = method;
    return { ...head, verify_url, timeout_ms, allow_private_network };
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
    allow_private_network: method.allow_private_network,
    // false is the same as nothing in the database; a file that says neither leaves what is there
    shared_callback: method.shared_callback === false ? null : method.shared_callback,
  };
}
