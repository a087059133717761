// Reading the registry: what changed since the version that is known, or all of it. In pages, each a short statement of
// its own. A page may be newer than the version that is claimed for the whole: what changed meanwhile is in the log, is
// read right after, and a request that relied on it waits for that (docs/decisions/0004).
import { followClock } from '#lib/kit/clock.ts';
import { query, transaction } from '../database/pool.ts';
import { statement } from '../database/statement.ts';
import { isLogged } from './registry-changes.ts';
import { SnapshotClients } from './snapshot-clients.ts';
import {
  CLIENT,
  readShared,
  SHARED,
  type SharedRows,
  type Snapshot,
  type SnapshotClient,
  type SnapshotClientRow,
  snapshotClient,
} from './snapshot-rows.ts';

/** Clients at once: so many of the largest that are possible still make a short statement. */
const PAGE = 500;
const CHANGES = 100;
/** Lines of the log: more of them take longer than to read all of it. */
const FAR_BEHIND = 5_000;
/** No request waits for a page of the whole: it may take as long as a busy database needs. */
const PATIENCE_SECONDS = 60;
/** Longer than a hot statement: requests use the snapshot before. */
const CHANGES_MS = 5_000;

const CLOCK = '(extract(epoch from clock_timestamp()) * 1000)::float8 as clock';

/** The current registry. `known`: an older one, whose unchanged parts are kept. */
export async function loadSnapshot(known: Snapshot | undefined): Promise<Snapshot> {
  return (known && (await catchUp(known, FAR_BEHIND))) ?? loadAll();
}

type Changes = {
  version: string;
  /** milliseconds since 1970 */
  clock: number;
  logged: boolean;
  /** how many lines there are, up to one more than what is far behind */
  behind: number;
  lines: { version: string; client: string }[];
  clients: SnapshotClientRow[];
  shared: SharedRows | null;
};

/** By the log; null where it does not reach back so far, or holds more lines than these. */
async function catchUp(known: Snapshot, atMost: number): Promise<Snapshot | null> {
  let [at, client]: [string, string | null] = [known.version, null];
  let snapshot = known;
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

/** What changed after this version, or after this line of it; one page. */
async function changesAfter(version: string, client: string | null): Promise<Changes> {
  const [row] = await registryChanges<Changes>({ version, client });
  if (!row) throw new Error('the registry has no version');
  followClock(row.clock);
  return row;
}

async function loadAll(): Promise<Snapshot> {
  const [base] = await query<{ version: string; clock: number; shared: SharedRows }>({
    name: 'registry-shared',
    text: `select version::text, ${CLOCK}, ${SHARED} as shared from directory_version where id = 1`,
    values: [],
  });
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
  // null only where it took longer than the log is kept
  return (await catchUp(all, Number.POSITIVE_INFINITY)) ?? loadAll();
}

const clientsPage = statement({
  name: 'registry-clients',
  takes: { clientId: 'text' },
  text: (value) => `select coalesce(json_agg(${CLIENT} order by c.client_id), '[]') as clients
from (select * from clients where client_id > ${value.clientId} order by client_id limit ${PAGE}) c`,
  giveUpMs: PATIENCE_SECONDS * 1_000,
});

async function clientsAfter(clientId: string): Promise<SnapshotClientRow[]> {
  return transaction(async (run) => {
    await run({ text: `set local statement_timeout = '${PATIENCE_SECONDS}s'`, values: [] });
    const [row] = await clientsPage<{ clients: SnapshotClientRow[] }>({ clientId }, run);
    return row?.clients ?? [];
  });
}
