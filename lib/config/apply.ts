// Brings the database to the file, all or nothing: one transaction under one lock, each change by its operation. A dry run
// does the same and takes it back, so that it is refused what the run itself would be.
import { recordEvent } from '#lib/audit/index.ts';
import { verifyPassword } from '#lib/kit/index.ts';
import { ensureManagementApi, Refused, serviceHost } from '#lib/management/index.ts';
import {
  type Db,
  inTransaction,
  loadRegistry,
  lockRegistry,
  markManaged,
  type RegistryRows,
  setApiUrlsAside,
} from '#lib/store/index.ts';
import { inOrder, type Wanted, wantedOf } from './apply-change.ts';
import type { Environment } from './cross-checks.ts';
import { ConfigurationFault, type FileFault, readConfiguration } from './file.ts';
import { currentItems, desiredItems } from './items.ts';
import { type Item, type ItemType, type PlannedChange, plan } from './plan.ts';
import type { ConfigurationFile } from './schema.ts';

export type ApplyOptions = { env: Environment; dryRun?: boolean; prune?: boolean };

/** Takes a dry run back. */
class TakenBack extends Error {
  readonly changes: PlannedChange[];
  constructor(changes: PlannedChange[]) {
    super('a dry run');
    this.changes = changes;
  }
}

/** The changes made (or, in a dry run, those it would make). Throws ConfigurationFault with every fault. */
export async function applyConfiguration(source: string, options: ApplyOptions): Promise<PlannedChange[]> {
  const read = readConfiguration(source, options.env, serviceHost());
  if ('faults' in read) throw new ConfigurationFault(read.faults);
  try {
    return await inTransaction(async (db: Db) => {
      const changes = await applyFile(db, read.file, options);
      if (options.dryRun) throw new TakenBack(changes);
      return changes;
    });
  } catch (error) {
    if (error instanceof TakenBack) return error.changes;
    throw error;
  }
}

async function applyFile(
  db: Db,
  file: ConfigurationFile,
  { env, prune = false }: ApplyOptions,
): Promise<PlannedChange[]> {
  const { items, secrets } = desiredItems(file, env);
  const emails = file.users.map(({ values }) => values.email);
  await lockRegistry(db);
  const registry = await loadRegistry(db, emails);
  refuseCollisions(file, registry, prune);
  await settlePasswords(items, registry, secrets);
  const changes = plan(currentItems(registry), items, { prune });
  await ensureManagementApi(db);
  await carryOut(db, changes, wantedOf(file, secrets));
  // again: there may be a local method more
  await ensureManagementApi(db);
  await markManaged(db, {
    methods: file.auth_methods.map((method) => method.id),
    apis: file.apis.map(({ values }) => values.id),
    clients: file.clients.map(({ values }) => values.clientId),
    emails,
    subscriptions: file.subscriptions.map((one) => [one.clientId, one.api]),
  });
  return changes;
}

async function carryOut(db: Db, changes: PlannedChange[], wanted: Wanted): Promise<void> {
  const moving = changes.filter(
    ({ type, kind, changed }) => type === 'api' && kind === 'change' && changed.includes('url'),
  );
  // addresses are unique: of two APIs that swap theirs both make room first
  await setApiUrlsAside(
    db,
    moving.map(({ id }) => id),
  );
  for (const [change, step] of inOrder(changes, wanted)) {
    await step().catch((error: unknown) => {
      throw error instanceof Refused ? faultOf(change, error) : error;
    });
  }
  if (changes.length === 0) return;
  const count = (kind: PlannedChange['kind']) => changes.filter((change) => change.kind === kind).length;
  const details = { created: count('create'), changed: count('change'), removed: count('remove') };
  await recordEvent({ event: 'config.applied', actor: 'config', details }, db);
}

const SECTIONS: Record<ItemType, string> = {
  auth_method: 'auth_methods',
  api: 'apis',
  client: 'clients',
  subscription: 'subscriptions',
  user: 'users',
};

/** A rule that only the registry as it is can break, such as that somebody must stay an administrator. */
function faultOf({ type, id }: PlannedChange, refused: Refused): ConfigurationFault {
  return new ConfigurationFault([{ path: `${SECTIONS[type]}: ${id}`, message: refused.message, line: null }]);
}

/**
 * The fingerprint of a password is its argon2id hash, so argon2 compares: the password that the file gave last keeps it,
 * another one gets one that is never equal.
 */
async function settlePasswords(
  items: Item[],
  registry: RegistryRows,
  secrets: ReadonlyMap<string, string>,
): Promise<void> {
  const stored = new Map(registry.people.map((person) => [person.email, person.configPassword]));
  for (const item of items) {
    const password = secrets.get(`user ${item.id}`);
    if (item.type !== 'user' || password === undefined) continue;
    const last = stored.get(item.id) ?? null;
    item.secrets = { password: last !== null && (await verifyPassword(last, password)) ? last : 'new' };
  }
}

/** What the file asks for and something that is not in the file already has. */
function refuseCollisions(file: ConfigurationFile, registry: RegistryRows, prune: boolean): void {
  const faults: FileFault[] = [];
  const stays = <Row extends { managed: boolean }>(rows: Row[], named: (row: Row) => boolean) =>
    rows.filter((row) => !named(row) && !(prune && row.managed));
  const apis = stays(registry.apis, (row) => file.apis.some(({ values }) => values.id === row.id));
  const clients = stays(registry.clients, (row) =>
    file.clients.some(({ values }) => values.clientId === row.clientId),
  );
  const fault = (path: string, message: string) => faults.push({ path, message, line: null });
  for (const [index, { values }] of file.apis.entries()) {
    const holder = apis.find((row) => row.url === values.url);
    if (holder) fault(`apis[${index}].url`, `the API ${holder.id} has this URL already`);
    if (clients.some((row) => row.clientId === values.id))
      fault(`apis[${index}].id`, 'is the id of a client already');
  }
  for (const [index, { values }] of file.clients.entries()) {
    if (apis.some((row) => row.id === values.clientId))
      fault(`clients[${index}].client_id`, 'is the id of an API already');
  }
  if (faults.length > 0) throw new ConfigurationFault(faults);
}
