// The two sides that plan.ts compares, under the file's names: the database's objects and the file's.
import { z } from 'zod';
import { sha256 } from '#lib/kit/random.ts';
import { type ApiValues, api } from '#lib/registry/api.ts';
import { applicationTypeOf, type ClientValues, client } from '#lib/registry/client.ts';
import { plainName } from '#lib/registry/definition.ts';
import type { GroupValues } from '#lib/registry/group.ts';
import type { MethodKind } from '#lib/registry/methods/kind.ts';
import { methodKind } from '#lib/registry/methods/questions.ts';
import { type Powers, powersOf, type TermsChange, termsByColumn } from '#lib/registry/subscription.ts';
import { oneLineKey } from '#lib/registry/values.ts';
import { configSecretHash } from '#lib/store/clients.ts';
import type { RegistryRows } from '#lib/store/configuration.ts';
import { openFromRow } from '#lib/store/sealed.ts';
import type { Environment } from './checks.ts';
import type { Fields, Item } from './plan.ts';
import type { ConfigurationFile, GivenSecret } from './schema.ts';

/** Of a secret, to compare it without showing it. */
const fingerprint = (secret: string) => sha256(secret).toString('hex');
const keptFingerprint = (kept: string) => configSecretHash({ kept }).toString('hex');

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

type Plain = Pick<Item, 'type' | 'id' | 'fields'>;
/** A term that is left out is what people decided. */
type Subscription = Powers &
  TermsChange & {
    clientId: string;
    api: string;
    scopes: string[];
    state?: string;
  };
type PersonFields = {
  email: string;
  name?: string | undefined;
  roles: string[];
  groups?: string[] | undefined;
  disabled?: boolean | undefined;
  emailVerified?: boolean | undefined;
};

const groupItem = ({ id, name, from }: GroupValues): Plain => ({ type: 'group', id, fields: { name, from } });
const apiItem = (values: ApiValues): Plain => ({ type: 'api', id: values.id, fields: apiFields(values) });
const clientItem = (values: ClientValues, disabled: boolean | undefined): Plain => ({
  type: 'client',
  id: values.clientId,
  fields: { ...clientFields(values), disabled },
});
const subscriptionItem = ({ clientId, api, ...rest }: Subscription): Plain => ({
  type: 'subscription',
  id: `${clientId} ${api}`,
  fields: {
    client_id: clientId,
    api,
    ...powersOf(rest),
    scopes: rest.scopes,
    ...termsByColumn(rest),
    state: rest.state,
  },
});
const personItem = ({ email, name, roles, groups, disabled, emailVerified }: PersonFields): Plain => ({
  type: 'user',
  id: email,
  fields: { name, roles, groups, disabled, email_verified: emailVerified },
});

const storedSecret = (key: string, hash: string | null): Item['secrets'] => (hash ? { [key]: hash } : {});

export function currentItems({
  authMethods,
  groups,
  apis,
  clients,
  subscriptions,
  people,
}: RegistryRows): Item[] {
  return [
    ...authMethods.map((row): Item => {
      const fields = { type: row.type, name: row.name, ...row.config };
      return { type: 'auth_method', id: row.id, fields, secrets: methodSecrets(row), managed: row.managed };
    }),
    ...groups.map((row): Item => ({ ...groupItem(row), secrets: {}, managed: row.managed })),
    ...apis.map((row): Item => {
      const secrets = storedSecret('introspection_secret', row.introspectionSecretHash);
      return { ...apiItem(row), secrets, managed: row.managed };
    }),
    ...clients.map((row): Item => {
      const stored = row.configSecretHash;
      const secrets = {
        ...storedSecret('client_secret', stored),
        ...storedSecret('client_secret_hash', stored),
      };
      return { ...clientItem(row, row.disabled), secrets, managed: row.managed };
    }),
    ...subscriptions.map((row): Item => {
      const { managed, refused } = row;
      return { ...subscriptionItem(row), secrets: {}, managed, refused };
    }),
    ...people.map((row): Item => {
      const secrets = storedSecret('password', row.configPassword);
      return { ...personItem({ ...row, groups: row.groupsByHand }), secrets, managed: row.managed };
    }),
  ];
}

function methodSecrets(row: RegistryRows['authMethods'][number]): Record<string, string> {
  if (row.sealedSecret === null) return {};
  const plain = openFromRow('auth_methods', row.id, row.sealedSecret);
  const { secret } = methodKind(row.type);
  // one that does not open (a lost GATEHOUSE_SECRET) counts as different: the file's value replaces it
  return secret === null ? {} : { [secret.key]: plain === null ? '' : fingerprint(plain) };
}

/**
 * `secrets`: the plain ones by `type id`, apart from the items, so that no plan can print one. That of a password is
 * `settlePasswords`'s (apply.ts).
 */
export function desiredItems(
  file: ConfigurationFile,
  env: Environment,
): { items: Item[]; secrets: Map<string, string> } {
  const secrets = new Map<string, string>();
  const withSecret = (item: Plain, key: string, { value, variable }: GivenSecret): Item => {
    const given = value ?? (variable === undefined ? undefined : env[variable]);
    if (given === undefined) return { ...item, secrets: {} };
    const plain = item.type === 'auth_method' ? oneLineKey(given) : given;
    secrets.set(`${item.type} ${item.id}`, plain);
    return { ...item, secrets: { [key]: fingerprint(plain) } };
  };
  const items = [
    ...file.auth_methods.map((method): Item => {
      const item: Plain = { type: 'auth_method', id: method.id, fields: methodFields(method) };
      const { secret } = methodKind(method.type);
      return secret === null
        ? { ...item, secrets: {} }
        : withSecret(item, secret.key, secretOf(method, secret));
    }),
    ...file.groups.map((group): Item => ({ ...groupItem(group), secrets: {} })),
    ...file.apis.map(({ values, secret }) => withSecret(apiItem(values), 'introspection_secret', secret)),
    ...file.clients.map(({ values, disabled, secret, keptHash }): Item => {
      const item = clientItem(values, disabled);
      if (keptHash === undefined) return withSecret(item, 'client_secret', secret);
      secrets.set(`client ${item.id}`, keptHash);
      return { ...item, secrets: { client_secret_hash: keptFingerprint(keptHash) } };
    }),
    ...file.subscriptions.map(
      ({ approvedBy, ...one }): Item => ({ ...subscriptionItem(one), secrets: {}, approvedBy }),
    ),
    ...file.users.map(({ values, disabled, emailVerified, secret }) =>
      // false takes back nothing: the person may have proved it by a mail
      withSecret(
        personItem({ ...values, disabled, emailVerified: emailVerified || undefined }),
        'password',
        secret,
      ),
    ),
  ];
  return { items, secrets };
}

type FileMethod = ConfigurationFile['auth_methods'][number];

/** The file's schema has checked both. */
const text = z.string().optional();

type Secret = NonNullable<MethodKind['secret']>;

/** Where the file has a secret that is not beside the keys of the method: in which one, and how it is called there. */
function placeOf(method: Fields, { key, signing, within }: Secret): { in: string; key: string } | null {
  if (within !== undefined) return { in: within, key };
  return signing && method[signing.in] ? signing : null;
}

function secretOf(method: FileMethod, secret: Secret): GivenSecret {
  const given: Fields = method;
  const place = placeOf(given, secret);
  const [from, name] = place ? [(given[place.in] ?? {}) as Fields, place.key] : [given, secret.key];
  return { value: text.parse(from[name]), variable: text.parse(from[`${name}_env`]) };
}

/** Null takes away what is stored; what is left out stays. */
function methodFields(method: FileMethod): Fields {
  const { id, type, name } = method;
  const { config, defaultsInFile } = methodKind(type);
  const given: Fields = method;
  const fields: Fields = { type, name: name ?? id };
  for (const key of Object.keys(config.shape)) fields[key] = given[key] ?? null;
  // an empty map and false are the same as nothing in the database
  if (Object.keys(given['claims'] ?? {}).length === 0 && 'claims' in fields) fields['claims'] = null;
  if (!given['trust_email'] && 'trust_email' in fields) fields['trust_email'] = null;
  const { secret } = methodKind(type);
  const place = secret && placeOf(given, secret);
  if (place && given[place.in]) {
    const { [place.key]: _, [`${place.key}_env`]: __, ...rest } = given[place.in] as Fields;
    fields[place.in] = rest;
  }
  return { ...fields, ...defaultsInFile?.(given) };
}

/** The `config` of a method's fields, for the operation that writes it. */
export function configOf({ type: _, name: __, ...config }: Fields): Fields {
  // left out it stays as it is
  if (config.shared_callback === null) config.shared_callback = false;
  return Object.fromEntries(
    Object.entries(config).filter(([, value]) => value !== null && value !== undefined),
  );
}
