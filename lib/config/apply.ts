// Brings the database to the file, all or nothing: one transaction under one lock, each change with its audit event.
import { record } from '#lib/audit/index.ts';
import { hashPassword, verifyPassword } from '#lib/kit/index.ts';
import { ensureManagementApi, serviceHost } from '#lib/management/index.ts';
import {
  adopt,
  type Db,
  inTransaction,
  loadRegistry,
  lockRegistry,
  type Registry,
  setApiUrlsAside,
} from '#lib/store/index.ts';
import { applyChange } from './apply-change.ts';
import type { Environment } from './cross-checks.ts';
import { ConfigurationFault, type Fault, readConfiguration } from './file.ts';
import { currentItems, desiredItems } from './items.ts';
import { type Change, type Item, plan } from './plan.ts';
import type { ConfigurationFile } from './schema.ts';

export type ApplyOptions = { env: Environment; dryRun?: boolean; prune?: boolean };

/** The changes made (or, in a dry run, those it would make). Throws ConfigurationFault with every fault. */
export async function applyConfiguration(source: string, options: ApplyOptions): Promise<Change[]> {
  const read = readConfiguration(source, options.env, serviceHost());
  if ('faults' in read) throw new ConfigurationFault(read.faults);
  const { items, values } = desiredItems(read.file, options.env);
  const emails = read.file.users.map((user) => user.email);
  return inTransaction(async (db: Db) => {
    await lockRegistry(db);
    const registry = await loadRegistry(db, emails);
    refuseCollisions(read.file, registry, options.prune === true);
    await settlePasswords(items, registry, values);
    const changes = plan(currentItems(registry), items, { prune: options.prune === true });
    if (options.dryRun) return changes;
    await ensureManagementApi(db);
    await applyAll(db, changes, values);
    // again: there may be a local method more
    await ensureManagementApi(db);
    await adopt(db, {
      methods: read.file.auth_methods.map((method) => method.id),
      apis: read.file.apis.map((api) => api.id),
      clients: read.file.clients.map((client) => client.client_id),
      emails,
      subscriptions: read.file.subscriptions.map((one) => [one.client_id, one.api]),
    });
    return changes;
  });
}

async function applyAll(db: Db, changes: Change[], values: Map<string, string>): Promise<void> {
  const moving = changes.filter((change) => change.type === 'api' && change.kind === 'change');
  await setApiUrlsAside(
    db,
    moving.filter((change) => change.changed.includes('url')).map((change) => change.id),
  );
  // What goes makes room first: its address may be wanted by what comes.
  for (const change of changes.filter((one) => one.kind === 'remove')) await applyChange(db, change, values);
  for (const change of changes.filter((one) => one.kind !== 'remove')) await applyChange(db, change, values);
  if (changes.length === 0) return;
  const count = (kind: Change['kind']) => changes.filter((change) => change.kind === kind).length;
  const details = { created: count('create'), changed: count('change'), removed: count('remove') };
  await record({ event: 'config.applied', actor: 'config', details }, db);
}

/**
 * A password's fingerprint is its argon2id hash, so equality is asked of argon2: the same password as the file gave
 * last keeps the stored fingerprint, another one gets a fresh hash, which is then what is stored.
 */
async function settlePasswords(
  items: Item[],
  registry: Registry,
  values: Map<string, string>,
): Promise<void> {
  const stored = new Map(registry.people.map((person) => [person.email, person.config_password]));
  for (const item of items) {
    const password = values.get(`user ${item.id}`);
    if (item.type !== 'user' || password === undefined) continue;
    const last = stored.get(item.id) ?? null;
    const same = last !== null && (await verifyPassword(last, password));
    item.secrets = { password: same ? last : await hashPassword(password) };
  }
}

/** What the file asks for and something that is not in the file already has. */
function refuseCollisions(file: ConfigurationFile, registry: Registry, prune: boolean): void {
  const faults: Fault[] = [];
  const stays = <Row extends { managed: boolean }>(rows: Row[], named: (row: Row) => boolean) =>
    rows.filter((row) => !named(row) && !(prune && row.managed));
  const apis = stays(registry.apis, (row) => file.apis.some((api) => api.id === row.id));
  const clients = stays(registry.clients, (row) =>
    file.clients.some((client) => client.client_id === row.client_id),
  );
  for (const [index, api] of file.apis.entries()) {
    const holder = apis.find((row) => row.url === api.url);
    if (holder)
      faults.push({
        path: `apis[${index}].url`,
        message: `the API ${holder.id} has this URL already`,
        line: null,
      });
    if (clients.some((row) => row.client_id === api.id)) {
      faults.push({ path: `apis[${index}].id`, message: 'is the id of a client already', line: null });
    }
  }
  for (const [index, client] of file.clients.entries()) {
    if (!apis.some((row) => row.id === client.client_id)) continue;
    faults.push({ path: `clients[${index}].client_id`, message: 'is the id of an API already', line: null });
  }
  if (faults.length > 0) throw new ConfigurationFault(faults);
}
