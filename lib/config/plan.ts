// The plan of `apply`: a pure comparison of database and file. An empty list means no changes.

import { z } from 'zod';
import { type ApiValues, api, BUILT_IN_API } from '#lib/catalogue/apis/definition.ts';
import { applicationTypeOf, type ClientValues, client, kindOf } from '#lib/catalogue/clients/definition.ts';
import { configSecretHash } from '#lib/catalogue/clients/rows.ts';
import type { GroupValues } from '#lib/catalogue/groups/definition.ts';
import type { MethodKind } from '#lib/catalogue/methods/kind.ts';
import { methodKind } from '#lib/catalogue/methods/questions.ts';
import {
  endsTrust,
  isPowerful,
  POWERS,
  type Powers,
  powersOf,
  type SubscriptionState,
  stateWhenChanged,
  stateWhenRequested,
  stateWhenTrustEnds,
  type TermsChange,
  type TrustedClient,
  termsByColumn,
} from '#lib/catalogue/subscriptions/definition.ts';
import { sha256 } from '#lib/kit/random.ts';
import { plainName } from '#lib/registry/definition.ts';
import { oneLineKey } from '#lib/registry/values.ts';
import type { RegistryRows } from '#lib/store/configuration.ts';
import { openFromRow } from '#lib/store/sealed.ts';
import type { Environment } from './checks.ts';
import type { FileFault } from './file.ts';
import type { ConfigurationFile, GivenSecret } from './schema.ts';

export type ItemType = 'auth_method' | 'group' | 'api' | 'client' | 'subscription' | 'user';
type Value = unknown;
export type Fields = Record<string, Value>;

/** An object with the field names of the configuration file. Fields that the file's item omits stay unchanged. */
export type Item = {
  type: ItemType;
  id: string;
  fields: Fields;
  /** fingerprints of secrets, which are compared and never shown */
  secrets: Record<string, string>;
  managed?: boolean;
  /** for subscriptions: the last decision was a rejection, suspension, revocation or undone approval */
  refused?: boolean;
  /** value of `approved_by`; set only for subscriptions in the file */
  approvedBy?: string | undefined;
};

export type PlannedChange = {
  kind: 'create' | 'change' | 'remove';
  type: ItemType;
  id: string;
  lines: string[];
  /** the fields and secrets that differ */
  changed: string[];
  before: Item | null;
  after: Item | null;
  /** for approved subscriptions that this change returns to pending: the changed keys that cause it */
  stopsBy?: string[];
  /** for subscriptions that stop working: the reason, and its place in the file */
  stops?: FileFault;
};

const ORDER: ItemType[] = ['auth_method', 'group', 'api', 'user', 'client', 'subscription'];
/** lists whose order does not matter */
const SETS = new Set([
  'client.redirect_uris',
  'client.allowed_origins',
  'client.post_logout_redirect_uris',
  'subscription.scopes',
  'api.approvers',
  'api.token_claims',
  'api.agent_hosts',
  'api.groups',
  'api.groups_claim',
  'user.roles',
  'user.groups',
]);

export function plan(current: Item[], desired: Item[], options: { prune: boolean }): PlannedChange[] {
  const before = new Map(current.map((item) => [`${item.type} ${item.id}`, item]));
  const wanted = settleSubscriptions(before, desired);
  const named = new Set(desired.map((item) => `${item.type} ${item.id}`));
  const goes = (item: Item) =>
    options.prune && item.managed === true && !named.has(`${item.type} ${item.id}`);
  const changes: PlannedChange[] = [];
  const reasons = reopenedClients(before, desired);
  for (const item of inOrder(wanted)) {
    if (goes(item)) continue;
    const old = before.get(`${item.type} ${item.id}`) ?? null;
    const change = compare(old, item) ?? approveAgain(old, item, reasons);
    if (change) changes.push(withReason(change, reasons));
  }
  for (const item of inOrder(current).filter(goes).reverse()) {
    changes.push({
      kind: 'remove',
      type: item.type,
      id: item.id,
      lines: [],
      changed: [],
      before: item,
      after: null,
    });
  }
  return changes;
}

function inOrder(items: Item[]): Item[] {
  return ORDER.flatMap((type) => items.filter((item) => item.type === type));
}

function compare(before: Item | null, after: Item): PlannedChange | null {
  const lines: string[] = [];
  const changed: string[] = [];
  for (const [key, value] of Object.entries(after.fields)) {
    if (value === undefined) continue;
    const old = before?.fields[key];
    if (before ? same(`${after.type}.${key}`, old, value) : isNothing(value)) continue;
    changed.push(key);
    if (before && !isNothing(old)) lines.push(`- ${key}: ${show(old)}`);
    if (!isNothing(value) || before) lines.push(`+ ${key}: ${show(value)}`);
  }
  for (const [key, fingerprint] of Object.entries(after.secrets)) {
    if (before?.secrets[key] === fingerprint) continue;
    changed.push(key);
    lines.push(before ? `~ ${key}: (changed)` : `+ ${key}: (set)`);
  }
  if (before && changed.length === 0) return null;
  return { ...changeOf(before, after), lines, changed };
}

const changeOf = (before: Item | null, after: Item): Omit<PlannedChange, 'lines' | 'changed'> => ({
  kind: before ? 'change' : 'create',
  type: after.type,
  id: after.id,
  before,
  after,
});

const isNothing = (value: Value) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

function same(name: string, a: Value, b: Value): boolean {
  const sortSet = (value: Value) =>
    SETS.has(name) && Array.isArray(value) ? [...new Set(value)].sort(byText) : value;
  return stable({ [name]: sortSet(a ?? null) }) === stable({ [name]: sortSet(b ?? null) });
}

const byText = (a: unknown, b: unknown) => (String(a) < String(b) ? -1 : 1);

/** Names of fields with texts by language. Their order matters, because the first text is the fallback. */
const TEXTS = /(^|[._])(name|description)$/;

function stable(value: Value): string {
  return JSON.stringify(value, (key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part) && !TEXTS.test(key)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

const show = (value: Value) => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * Sets the state of every subscription in the file. Adds the subscriptions that return to pending because their
 * client changes.
 */
function settleSubscriptions(before: Map<string, Item>, desired: Item[]): Item[] {
  const apis = new Map(desired.filter((item) => item.type === 'api').map((item) => [item.id, item]));
  const reopened = reopenedClients(before, desired);
  const settled = desired.map((item) => {
    if (item.type !== 'subscription') return item;
    const api = String(item.fields.api);
    // the file cannot contain the built-in API, which always requires approval
    const requireApproval = api === BUILT_IN_API || apis.get(api)?.fields.require_approval === true;
    const old = before.get(`subscription ${item.id}`) ?? null;
    const state = stateOf(old, item, {
      requireApproval,
      reopened: reopened.has(String(item.fields.client_id)),
    });
    return { ...item, fields: { ...item.fields, state } };
  });
  const named = new Set(desired.map((item) => `${item.type} ${item.id}`));
  for (const [key, item] of before) {
    const mine =
      item.type === 'subscription' && !named.has(key) && reopened.has(String(item.fields.client_id));
    const from = item.fields.state as SubscriptionState;
    const state = stateWhenTrustEnds(from, powersIn(item));
    if (mine && state !== from) settled.push({ ...item, fields: { ...item.fields, state } });
  }
  return settled;
}

/** Clients whose subscriptions need a new decision, each with its changed keys. */
type Reopened = ReadonlyMap<string, readonly string[]>;

const TRUSTED_BY = ['redirect_uris', 'confidential', 'application_type'];

function reopenedClients(before: Map<string, Item>, desired: Item[]): Reopened {
  const reopened = new Map<string, string[]>();
  for (const item of desired) {
    const old = item.type === 'client' ? before.get(`client ${item.id}`) : undefined;
    if (old && endsTrust(trustOf(old), trustOf(item)))
      reopened.set(item.id, changedKeys('client', old, item, TRUSTED_BY));
  }
  return reopened;
}

const changedKeys = (type: ItemType, before: Item, after: Item, keys: readonly string[]) =>
  keys.filter((key) => !same(`${type}.${key}`, before.fields[key], after.fields[key]));

const trustOf = ({ fields }: Item): TrustedClient => ({
  kind: kindOf({
    confidential: fields.confidential === true,
    applicationType: String(fields.application_type),
  }),
  redirectUris: (fields.redirect_uris ?? []) as string[],
});

const powersIn = ({ fields }: Item): Powers => ({
  trusted: fields.trusted === true,
  machine: fields.machine === true,
  device: fields.device === true,
});

/** Subscription fields that an approval covers, in addition to the client. */
const APPROVED_KEYS = [...POWERS, 'scopes'];

/**
 * Returns the state after the change. `approved_by` approves all terms in the file, including changed terms. It
 * never overrides the decision of a person to reject.
 */
function stateOf(
  old: Item | null,
  item: Item,
  context: { requireApproval: boolean; reopened: boolean },
): SubscriptionState {
  const { requireApproval } = context;
  const after = powersIn(item);
  const approved = item.approvedBy !== undefined;
  if (!old) return approved ? 'approved' : stateWhenRequested({ ...after, requireApproval });
  const from = old.fields.state as SubscriptionState;
  if (from !== 'pending' && from !== 'approved') return from;
  if (approved && !old.refused) return 'approved';
  if (changedKeys('subscription', old, item, APPROVED_KEYS).length === 0)
    return context.reopened ? stateWhenTrustEnds(from, after) : from;
  if (!isPowerful(after) && !requireApproval) return 'approved';
  return stateWhenChanged(from, { before: powersIn(old), after, requireApproval });
}

/** If only the client changed, `approved_by` keeps an approval that would otherwise return to pending. */
function approveAgain(before: Item | null, after: Item, reopened: Reopened): PlannedChange | null {
  if (after.type !== 'subscription' || before === null || after.approvedBy === undefined) return null;
  const reasons = reopened.get(String(after.fields.client_id));
  const waits = stateWhenTrustEnds(before.fields.state as SubscriptionState, powersIn(after)) === 'pending';
  if (!reasons || !waits || after.fields.state !== 'approved') return null;
  const lines = [`~ approved_by: ${after.approvedBy} (approves the changed ${reasons.join(', ')})`];
  return { ...changeOf(before, after), lines, changed: ['approved_by'] };
}

/** Adds the reason why a subscription stops working. */
function withReason(change: PlannedChange, reopened: Reopened): PlannedChange {
  const { type, before, after } = change;
  if (type !== 'subscription' || !before || !after) return change;
  if (before.fields.state !== 'approved' || after.fields.state !== 'pending') return change;
  const ofClient = reopened.get(String(after.fields.client_id)) ?? [];
  return { ...change, stopsBy: [...ofClient, ...changedKeys('subscription', before, after, APPROVED_KEYS)] };
}

// The two sides that this module compares: the objects in the database and the objects in the configuration file,
// both with the field names of the configuration file.

/** Digest for comparing secrets without revealing them. */
const fingerprint = (secret: string) => sha256(secret).toString('hex');
const keptFingerprint = (secretText: string) => configSecretHash({ kept: secretText }).toString('hex');

/** The fields of an API under their names in the file. */
export function apiFields(values: ApiValues): Fields {
  const names = Object.keys(api.shape).filter((name) => name !== 'id') as (keyof ApiValues)[];
  return Object.fromEntries(names.map((name) => [plainName(name), values[name]]));
}

/** The fields of a client under their names in the file (RFC 7591). */
export function clientFields(values: ClientValues): Fields {
  const baseFields = ['clientId', 'name', 'kind'];
  const names = Object.keys(client.shape).filter(
    (name) => !baseFields.includes(name),
  ) as (keyof ClientValues)[];
  return {
    client_name: values.name,
    confidential: values.kind === 'confidential',
    application_type: applicationTypeOf(values.kind),
    ...Object.fromEntries(names.map((name) => [plainName(name), values[name]])),
  };
}

type Plain = Pick<Item, 'type' | 'id' | 'fields'>;
/** A subscription in the file. A term that the file omits keeps the value that a person set. */
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
      const configSecretHash = row.configSecretHash;
      const secrets = {
        ...storedSecret('client_secret', configSecretHash),
        ...storedSecret('client_secret_hash', configSecretHash),
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
  // a secret that cannot be opened (GATEHOUSE_SECRET was lost) is treated as different, so the value in the file
  // replaces it
  return secret === null ? {} : { [secret.key]: plain === null ? '' : fingerprint(plain) };
}

/**
 * `secrets`: plain secrets keyed by `type id`. They are separate from the items, so that a plan cannot print them.
 * `settlePasswords` (apply.ts) computes the fingerprints of passwords.
 */
export function desiredItems(
  file: ConfigurationFile,
  env: Environment,
): { items: Item[]; secrets: Map<string, string> } {
  const secrets = new Map<string, string>();
  const withSecret = (item: Plain, key: string, { value, variable }: GivenSecret): Item => {
    const secretValue = value ?? (variable === undefined ? undefined : env[variable]);
    if (secretValue === undefined) return { ...item, secrets: {} };
    const plain = item.type === 'auth_method' ? oneLineKey(secretValue) : secretValue;
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
      // `false` does not remove a verification, because the person may have verified the address by mail
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

/** Schema for a text that the schema of the file has already checked. */
const text = z.string().optional();

type Secret = NonNullable<MethodKind['secret']>;

/**
 * Key and name of a secret that the file nests inside another key; `null`: the secret is at the top level of the
 * method.
 */
function placeOf(method: Fields, { key, signing, within }: Secret): { in: string; key: string } | null {
  if (within !== undefined) return { in: within, key };
  return signing && method[signing.in] ? signing : null;
}

function secretOf(method: FileMethod, secret: Secret): GivenSecret {
  const methodValues: Fields = method;
  const place = placeOf(methodValues, secret);
  const [from, name] = place
    ? [(methodValues[place.in] ?? {}) as Fields, place.key]
    : [methodValues, secret.key];
  return { value: text.parse(from[name]), variable: text.parse(from[`${name}_env`]) };
}

/** `null` deletes the stored value. Fields that are missing stay unchanged. */
function methodFields(method: FileMethod): Fields {
  const { id, type, name } = method;
  const { config, defaultsInFile } = methodKind(type);
  const methodValues: Fields = method;
  const fields: Fields = { type, name: name ?? id };
  for (const key of Object.keys(config.shape)) fields[key] = methodValues[key] ?? null;
  // the database stores both an empty map and false as null
  if (Object.keys(methodValues['claims'] ?? {}).length === 0 && 'claims' in fields) fields['claims'] = null;
  if (!methodValues['trust_email'] && 'trust_email' in fields) fields['trust_email'] = null;
  const { secret } = methodKind(type);
  const place = secret && placeOf(methodValues, secret);
  if (place && methodValues[place.in]) {
    const { [place.key]: _, [`${place.key}_env`]: __, ...rest } = methodValues[place.in] as Fields;
    fields[place.in] = rest;
  }
  return { ...fields, ...defaultsInFile?.(methodValues) };
}

/** Extracts `config` from the fields of a method, for the operation that saves the method. */
export function configOf({ type: _, name: __, ...config }: Fields): Fields {
  // a missing value would leave the stored value unchanged
  if (config.shared_callback === null) config.shared_callback = false;
  return Object.fromEntries(
    Object.entries(config).filter(([, value]) => value !== null && value !== undefined),
  );
}
