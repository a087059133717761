// Registry snapshot in memory. Triggers increment the registry's version and log its changes. Statements that issue or
// revoke something confirm that the dependencies of their request are unchanged. Other readers query the version or
// rely on the watch (docs/project/decisions/0004). During an outage, the last snapshot still decides whether an error
// is redirected.

import { type ApiValues, underProfile } from '#lib/catalogue/apis/definition.ts';
import { API_COLUMNS, API_SCOPES } from '#lib/catalogue/apis/rows.ts';
import type { ApplicationType, ClientValues } from '#lib/catalogue/clients/definition.ts';
import { CLIENT_COLUMNS } from '#lib/catalogue/clients/rows.ts';
import type { AuthMethodValues } from '#lib/catalogue/methods/definition.ts';
import { METHOD_TYPES, wholeConfig } from '#lib/catalogue/methods/questions.ts';
import type { SubscriptionState } from '#lib/catalogue/subscriptions/definition.ts';
import { followClock } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process.ts';
import { addressesOf, formerIssuerBase, type IssuerAddress } from '#lib/registry/issuers.ts';
import type { ClientOrigin } from '#lib/registry/unregistered.ts';
import { DatabaseUnavailable } from './pool.ts';
import { inTransaction } from './prisma.ts';
import { type Column, columnValue, displayTextSql, sql } from './sql.ts';
import { narrowTo, type RowOf, statement } from './statement.ts';

// Content of a registry snapshot and its SQL: the shared part (methods, APIs with combinations, keys), and each client
// with its secret hashes and subscriptions.

export type SnapshotMethod = AuthMethodValues & {
  sealedSecret: string | null;
  /** revocation counter, which changes when the method switches to a different verifier or broker */
  epoch: string;
  /** group rules on claims of this method; missing if there are none */
  groupRules?: GroupRuleOfMethod[];
};
/** A group rule: users with a matching claim value are members of the group. */
type GroupRuleOfMethod = { group: string; claim: string; values: string[] };
export type SnapshotApi = ApiValues & { introspectionSecretHash: Buffer | null };
export type SnapshotClient = Omit<ClientValues, 'kind'> & {
  confidential: boolean;
  applicationType: ApplicationType;
  disabled: boolean;
  origin: ClientOrigin;
  /** grant types of an unregistered client; empty: the defaults of its kind */
  grantTypes: string[];
  /** ISO 8601: fetch time of the stored document, and time of the last identity change */
  documentReadAt: string | null;
  identityChangedAt: string | null;
  /**
   * secrets of the client. `keptHash`: hash of an imported secret in the format of the former service, until its first
   * use
   */
  secrets: { hash: Buffer; expiresAt: Date | null; keptHash: string | null }[];
  /** one subscription per API */
  subscriptions: SnapshotSubscription[];
};
export type SnapshotSubscription = {
  apiId: string;
  state: SubscriptionState;
  trusted: boolean;
  /** true: client credentials grant allowed */
  machine: boolean;
  /** true: device grant allowed */
  device: boolean;
  scopes: string[];
  /** lifetime of user consent in days; null: default */
  maxDays: number | null;
  /** true: a required claim excludes some users */
  restricted: boolean;
};
export type SnapshotKey = {
  kid: string;
  alg: 'ES256' | 'RS256';
  publicJwk: Record<string, unknown>;
  sealedPrivate: string;
  signsFrom: string;
  retiresAt: string | null;
  retiredAt: string | null;
};
/**
 * State of the registry at one version. Concurrently changed parts may be newer; requests that depend on such a part
 * detect that (docs/project/decisions/0004).
 */
export type Snapshot = {
  version: string;
  clients: SnapshotClients<SnapshotClient>;
} & Shared;

/**
 * The shared part of the registry, read as a whole. While it is unchanged, every snapshot contains the same objects.
 */
type Shared = {
  methods: ReadonlyMap<string, SnapshotMethod>;
  apis: ReadonlyMap<string, SnapshotApi>;
  keys: readonly SnapshotKey[];
  /** sealed salt of pairwise subject identifiers; null until the salt is needed */
  sealedSubjectSalt: string | null;
  /** true: imported users may exist whose `sub` differs from their id */
  keptSubjects: boolean;
  /** true if users can sign in by user name */
  usernames: boolean;
  /** changes with each user import and invalidates process caches */
  keptEpoch: number;
  /** issuers with extra addresses, by exact address */
  issuersByAddress: ReadonlyMap<string, AddressedIssuer>;
  /** the same issuers by request host; longer paths first */
  issuersByHost: ReadonlyMap<string, readonly AddressedIssuer[]>;
};

/** A further address of an issuer. `path`: the part of the address before the paths of endpoints. */
export type AddressedIssuer = IssuerAddress & { authMethodId: string; apiId: string; path: string };

type SharedRows = {
  methods: SnapshotMethod[];
  apis: (Omit<SnapshotApi, 'introspectionSecretHash'> & { introspectionSecretHash: string | null })[];
  keys: SnapshotKey[];
  sealedSubjectSalt: string | null;
  keptSubjects: boolean | null;
  usernames: boolean | null;
  keptEpoch: number | null;
};

/** SQL: the members of a JSON object. */
const members = (columns: readonly Column[], table: string) =>
  columns.map((column) => `'${column.name}', ${columnValue(column, table)}`).join(', ');

/** SQL: all members of a SharedRows as one JSON value. */
const SHARED = `json_build_object(
  'methods', (select coalesce(json_agg(json_build_object('id', id, 'type', type, 'name', ${displayTextSql('name')}, 'config', config,
     'sealedSecret', sealed_secret, 'epoch', epoch::text,
     'groupRules', coalesce((select json_agg(json_build_object('group', g.id, 'claim', r -> 'claim', 'values', r -> 'values')
       order by g.id) from groups g, jsonb_array_elements(g.rules) r where r ->> 'auth_method' = auth_methods.id), '[]')) order by position, id), '[]') from auth_methods),
  'apis', (select coalesce(json_agg(json_build_object(
     ${members(API_COLUMNS, 'a')},
     'scopes', ${API_SCOPES},
     'authMethods', (select coalesce(json_agg(c.auth_method_id order by c.position, c.auth_method_id), '[]')
        from combinations c where c.api_id = a.id),
     'introspectionSecretHash', encode(introspection_secret_hash, 'hex'))
     order by position, id), '[]') from apis a),
  'keys', (select coalesce(json_agg(json_build_object('kid', kid, 'alg', alg, 'publicJwk', public_jwk,
     'sealedPrivate', sealed_private, 'signsFrom', signs_from, 'retiresAt', retires_at, 'retiredAt', retired_at)
     order by signs_from), '[]') from signing_keys),
  'sealedSubjectSalt', (select sealed_salt from subject_salt),
  'keptSubjects', (select kept_subjects from subject_salt),
  'usernames', (select usernames from subject_salt),
  'keptEpoch', (select kept_epoch from subject_salt))`;

type SnapshotClientRow = Omit<SnapshotClient, 'secrets'> & {
  secrets: { hash: string; expiresAt: string | null; keptHash: string | null }[];
};

/** SQL: a SnapshotClientRow of the client `c` as one JSON value. */
const CLIENT = `json_build_object(${members(CLIENT_COLUMNS, 'c')}, 'confidential', c.confidential,
  'applicationType', c.application_type, 'disabled', c.disabled_at is not null,
  'origin', c.origin, 'grantTypes', c.grant_types, 'documentReadAt', c.document_read_at,
  'identityChangedAt', c.identity_changed_at,
  'secrets', (select coalesce(json_agg(json_build_object('hash', encode(s.secret_hash, 'hex'),
     'expiresAt', s.expires_at, 'keptHash', s.kept_hash)), '[]') from client_secrets s where s.client_id = c.client_id),
  'subscriptions', (select coalesce(json_agg(json_build_object('apiId', s.api_id, 'state', s.state,
     'trusted', s.trusted, 'machine', s.machine, 'device', s.device, 'scopes', s.scopes, 'maxDays', s.max_days,
     'restricted', s.required_claim is not null)), '[]') from subscriptions s where s.client_id = c.client_id))`;

/** Returns false for a method whose type this version does not support. Users cannot sign in with such a method. */
function isKnown({ id, type }: SnapshotMethod): boolean {
  const isKnownType = METHOD_TYPES.includes(type);
  if (!isKnownType) log().warn({ auth_method: id, type }, 'a method of an unknown kind was left out');
  return isKnownType;
}

function readShared(rows: SharedRows): Shared {
  const { methods, apis, keys, sealedSubjectSalt, keptSubjects, usernames, keptEpoch } = rows;
  const addressed = apis
    .flatMap((api) =>
      api.authMethods.flatMap((authMethodId) =>
        addressesOf(api, authMethodId).map((issuerAddress) => ({
          ...issuerAddress,
          authMethodId,
          apiId: api.id,
          path: new URL(formerIssuerBase(issuerAddress.url)).pathname.replace(/^\/$/, ''),
        })),
      ),
    )
    .toSorted((issuer, other) => other.path.length - issuer.path.length);
  const issuersByHost = new Map<string, AddressedIssuer[]>();
  for (const issuer of addressed)
    for (const name of namesOf(issuer.url))
      issuersByHost.set(name, [...(issuersByHost.get(name) ?? []), issuer]);
  return {
    methods: new Map(
      methods.filter(isKnown).map((method) => [method.id, { ...method, config: wholeConfig(method) }]),
    ),
    apis: new Map(apis.map((api) => [api.id, readApi(api)])),
    keys,
    sealedSubjectSalt,
    keptSubjects: keptSubjects ?? false,
    usernames: usernames ?? false,
    keptEpoch: keptEpoch ?? 0,
    issuersByAddress: new Map(addressed.map((issuer) => [issuer.url, issuer])),
    issuersByHost,
  };
}

/** Names of a host: a client can add the default port of its scheme (RFC 9110 §7.2). */
function namesOf(address: string): string[] {
  const { host, port, protocol } = new URL(address);
  return port === '' ? [host, `${host}:${protocol === 'https:' ? 443 : 80}`] : [host];
}

function readApi(api: SharedRows['apis'][number]): SnapshotApi {
  const hash = api.introspectionSecretHash;
  return { ...underProfile(api), introspectionSecretHash: hash === null ? null : Buffer.from(hash, 'hex') };
}

function snapshotClient(client: SnapshotClientRow): SnapshotClient {
  const secrets = client.secrets.map(({ hash, expiresAt, keptHash }) => ({
    keptHash,
    hash: Buffer.from(hash, 'hex'),
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
  }));
  return { ...client, secrets };
}

// Clients of a snapshot, divided by id into parts (shards), so that the cost of a new snapshot depends on the changes
// only. Consecutive snapshots share unchanged shards. Snapshots are immutable.

const SHARDS = 1_024;

type Shard<Client> = ReadonlyMap<string, Client>;

class SnapshotClients<Client extends { clientId: string }> {
  readonly #shards: readonly Shard<Client>[];
  readonly size: number;

  private constructor(shards: readonly Shard<Client>[]) {
    this.#shards = shards;
    this.size = shards.reduce((total, shard) => total + shard.size, 0);
  }

  static of<Client extends { clientId: string }>(clients: readonly Client[]): SnapshotClients<Client> {
    const none = new SnapshotClients<Client>(Array.from({ length: SHARDS }, () => new Map()));
    return none.with([], clients);
  }

  get(clientId: string): Client | undefined {
    return this.#shards[shardOf(clientId)]?.get(clientId);
  }

  *values(): Generator<Client> {
    for (const shard of this.#shards) yield* shard.values();
  }

  /** Returns a copy with updated clients; ids without a client are removed. */
  with(ids: Iterable<string>, clients: readonly Client[]): SnapshotClients<Client> {
    const shards = [...this.#shards];
    const touched = new Map<number, Map<string, Client>>();
    const copyShard = (clientId: string) => {
      const at = shardOf(clientId);
      const copy = touched.get(at) ?? new Map(shards[at]);
      touched.set(at, copy);
      shards[at] = copy;
      return copy;
    };
    for (const id of ids) copyShard(id).delete(id);
    for (const client of clients) copyShard(client.clientId).set(client.clientId, client);
    return new SnapshotClients(shards);
  }
}

/** Part of the map that contains a client id, by the FNV-1a hash of the id. */
function shardOf(clientId: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < clientId.length; at += 1) {
    hash = Math.imul(hash ^ clientId.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0) % SHARDS;
}

// Change log of registry versions (directory_changes), for processes with an older version and for statements that
// confirm dependencies.

/**
 * Period for which the log of changes is certainly complete. Its rows are retained longer. Triggers write them in
 * version order.
 */
const COMPLETE_FOR = "interval '1 hour'";

/** SQL condition: the log of changes contains every change since this version. `v` is the row of directory_version. */
const isLogged = (version: string) => `(${version} = v.version or exists (
  select from directory_changes first where first.version = ${version} + 1 and first.at > now() - ${COMPLETE_FOR}))`;

/** Matches every possible client id. PostgreSQL may be unable to store other values. */
const POSSIBLE_ID = /^[\x21-\x7e]{1,500}$/;

/** Returns the client id for queries of the log, or null for an impossible id. */
export const possibleClientId = (id: string | null): string | null =>
  id !== null && POSSIBLE_ID.test(id) ? id : null;

/**
 * SQL condition: this client and the shared registry are unchanged since this version. `v`: row of directory_version. A
 * null client checks the shared part only.
 */
export const stands = (version: string, client: string) => `(${version} = v.version or (${isLogged(version)}
  and not exists (select from directory_changes moved
    where moved.client_id in ('', ${client}) and moved.version > ${version})))`;

// Loads the registry: changes since a known version, or everything. Pages are separate short statements, and a page may
// be newer than the version of the snapshot. The log contains the newer changes, which are read next; requests that
// depend on them wait (docs/project/decisions/0004).

/** Clients per page. The statement is short even if each client has the maximum size. */
const PAGE = 500;
const CHANGES = 100;
/** Number of log rows above which a full load is faster. */
const FAR_BEHIND = 5_000;
/**
 * Timeout in seconds of the statements of a full load. No request waits for them, so slow databases get ample
 * time.
 */
const PATIENCE_SECONDS = 60;
/**
 * Timeout in milliseconds of a statement that loads changes: longer than that of a hot statement, because
 * requests use the previous snapshot meanwhile.
 */
const CHANGES_MS = 5_000;

const CLOCK = '(extract(epoch from clock_timestamp()) * 1000)::float8 as clock';

/** Loads the current registry and reuses unchanged parts of an older snapshot. */
export async function loadSnapshot(snapshot: Snapshot | undefined): Promise<Snapshot> {
  return (snapshot && (await readChangesSince(snapshot, FAR_BEHIND))) ?? loadAll();
}

/** Loads changes from the log. Returns null if the log is incomplete or has more than `atMost` rows. */
async function readChangesSince(oldSnapshot: Snapshot, atMost: number): Promise<Snapshot | null> {
  let [at, client]: [string, string | null] = [oldSnapshot.version, null];
  let snapshot = oldSnapshot;
  while (true) {
    const changes = await changesAfter(at, client);
    if (client === null && (!changes.logged || changes.behind > atMost)) return null;
    snapshot = {
      ...snapshot,
      ...(changes.shared && readShared(changes.shared)),
      clients: snapshot.clients.with(
        changes.lines.map((line) => line.client),
        changes.clients.map(snapshotClient),
      ),
    };
    const last = changes.lines.at(-1);
    if (!last || changes.lines.length < CHANGES) return { ...snapshot, version: changes.version };
    [at, client] = [last.version, last.client];
  }
}

const registryChanges = statement({
  name: 'registry-changes',
  takes: { version: 'bigint', client: 'text?' },
  returns: {
    version: 'text',
    /** time of the database in milliseconds since 1970 */
    clock: 'float8',
    logged: 'boolean',
    /** number of log rows, counted up to just above FAR_BEHIND */
    behind: 'int',
    lines: narrowTo<{ version: string; client: string }[]>('json'),
    clients: narrowTo<SnapshotClientRow[]>('json'),
    shared: narrowTo<SharedRows>('json?'),
  },
  text: (value) => `
with v as (select version from directory_version where id = 1), moved as (
  select version, client_id from directory_changes
  where version >= ${value.version} and (version > ${value.version} or client_id > ${value.client})
  order by version, client_id limit ${CHANGES}
)
select v.version::text, ${CLOCK}, ${isLogged(value.version)} as logged,
  (select count(*)::int from (select from directory_changes where version > ${value.version}
    order by version limit ${FAR_BEHIND + 1}) l) as behind,
  (select coalesce(json_agg(json_build_object('version', version::text, 'client', client_id)
    order by version, client_id), '[]') from moved) as lines,
  (select coalesce(json_agg(${CLIENT}), '[]') from clients c
    where c.client_id = any (array(select client_id from moved))) as clients,
  case when exists (select from moved where client_id = '') then ${SHARED} end as shared
from v`,
  giveUpMs: CHANGES_MS,
});

/** Returns one page of changes after this version, or after this row of the log. */
async function changesAfter(version: string, client: string | null): Promise<RowOf<typeof registryChanges>> {
  const [row] = await registryChanges({ version, client });
  if (!row) throw new Error('the registry has no version');
  followClock(row.clock);
  return row;
}

const registryShared = statement({
  name: 'registry-shared',
  takes: {},
  returns: { version: 'text', clock: 'float8', shared: narrowTo<SharedRows>('json') },
  text: () => `select version::text, ${CLOCK}, ${SHARED} as shared from directory_version where id = 1`,
});

async function loadAll(): Promise<Snapshot> {
  const [base] = await registryShared({});
  if (!base) throw new Error('the registry has no version');
  followClock(base.clock);
  const clients: SnapshotClient[] = [];
  while (true) {
    const page = await clientsAfter(clients.at(-1)?.clientId ?? '');
    if (page.length === 0) break;
    for (const row of page) clients.push(snapshotClient(row));
  }
  const all = {
    version: base.version,
    ...readShared(base.shared),
    clients: SnapshotClients.of(clients),
  };
  // null if the load took longer than the log is retained
  return (await readChangesSince(all, Number.POSITIVE_INFINITY)) ?? loadAll();
}

const clientsPage = statement({
  name: 'registry-clients',
  takes: { clientId: 'text' },
  returns: { clients: narrowTo<SnapshotClientRow[]>('json') },
  text: (value) => `select coalesce(json_agg(${CLIENT} order by c.client_id), '[]') as clients
from (select * from clients where client_id > ${value.clientId} order by client_id limit ${PAGE}) c`,
  giveUpMs: PATIENCE_SECONDS * 1_000,
});

async function clientsAfter(clientId: string): Promise<SnapshotClientRow[]> {
  return inTransaction(async (db) => {
    await db.$executeRaw(sql`select set_config('statement_timeout', ${`${PATIENCE_SECONDS}s`}, true)`);
    const [row] = await clientsPage({ clientId }, db.run);
    return row?.clients ?? [];
  }, 'rollback');
}

/** Thrown if dependencies of the request changed. The statement wrote nothing, and the request is repeated. */
export class RegistryChanged extends Error {
  override name = 'RegistryChanged';
}

/** State of the registry in this process. Times are values of performance.now(). */
type State = {
  known?: Snapshot;
  loading?: { begunAt: number; result: Promise<Snapshot> } | undefined;
  /** the running query, which concurrent refreshes share */
  refreshing?: Promise<Snapshot> | undefined;
  /** send time of the last query that confirmed the known version */
  confirmedAt: number;
  /** when the last notification of a change arrived */
  movedAt: number;
  /** when the database was last unreachable */
  awayAt: number;
  /** time until which the watch reports changes */
  watchedUntil: number;
  /** time since which a newer version exists that is not loaded; null if there is none */
  behindSince: number | null;
  /** why the last load failed */
  fault: string | null;
};

const slot = processWide<State>('snapshot');

export function snapshotState(): State {
  slot.value ??= {
    confirmedAt: Number.NEGATIVE_INFINITY,
    movedAt: Number.NEGATIVE_INFINITY,
    awayAt: Number.NEGATIVE_INFINITY,
    watchedUntil: 0,
    behindSince: null,
    fault: null,
  };
  return slot.value;
}

/** Returns the last snapshot of this process, regardless of age. Null if none is loaded. */
export const knownSnapshot = (): Snapshot | null => snapshotState().known ?? null;

/** Returns the current registry. During an outage, returns the last known one, or throws DatabaseUnavailable. */
export async function currentSnapshot(): Promise<Snapshot> {
  const askedAt = performance.now();
  let version: string;
  try {
    version = (await look(null, null)).version;
  } catch (error) {
    const state = snapshotState();
    if (!state.known || !(error instanceof DatabaseUnavailable)) throw error;
    state.awayAt = performance.now();
    return state.known;
  }
  return reach(version, askedAt);
}

/** Returns the current registry. Concurrent calls share one query. */
export function refreshSnapshot(): Promise<Snapshot> {
  const state = snapshotState();
  state.refreshing ??= currentSnapshot().finally(() => {
    state.refreshing = undefined;
  });
  return state.refreshing;
}

/** Maximum age of a confirmed version without a watch. */
const RECENT_MS = 1_000;
/**
 * Maximum time that a request waits for a newer registry. Changes load in milliseconds, but a full load takes seconds.
 */
const PATIENCE_MS = 100;

/**
 * Recent registry, for requests that confirm it by their statement or by `hasChanged`. Returns the previous snapshot
 * during a long load or after a recent outage.
 */
export async function recentSnapshot(): Promise<Snapshot> {
  const { known, loading, confirmedAt, movedAt, awayAt, watchedUntil } = snapshotState();
  if (!known) return currentSnapshot();
  const at = performance.now();
  const recent = confirmedAt > movedAt && (at < watchedUntil || at - confirmedAt < RECENT_MS);
  const away = awayAt > movedAt && at - awayAt < RECENT_MS;
  if (recent || away) return known;
  const newer = refreshSnapshot().catch(() => known);
  const left = loading ? PATIENCE_MS - (at - loading.begunAt) : PATIENCE_MS;
  return left <= 0 ? known : within(left, newer, known);
}

/** Returns the registry that the watch confirms, otherwise that of `otherwise`. */
export async function watchedSnapshot(otherwise = currentSnapshot): Promise<Snapshot> {
  const { known, confirmedAt, movedAt, watchedUntil } = snapshotState();
  return known && confirmedAt > movedAt && performance.now() < watchedUntil ? known : otherwise();
}

/** Waits for the current registry after RegistryChanged, at most `ms` milliseconds. */
export async function catchUp(ms: number): Promise<void> {
  await within(ms, currentSnapshot(), undefined);
}

/**
 * State of the registry when a statement ran. `stands`: true if the entries on which the request depends are
 * unchanged.
 */
export type Seen = { version: string; stands: boolean };
/** The columns from which a statement returns `Seen`. */
export const SEEN = { version: 'text', stands: 'boolean' } as const;

/** Records the registry state seen by a statement sent at `askedAt`. Throws RegistryChanged if dependencies changed. */
export function confirmVersion({ version, stands }: Seen, askedAt: number): void {
  const state = snapshotState();
  if (state.known?.version === version) state.confirmedAt = Math.max(state.confirmedAt, askedAt);
  else state.movedAt = performance.now();
  if (!stands) throw new RegistryChanged('the registry has changed');
}

/** Throws RegistryChanged if the shared part or this client has changed since this version. */
export async function confirmClient(reliedOn: string, clientId: string): Promise<void> {
  const askedAt = performance.now();
  confirmVersion(await look(reliedOn, clientId), askedAt);
}

/**
 * True if the shared part or this client has changed since this snapshot; a null client checks the shared part only.
 * Runs no query if a statement has confirmed this version after `since` (performance.now()). If the database is
 * unavailable, the snapshot is treated as current.
 */
export async function hasChanged(
  snapshot: Snapshot,
  clientId: string | null,
  since: number,
): Promise<boolean> {
  const { known, confirmedAt } = snapshotState();
  if (known === snapshot && confirmedAt >= since) return false;
  const askedAt = performance.now();
  try {
    confirmVersion(await look(snapshot.version, clientId), askedAt);
    return false;
  } catch (error) {
    if (error instanceof RegistryChanged) return true;
    if (error instanceof DatabaseUnavailable) return false;
    throw error;
  }
}

const registryVersion = statement({
  name: 'registry-version',
  takes: { reliedOn: 'bigint?', clientId: 'text?' },
  returns: { ...SEEN, clock: 'float8' },
  text: (value) => `select version::text, (extract(epoch from clock_timestamp()) * 1000)::float8 as clock,
  ${value.reliedOn} is null or ${stands(value.reliedOn, value.clientId)} as stands
from directory_version v where id = 1`,
  // the query reads one row by key, and the writing statement needs the remaining time
  giveUpMs: 1_000,
});

async function look(reliedOn: string | null, clientId: string | null): Promise<Seen> {
  const [row] = await registryVersion({
    reliedOn,
    clientId: possibleClientId(clientId),
  });
  if (!row) throw new Error('the registry has no version');
  followClock(row.clock);
  return row;
}

/**
 * Returns this version or a later one. The result of a load that started after this version was seen also suffices,
 * because a failover may lose the latest versions. Concurrent callers share a load.
 */
async function reach(version: string, askedAt: number, seenAt = performance.now()): Promise<Snapshot> {
  const state = snapshotState();
  if (state.known?.version === version) {
    state.confirmedAt = Math.max(state.confirmedAt, askedAt);
    caughtUp(state);
    return state.known;
  }
  state.behindSince ??= performance.now();
  state.loading ??= { begunAt: performance.now(), result: load(state) };
  const { begunAt, result } = state.loading;
  const loaded = await result;
  const isLate = BigInt(loaded.version) < BigInt(version) && begunAt < seenAt;
  return isLate ? reach(version, askedAt, seenAt) : loaded;
}

function caughtUp(state: State): void {
  state.behindSince = null;
  state.fault = null;
}

async function load(state: State): Promise<Snapshot> {
  const askedAt = performance.now();
  try {
    const loaded = await loadSnapshot(state.known);
    state.known = loaded;
    state.confirmedAt = askedAt;
    caughtUp(state);
    return loaded;
  } catch (error) {
    // logged at the first failure, and not again at each retry
    if (state.fault === null) log().error({ err: error }, 'the registry could not be read');
    state.fault = (error as Error).message;
    throw error;
  } finally {
    state.loading = undefined;
  }
}

/** Returns the result of `work`, or `otherwise` after `ms` milliseconds. */
export async function within<T, U>(ms: number, work: Promise<T>, otherwise: U): Promise<T | U> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<U>((resolve) => {
    timer = setTimeout(resolve, ms, otherwise);
    timer.unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
