// Changes the database to what the file says, all or nothing: one transaction under one lock. A dry run does the same
// and rolls back, so that it finds the same faults.

import { serviceHost } from '#lib/accounts/password-policy.ts';
import { recordEvent } from '#lib/audit/audit-log.ts';
import { hashPassword, verifyPassword } from '#lib/kit/password-hash.ts';
import { readTypedPassword } from '#lib/kit/typed-password.ts';
import { ensureManagementApi } from '#lib/management/core/built-in.ts';
import { Refused } from '#lib/management/core/refused.ts';
import { methodAsSaved } from '#lib/management/registry/methods.ts';
import { plainName } from '#lib/registry/fields/definition.ts';
import { methodKind } from '#lib/registry/methods/questions.ts';
import { hostOf } from '#lib/registry/objects/issuer-hosts.ts';
import { formerIssuerBase, sharedAddress } from '#lib/registry/objects/issuer-layouts.ts';
import { settings } from '#lib/settings/settings.ts';
import { loadRegistry, lockRegistry, markManaged, type RegistryRows } from '#lib/store/configuration.ts';
import { type Db, database, inTransaction } from '#lib/store/database/prisma.ts';
import { lockGroups } from '#lib/store/groups/groups.ts';
import { selectConfigPasswords } from '#lib/store/people/people.ts';
import { setApiUrlsAside, setFormerIssuersAside, setIssuerHostsAside } from '#lib/store/registry/apis.ts';
import { inOrder, methodInput, type Wanted, wantedOf } from './apply-change.ts';
import { drawLogos, type FileLogo, keepLogos, type ReadBeside } from './file/brands.ts';
import {
  ConfigurationFault,
  describeFault,
  type FileFault,
  readConfiguration,
  sortedOnce,
} from './file/file.ts';
import type { Environment, FileFinding } from './file/raw.ts';
import type { ConfigurationFile } from './file/schema.ts';
import { currentItems, desiredItems } from './items.ts';
import { type Item, type ItemType, type PlannedChange, plan } from './plan.ts';

export type ApplyOptions = {
  env: Environment;
  dryRun?: boolean;
  prune?: boolean;
  /** for pictures that the file names; left out: there is no file */
  readBeside?: ReadBeside;
  /** called with one line for each thing that is accepted and should be mended */
  onWarning?: (line: string) => void;
};

/** Rolls a dry run back. */
class TakenBack extends Error {
  readonly changes: PlannedChange[];
  constructor(changes: PlannedChange[]) {
    super('a dry run');
    this.changes = changes;
  }
}

/** The changes made (or, in a dry run, those it would make). Throws ConfigurationFault with every fault. */
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
  const stored = await selectConfigPasswords(read.file.users.map(({ values }) => values.email));
  const settled = await settlePasswords(items, secrets, stored);
  try {
    return await inTransaction(async (db: Db) => {
      const applied = await applyFile(db, read, settled, {
        secrets,
        stored,
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

/** Adds the methods that lack a secret in the file and in the database, so that one run names every missing secret. */
async function withMissingSecrets(
  { faults, readable }: { faults: FileFault[]; readable?: Read },
  env: Environment,
): Promise<FileFault[]> {
  if (!readable) return faults;
  const { items, secrets } = desiredItems(readable.file, env);
  const db = await database();
  const missing: FileFault[] = [];
  for (const [index, item] of items.filter(({ type }) => type === 'auth_method').entries()) {
    if (faults.some(({ path }) => path.startsWith(`auth_methods[${index}]`))) continue;
    const { id, type } = item;
    try {
      await methodAsSaved(db, methodInput(id, item.fields, secrets.get(`${type} ${id}`)));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      missing.push(...faultsOfRefusal({ type, id }, error, secrets, readable));
    }
  }
  return sortedOnce([...faults, ...missing]);
}

/** The file with the lines of its faults. */
type Read = { file: ConfigurationFile; placed: (finding: FileFinding) => FileFault };

/** Says where the file would name who approves a subscription that stops working. */
function withStop(change: PlannedChange, { file, placed }: Read): PlannedChange {
  if (!change.stopsBy) return change;
  const at = file.subscriptions.findIndex(({ clientId, api }) => `${clientId} ${api}` === change.id);
  const why = `stops working until it is approved, since ${change.stopsBy.join(', ')} changed`;
  const stops =
    at === -1
      ? {
          path: '',
          message: `${why}. This file does not name it: somebody decides in the console`,
          line: null,
        }
      : placed({
          path: ['subscriptions', at, 'approved_by'],
          message: `${why}. Name an approver here, or somebody decides in the console`,
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
  // again, for new local methods
  await ensureManagementApi(db);
  await markManaged(db, {
    groups: file.groups.map(({ id }) => id),
    methods: file.auth_methods.map((method) => method.id),
    apis: file.apis.map(({ values }) => values.id),
    clients: file.clients.map(({ values }) => values.clientId),
    emails,
    subscriptions: file.subscriptions.map((one) => [one.clientId, one.api]),
  });
  return changes;
}

async function carryOut(db: Db, changes: PlannedChange[], wanted: Wanted, read: Read): Promise<void> {
  // addresses are unique: of two APIs that swap theirs both make room first
  const moving = (field: string) =>
    changes
      .filter(({ type, kind, changed }) => type === 'api' && kind === 'change' && changed.includes(field))
      .map(({ id }) => id);
  await setApiUrlsAside(db, moving('url'));
  await setIssuerHostsAside(db, moving('issuer_hosts'));
  await setFormerIssuersAside(db, moving('former_issuers'));
  // before the first person, identity or member: a sign-in locks them in the same order
  if (changes.some(({ type }) => ['group', 'user', 'auth_method'].includes(type))) await lockGroups(db);
  const faults: FileFault[] = [];
  const refusedItems = new Set<string>();
  for (const { change, run } of inOrder(changes, wanted)) {
    // a step on a refused object would only repeat the fault
    if (namesOf(change).some((name) => refusedItems.has(name))) continue;
    try {
      await run();
    } catch (error) {
      if (error instanceof Refused) {
        refusedItems.add(`${change.type} ${change.id}`);
        faults.push(...faultsOfRefusal(change, error, wanted.secrets, read));
        // an error of the database may be a consequence of the refused step
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

/** The object of a change and the objects that it names, each as `type id`. */
function namesOf({ type, id, after }: PlannedChange): string[] {
  const { fields = {} } = after ?? {};
  const list = (value: unknown) => (Array.isArray(value) ? value : []);
  const named = (kind: ItemType, values: unknown[]) => values.map((value) => `${kind} ${String(value)}`);
  const others: Record<ItemType, string[]> = {
    auth_method: [],
    group: named(
      'auth_method',
      list(fields.from).map((rule: { auth_method?: string }) => rule.auth_method),
    ),
    api: [
      ...named('auth_method', list(fields.auth_methods)),
      ...named('group', list(fields.groups)),
      ...named(
        'group',
        list(fields.scopes).flatMap(({ groups }: { groups?: string[] }) => groups ?? []),
      ),
    ],
    client: [],
    subscription: [...named('client', [fields.client_id]), ...named('api', [fields.api])],
    user: named('group', list(fields.groups)),
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

/** Where the file has an object; -1: it does not name it. */
const INDEX_IN: Record<ItemType, (file: ConfigurationFile, id: string) => number> = {
  auth_method: (file, id) => file.auth_methods.findIndex((method) => method.id === id),
  group: (file, id) => file.groups.findIndex((group) => group.id === id),
  api: (file, id) => file.apis.findIndex(({ values }) => values.id === id),
  client: (file, id) => file.clients.findIndex(({ values }) => values.clientId === id),
  subscription: (file, id) =>
    file.subscriptions.findIndex(({ clientId, api }) => `${clientId} ${api}` === id),
  user: (file, id) => file.users.findIndex(({ values }) => values.email === id),
};

/** Faults that depend on the stored registry, such as a missing secret or the last administrator. */
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
    // the message begins with the field, and so does the path
    const own = typeof within.at(-1) === 'string' ? `${within.at(-1)} ` : '';
    const words = own !== '' && message.startsWith(own) ? message.slice(own.length) : message;
    const hint = secrets.has(`${type} ${id}`) ? '' : secretHint(file, type, index, words);
    return placed({ path: [SECTIONS[type], index, ...within], message: `${words}${hint}` });
  });
}

/** Names the keys that give a missing secret of a method. */
function secretHint(file: ConfigurationFile, type: ItemType, index: number, message: string): string {
  const method = type === 'auth_method' ? file.auth_methods[index] : undefined;
  const secret = method && methodKind(method.type).secret;
  if (!secret || !/secret|private key/.test(message)) return '';
  const given: Readonly<Record<string, unknown>> = method;
  const { key } = secret.signing && given[secret.signing.in] ? secret.signing : secret;
  return `: set ${key} or ${key}_env`;
}

type Hashes = ReadonlyMap<string, string | null>;

/**
 * The fingerprint of a password is its argon2id hash, and what apply stores: `stored`, the hash of what the file gave
 * last, where that is the same password, or a new one. Done before the lock is taken, since it takes long, and again
 * under it for people that another apply has changed since: `compared` are the hashes of the first time.
 */
async function settlePasswords(
  items: Item[],
  secrets: ReadonlyMap<string, string>,
  stored: Hashes,
  compared?: Hashes,
): Promise<Item[]> {
  const settled: Item[] = [];
  for (const item of items) {
    const given = item.type === 'user' ? secrets.get(`user ${item.id}`) : undefined;
    // a longer one is a fault of the file
    const plain = given === undefined ? undefined : (readTypedPassword(given) ?? undefined);
    const last = stored.get(item.id) ?? null;
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

/** Urls, hosts of issuers and ids of the file that objects outside of the file have. */
function collisionsOf(file: ConfigurationFile, registry: RegistryRows, prune: boolean): FileFinding[] {
  const findings: FileFinding[] = [];
  const stays = <Row extends { managed: boolean }>(rows: Row[], named: (row: Row) => boolean) =>
    rows.filter((row) => !named(row) && !(prune && row.managed));
  const apis = stays(registry.apis, (row) => file.apis.some(({ values }) => values.id === row.id));
  const clients = stays(registry.clients, (row) =>
    file.clients.some(({ values }) => values.clientId === row.clientId),
  );
  const found = (path: FileFinding['path'], message: string) => findings.push({ path, message });
  for (const [index, { values }] of file.apis.entries()) {
    const holder = apis.find((row) => row.url === values.url);
    if (holder) found(['apis', index, 'url'], `the API ${holder.id} has this URL already`);
    for (const [method, origin] of Object.entries(values.issuerHosts ?? {})) {
      const has = apis.find((row) =>
        Object.values(row.issuerHosts ?? {}).some((one) => hostOf(one) === hostOf(origin)),
      );
      if (has) found(['apis', index, 'issuer_hosts', method], `the API ${has.id} has this host already`);
    }
    for (const [at, former] of (values.formerIssuers ?? []).entries()) {
      const path = ['apis', index, 'former_issuers', at, 'issuer'];
      for (const row of apis)
        for (const one of row.formerIssuers ?? []) {
          const shared = sharedAddress(former, one);
          if (formerIssuerBase(one.issuer) === formerIssuerBase(former.issuer))
            found(path, `the API ${row.id} has this former issuer already`);
          else if (shared !== null)
            found(path, `${one.issuer} of the API ${row.id} is answered at ${shared} too`);
        }
    }
    if (clients.some((row) => row.clientId === values.id))
      found(['apis', index, 'id'], 'is the id of a client already');
  }
  for (const [index, { values }] of file.clients.entries()) {
    if (apis.some((row) => row.id === values.clientId))
      found(['clients', index, 'client_id'], 'is the id of an API already');
  }
  return findings;
}
