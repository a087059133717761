// Changes the database to match the file, atomically: in one transaction, under one lock. A dry run executes the same
// steps, finds the same faults, and is then rolled back.
import { serviceHost } from '#lib/accounts/password-policy.ts';
import { recordEvent } from '#lib/audit/audit-log.ts';
import type { ApiValues } from '#lib/catalogue/apis/definition.ts';
import { changeApi, createApi, deleteApi } from '#lib/catalogue/apis/operations.ts';
import { setApiUrlsAside, setFormerIssuersAside, setIssuerHostsAside } from '#lib/catalogue/apis/rows.ts';
import type { ClientValues } from '#lib/catalogue/clients/definition.ts';
import {
  changeClient,
  createClient,
  deleteClient,
  disableClient,
  enableClient,
} from '#lib/catalogue/clients/operations.ts';
import type { ConfiguredSecret } from '#lib/catalogue/clients/rows.ts';
import type { GroupValues } from '#lib/catalogue/groups/definition.ts';
import { changeGroup, createGroup, deleteGroup, setPersonGroups } from '#lib/catalogue/groups/operations.ts';
import { lockGroups } from '#lib/catalogue/groups/rows.ts';
import type { AuthMethodType } from '#lib/catalogue/methods/kinds.ts';
import {
  changeAuthMethod,
  createAuthMethod,
  deleteAuthMethod,
  methodAsSaved,
} from '#lib/catalogue/methods/operations.ts';
import { methodCan, methodKind } from '#lib/catalogue/methods/questions.ts';
import type { Role } from '#lib/catalogue/people/definition.ts';
import {
  changePerson,
  createPerson,
  deletePerson,
  disablePerson,
  enablePerson,
  grantRole,
  revokeRole,
  setPassword,
} from '#lib/catalogue/people/operations.ts';
import { selectConfigPasswords } from '#lib/catalogue/people/rows.ts';
import {
  type Powers,
  type SubscriptionState,
  termsOfColumns,
} from '#lib/catalogue/subscriptions/definition.ts';
import { settleSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { hashPassword, verifyPassword } from '#lib/kit/password-hash.ts';
import { readTypedPassword } from '#lib/kit/typed-password.ts';
import { ensureManagementApi } from '#lib/management/built-in.ts';
import { CONFIGURATION } from '#lib/management/policy.ts';
import { Refused } from '#lib/management/refused.ts';
import { plainName } from '#lib/registry/definition.ts';
import { formerIssuerBase, hostOf, sharedAddress } from '#lib/registry/issuers.ts';
import { settings } from '#lib/settings/settings.ts';
import { loadRegistry, lockRegistry, markManaged, type RegistryRows } from '#lib/store/configuration.ts';
import { type Db, database, inTransaction } from '#lib/store/prisma.ts';
import { drawLogos, type FileLogo, keepLogos, type ReadBeside } from './brands.ts';
import type { Environment, FileFinding } from './checks.ts';
import { ConfigurationFault, describeFault, type FileFault, readConfiguration, sortedOnce } from './file.ts';
import {
  configOf,
  currentItems,
  desiredItems,
  type Fields,
  type Item,
  type ItemType,
  type PlannedChange,
  plan,
} from './plan.ts';
import type { ConfigurationFile } from './schema.ts';

// Executes planned changes with operations of lib/management, inside the transaction of `apply`.

type Wanted = {
  groups: ReadonlyMap<string, GroupValues>;
  apis: ReadonlyMap<string, ApiValues>;
  clients: ReadonlyMap<string, ClientValues>;
  /** secrets in plain text, keyed by `type id` */
  secrets: ReadonlyMap<string, string>;
};

const wantedOf = (file: ConfigurationFile, secrets: ReadonlyMap<string, string>): Wanted => ({
  groups: new Map(file.groups.map((group) => [group.id, group])),
  apis: new Map(file.apis.map(({ values }) => [values.id, values])),
  clients: new Map(file.clients.map(({ values }) => [values.clientId, values])),
  secrets,
});

type PlannedStep = { change: PlannedChange; run: () => Promise<void> };

/**
 * Orders the steps. First: removals that free names and addresses. Second: creations and changes. Last: steps that
 * are rejected if no other object of the kind exists at that time. These steps are type changes of local methods, then
 * removals of roles, people and methods.
 */
function inOrder(changes: readonly PlannedChange[], wanted: Wanted): PlannedStep[] {
  const step = (change: PlannedChange): PlannedStep => ({ change, run: () => applyChange(change, wanted) });
  // true for changes that must run last: groups are removed after the APIs that refer to them were changed
  const isLast = ({ type }: PlannedChange) => ['user', 'auth_method', 'group'].includes(type);
  const wasLocal = ({ type, before }: PlannedChange) =>
    type === 'auth_method' && methodCan({ type: String(before?.fields.type) }, 'hasAccounts');
  const removals = changes.filter(({ kind }) => kind === 'remove');
  const others = changes.filter(({ kind }) => kind !== 'remove');
  const people = others.filter(({ type }) => type === 'user');
  return [
    ...removals.filter((change) => !isLast(change)).map(step),
    ...others.filter((change) => !wasLocal(change)).map(step),
    ...others.filter(wasLocal).map(step),
    ...people.map((change): PlannedStep => ({ change, run: () => takeRights(change) })),
    ...removals.filter(isLast).map(step),
  ];
}

async function applyChange(change: PlannedChange, wanted: Wanted): Promise<void> {
  // returns nothing for an unchanged secret
  const secret = (key: string) =>
    change.changed.includes(key) ? wanted.secrets.get(`${change.type} ${change.id}`) : undefined;
  switch (change.type) {
    case 'auth_method':
      return applyMethod(change, secret);
    case 'group':
      return applyGroup(change, wanted.groups.get(change.id));
    case 'api':
      return applyApi(change, wanted.apis.get(change.id), secret('introspection_secret'));
    case 'client':
      return applyClient(change, wanted.clients.get(change.id), configuredSecret(secret));
    case 'user':
      return applyPerson(change, secret('password'));
    case 'subscription':
      return applySubscription(change);
  }
}

async function applyMethod(
  { kind, id, after }: PlannedChange,
  secretOf: (key: string) => string | undefined,
): Promise<void> {
  if (after === null) return deleteAuthMethod(CONFIGURATION, { id });
  const { secret } = methodKind(after.fields.type as AuthMethodType);
  const method = methodInput(id, after.fields, secret === null ? undefined : secretOf(secret.key));
  if (kind === 'create') await createAuthMethod(CONFIGURATION, method);
  else await changeAuthMethod(CONFIGURATION, method);
}

/** Converts a method's fields to the operation's input. */
function methodInput(id: string, fields: Fields, secret: string | undefined) {
  const { type, name } = fields as { type: AuthMethodType; name: string };
  return { id, type, name, config: configOf(fields), secret };
}

async function applyGroup({ kind, id }: PlannedChange, group: GroupValues | undefined): Promise<void> {
  if (!group) return deleteGroup(CONFIGURATION, { id });
  if (kind === 'create') await createGroup(CONFIGURATION, group);
  else await changeGroup(CONFIGURATION, group);
}

async function applyApi(
  { kind, id, before }: PlannedChange,
  api: ApiValues | undefined,
  secret?: string,
): Promise<void> {
  if (!api) return deleteApi(CONFIGURATION, { id });
  if (kind === 'create') await createApi(CONFIGURATION, api, { introspectionSecret: secret });
  else
    await changeApi(CONFIGURATION, api, {
      introspectionSecret: secret,
      before: {
        url: String(before?.fields.url),
        issuerHosts: hostsOf(before),
        formerIssuers: formersOf(before),
      },
    });
}

const formersOf = (item: PlannedChange['before']) =>
  (item?.fields.former_issuers ?? null) as ApiValues['formerIssuers'];

const hostsOf = (item: PlannedChange['before']) =>
  (item?.fields.issuer_hosts ?? null) as ApiValues['issuerHosts'];

function configuredSecret(secretOf: (key: string) => string | undefined): ConfiguredSecret | undefined {
  const [plain, kept] = [secretOf('client_secret'), secretOf('client_secret_hash')];
  if (kept !== undefined) return { kept };
  return plain === undefined ? undefined : { plain };
}

async function applyClient(
  { kind, id: clientId, after }: PlannedChange,
  client: ClientValues | undefined,
  secret: ConfiguredSecret | undefined,
): Promise<void> {
  if (!client) return deleteClient(CONFIGURATION, { clientId });
  if (kind === 'create') await createClient(CONFIGURATION, client, secret);
  else await changeClient(CONFIGURATION, client, secret);
  const disabled = after?.fields.disabled;
  if (disabled === true) await disableClient(CONFIGURATION, { clientId });
  if (disabled === false) await enableClient(CONFIGURATION, { clientId });
}

async function applyPerson(
  { kind, id: email, changed, before, after }: PlannedChange,
  password?: string,
): Promise<void> {
  if (after === null) return deletePerson(CONFIGURATION, { email });
  const { name, roles, disabled } = after.fields as { name?: string; roles: Role[]; disabled?: boolean };
  const hash = after.secrets.password;
  if (kind === 'create') {
    await createPerson(CONFIGURATION, { email, name, roles: disabled ? [] : roles, password }, hash);
    if (disabled) {
      await disablePerson(CONFIGURATION, { email });
      for (const role of roles) await grantRole(CONFIGURATION, { email, role });
    }
  } else {
    const had = (before?.fields.roles ?? []) as Role[];
    if (changed.includes('name') && name !== undefined)
      await changePerson(CONFIGURATION, { id: email, name });
    for (const role of roles.filter((roleName) => !had.includes(roleName)))
      await grantRole(CONFIGURATION, { email, role });
    if (password !== undefined) await setPassword(CONFIGURATION, { email, password }, hash);
  }
  if (changed.includes('groups')) {
    const groups = after.fields.groups as string[];
    await setPersonGroups(CONFIGURATION, { id: email, groups });
  }
  if (changed.includes('email_verified'))
    await changePerson(CONFIGURATION, { id: email, emailVerified: true });
  if (disabled === false) await enablePerson(CONFIGURATION, { email });
}

/**
 * Revokes roles of a user, and disables the user if necessary. It runs after all roles were granted, because the new
 * administrator must exist before the old one is removed.
 */
async function takeRights({ id: email, before, after }: PlannedChange): Promise<void> {
  const { roles, disabled } = (after?.fields ?? {}) as { roles: Role[]; disabled?: boolean };
  const had = (before?.fields.roles ?? []) as Role[];
  for (const role of had.filter((name) => !roles.includes(name)))
    await revokeRole(CONFIGURATION, { email, role });
  if (disabled === true) await disablePerson(CONFIGURATION, { email });
}

async function applySubscription({ before, after }: PlannedChange): Promise<void> {
  const item = after ?? before;
  if (!item) return;
  const {
    client_id: clientId,
    api,
    ...settled
  } = item.fields as {
    client_id: string;
    api: string;
    state: SubscriptionState;
    scopes: string[];
  } & Powers;
  const approvedBy = after?.approvedBy ?? null;
  await settleSubscription(
    CONFIGURATION,
    { clientId, api },
    after === null ? null : { ...settled, ...termsOfColumns(item.fields), approvedBy },
    (before?.fields.state ?? null) as SubscriptionState | null,
  );
}

type ApplyOptions = {
  env: Environment;
  dryRun?: boolean;
  prune?: boolean;
  /** reads the pictures that the file names; missing if the source is not a file */
  readBeside?: ReadBeside;
  /** called once for each setting that is accepted but questionable */
  onWarning?: (line: string) => void;
};

/** Thrown to roll a dry run back. */
class TakenBack extends Error {
  readonly changes: PlannedChange[];
  constructor(changes: PlannedChange[]) {
    super('a dry run');
    this.changes = changes;
  }
}

/**
 * Returns the changes. A dry run returns the changes that it would make. Throws ConfigurationFault with every fault.
 */
export async function applyConfiguration(source: string, options: ApplyOptions): Promise<PlannedChange[]> {
  const read = readConfiguration(source, options.env, {
    host: serviceHost(),
    readBeside: options.readBeside ?? null,
    leastPassword: settings().passwordMinLength,
  });
  if ('faults' in read) throw new ConfigurationFault(await withMissingSecrets(read, options.env));
  for (const warning of read.warnings) options.onWarning?.(describeFault(warning));
  const { pictures, findings } = await drawLogos(read.file);
  if (findings.length > 0) throw new ConfigurationFault(findings.map(read.placed));
  const { items, secrets } = desiredItems(read.file, options.env);
  const configPasswords = await selectConfigPasswords(read.file.users.map(({ values }) => values.email));
  const settled = await settlePasswords(items, secrets, configPasswords);
  try {
    return await inTransaction(async (db: Db) => {
      const applied = await applyFile(db, read, settled, {
        secrets,
        stored: configPasswords,
        pictures,
        prune: options.prune === true,
      });
      const changes = applied.map((change) => withStop(change, read));
      if (options.dryRun) throw new TakenBack(changes);
      return changes;
    });
  } catch (error) {
    if (error instanceof TakenBack) return error.changes;
    throw error;
  }
}

/**
 * Adds a fault for each method whose secret is missing in both the file and the database, so that one run reports all
 * of them.
 */
async function withMissingSecrets(
  { faults, readable }: { faults: FileFault[]; readable?: Read },
  env: Environment,
): Promise<FileFault[]> {
  if (!readable) return faults;
  const { items, secrets } = desiredItems(readable.file, env);
  const missing: FileFault[] = [];
  for (const [index, item] of items.filter(({ type }) => type === 'auth_method').entries()) {
    if (faults.some(({ path }) => path.startsWith(`auth_methods[${index}]`))) continue;
    const { id, type } = item;
    try {
      await methodAsSaved(database(), methodInput(id, item.fields, secrets.get(`${type} ${id}`)));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      missing.push(...faultsOfRefusal({ type, id }, error, secrets, readable));
    }
  }
  return sortedOnce([...faults, ...missing]);
}

/** The parsed file, and a function that adds line numbers to faults. */
type Read = { file: ConfigurationFile; placed: (finding: FileFinding) => FileFault };

/** Adds the `approved_by` key that would keep the approval. */
function withStop(change: PlannedChange, { file, placed }: Read): PlannedChange {
  if (!change.stopsBy) return change;
  const at = file.subscriptions.findIndex(({ clientId, api }) => `${clientId} ${api}` === change.id);
  const why = `stops working until it is approved, because ${change.stopsBy.join(', ')} changed`;
  const stops =
    at === -1
      ? {
          path: '',
          message: `${why}. It is not in this file: an approver decides in the console`,
          line: null,
        }
      : placed({
          path: ['subscriptions', at, 'approved_by'],
          message: `${why}. Set approved_by, or an approver decides in the console`,
        });
  return { ...change, stops };
}

type Given = {
  secrets: ReadonlyMap<string, string>;
  stored: Hashes;
  pictures: readonly FileLogo[];
  prune: boolean;
};

async function applyFile(
  db: Db,
  read: Read,
  settled: Item[],
  { secrets, stored, pictures, prune }: Given,
): Promise<PlannedChange[]> {
  const { file } = read;
  const emails = file.users.map(({ values }) => values.email);
  await lockRegistry(db);
  const registry = await loadRegistry(db, emails);
  await keepLogos(db, pictures);
  const collisions = collisionsOf(file, registry, prune);
  if (collisions.length > 0) throw new ConfigurationFault(collisions.map(read.placed));
  const now = new Map(registry.people.map(({ email, configPassword }) => [email, configPassword]));
  const items = await settlePasswords(settled, secrets, now, stored);
  const changes = plan(currentItems(registry), items, { prune });
  await ensureManagementApi(db);
  await carryOut(db, changes, wantedOf(file, secrets), read);
  // called a second time, for local methods that the file has added
  await ensureManagementApi(db);
  await markManaged(db, {
    groups: file.groups.map(({ id }) => id),
    methods: file.auth_methods.map((method) => method.id),
    apis: file.apis.map(({ values }) => values.id),
    clients: file.clients.map(({ values }) => values.clientId),
    emails,
    subscriptions: file.subscriptions.map((subscription) => [subscription.clientId, subscription.api]),
  });
  return changes;
}

async function carryOut(db: Db, changes: PlannedChange[], wanted: Wanted, read: Read): Promise<void> {
  // addresses are unique: if two APIs swap addresses, both must first release their old address
  const moving = (field: string) =>
    changes
      .filter(({ type, kind, changed }) => type === 'api' && kind === 'change' && changed.includes(field))
      .map(({ id }) => id);
  await setApiUrlsAside(db, moving('url'));
  await setIssuerHostsAside(db, moving('issuer_hosts'));
  await setFormerIssuersAside(db, moving('former_issuers'));
  // lock order as in a sign-in: groups first, then people, identities, members
  if (changes.some(({ type }) => ['group', 'user', 'auth_method'].includes(type))) await lockGroups(db);
  const faults: FileFault[] = [];
  const refusedItems = new Set<string>();
  for (const { change, run } of inOrder(changes, wanted)) {
    // further steps would repeat the fault of an object that was rejected
    if (namesOf(change).some((name) => refusedItems.has(name))) continue;
    try {
      await run();
    } catch (error) {
      if (error instanceof Refused) {
        refusedItems.add(`${change.type} ${change.id}`);
        faults.push(...faultsOfRefusal(change, error, wanted.secrets, read));
        // an error of the database may result from a step that was rejected
      } else if (faults.length === 0) throw error;
      else break;
    }
  }
  if (faults.length > 0) throw new ConfigurationFault(faults);
  if (changes.length === 0) return;
  const count = (kind: PlannedChange['kind']) => changes.filter((change) => change.kind === kind).length;
  const details = { created: count('create'), changed: count('change'), removed: count('remove') };
  await recordEvent({ event: 'config.applied', actor: 'config', details }, db);
}

/** The changed object and the objects that it refers to, each as `type id`. */
function namesOf({ type, id, after }: PlannedChange): string[] {
  const { fields = {} } = after ?? {};
  const list = (value: unknown) => (Array.isArray(value) ? value : []);
  const nameValues = (kind: ItemType, values: unknown[]) => values.map((value) => `${kind} ${String(value)}`);
  const others: Record<ItemType, string[]> = {
    auth_method: [],
    group: nameValues(
      'auth_method',
      list(fields.from).map((rule: { auth_method?: string }) => rule.auth_method),
    ),
    api: [
      ...nameValues('auth_method', list(fields.auth_methods)),
      ...nameValues('group', list(fields.groups)),
      ...nameValues(
        'group',
        list(fields.scopes).flatMap(({ groups }: { groups?: string[] }) => groups ?? []),
      ),
    ],
    client: [],
    subscription: [...nameValues('client', [fields.client_id]), ...nameValues('api', [fields.api])],
    user: nameValues('group', list(fields.groups)),
  };
  return [`${type} ${id}`, ...others[type]];
}

const SECTIONS = {
  auth_method: 'auth_methods',
  group: 'groups',
  api: 'apis',
  client: 'clients',
  subscription: 'subscriptions',
  user: 'users',
} as const satisfies Record<ItemType, keyof ConfigurationFile>;

/** Index of the object in the file; -1: the file does not contain it. */
const INDEX_IN: Record<ItemType, (file: ConfigurationFile, id: string) => number> = {
  auth_method: (file, id) => file.auth_methods.findIndex((method) => method.id === id),
  group: (file, id) => file.groups.findIndex((group) => group.id === id),
  api: (file, id) => file.apis.findIndex(({ values }) => values.id === id),
  client: (file, id) => file.clients.findIndex(({ values }) => values.clientId === id),
  subscription: (file, id) =>
    file.subscriptions.findIndex(({ clientId, api }) => `${clientId} ${api}` === id),
  user: (file, id) => file.users.findIndex(({ values }) => values.email === id),
};

/** Faults that depend on the stored registry, such as a missing secret, or removal of the last administrator. */
function faultsOfRefusal(
  { type, id }: Pick<PlannedChange, 'type' | 'id'>,
  refused: Refused,
  secrets: ReadonlyMap<string, string>,
  { file, placed }: Read,
): FileFault[] {
  const index = INDEX_IN[type](file, id);
  if (index === -1) return [{ path: `${SECTIONS[type]}: ${id}`, message: refused.message, line: null }];
  const faults = refused.faults.length > 0 ? refused.faults : [{ field: '', message: refused.message }];
  return faults.map(({ field, message }) => {
    const parts = field.replace(/^config\./, '').split('.');
    const within =
      field === '' ? [] : parts.map((part) => (/^\d+$/.test(part) ? Number(part) : plainName(part)));
    // both the message and the path start with the name of the field
    const fieldPrefix = typeof within.at(-1) === 'string' ? `${within.at(-1)} ` : '';
    const words =
      fieldPrefix !== '' && message.startsWith(fieldPrefix) ? message.slice(fieldPrefix.length) : message;
    const hint = secrets.has(`${type} ${id}`) ? '' : secretHint(file, type, index, words);
    return placed({ path: [SECTIONS[type], index, ...within], message: `${words}${hint}` });
  });
}

/** Names the keys that can set a missing secret of a method. */
function secretHint(file: ConfigurationFile, type: ItemType, index: number, message: string): string {
  const method = type === 'auth_method' ? file.auth_methods[index] : undefined;
  const secret = method && methodKind(method.type).secret;
  if (!secret || !/secret|private key/.test(message)) return '';
  const methodFields: Readonly<Record<string, unknown>> = method;
  const { key } = secret.signing && methodFields[secret.signing.in] ? secret.signing : secret;
  return `: set ${key} or ${key}_env`;
}

type Hashes = ReadonlyMap<string, string | null>;

/**
 * A password's fingerprint is the argon2id hash that apply stores: the `stored` hash if the password is unchanged,
 * otherwise a new hash. Hashing is slow, so it runs before the lock. It is repeated under the lock for people whom
 * another `apply` has changed since. `compared`: the hashes of the first run.
 */
async function settlePasswords(
  items: Item[],
  secrets: ReadonlyMap<string, string>,
  hashes: Hashes,
  compared?: Hashes,
): Promise<Item[]> {
  const settled: Item[] = [];
  for (const item of items) {
    const filePassword = item.type === 'user' ? secrets.get(`user ${item.id}`) : undefined;
    // the reader of the file reports passwords that are too long
    const plain = filePassword === undefined ? undefined : (readTypedPassword(filePassword) ?? undefined);
    const last = hashes.get(item.id) ?? null;
    if (plain === undefined || (compared && (compared.get(item.id) ?? null) === last)) {
      settled.push(item);
      continue;
    }
    const same = last !== null && (await verifyPassword(last, plain));
    const fresh = async () => (compared && item.secrets.password) || hashPassword(plain);
    settled.push({ ...item, secrets: { password: same ? last : await fresh() } });
  }
  return settled;
}

/** Finds urls, issuer hosts and ids in the file that are already used by objects outside the file. */
function collisionsOf(file: ConfigurationFile, registry: RegistryRows, prune: boolean): FileFinding[] {
  const findings: FileFinding[] = [];
  const stays = <Row extends { managed: boolean }>(rows: Row[], named: (row: Row) => boolean) =>
    rows.filter((row) => !named(row) && !(prune && row.managed));
  const apis = stays(registry.apis, (row) => file.apis.some(({ values }) => values.id === row.id));
  const clients = stays(registry.clients, (row) =>
    file.clients.some(({ values }) => values.clientId === row.clientId),
  );
  const addFinding = (path: FileFinding['path'], message: string) => findings.push({ path, message });
  for (const [index, { values }] of file.apis.entries()) {
    const holder = apis.find((row) => row.url === values.url);
    if (holder) addFinding(['apis', index, 'url'], `the API ${holder.id} already has this URL`);
    for (const [method, origin] of Object.entries(values.issuerHosts ?? {})) {
      const has = apis.find((row) =>
        Object.values(row.issuerHosts ?? {}).some((issuerHost) => hostOf(issuerHost) === hostOf(origin)),
      );
      if (has) addFinding(['apis', index, 'issuer_hosts', method], `the API ${has.id} already has this host`);
    }
    for (const [at, former] of (values.formerIssuers ?? []).entries()) {
      const path = ['apis', index, 'former_issuers', at, 'issuer'];
      for (const row of apis)
        for (const formerIssuer of row.formerIssuers ?? []) {
          const shared = sharedAddress(former, formerIssuer);
          if (formerIssuerBase(formerIssuer.issuer) === formerIssuerBase(former.issuer))
            addFinding(path, `the API ${row.id} already has this former issuer`);
          else if (shared !== null)
            addFinding(path, `${formerIssuer.issuer} of the API ${row.id} is answered at ${shared} too`);
        }
    }
    if (clients.some((row) => row.clientId === values.id))
      addFinding(['apis', index, 'id'], 'is already the id of a client');
  }
  for (const [index, { values }] of file.clients.entries()) {
    if (apis.some((row) => row.id === values.clientId))
      addFinding(['clients', index, 'client_id'], 'is already the id of an API');
  }
  return findings;
}
