// The registry in memory. Triggers count its versions and note what each one changed. A statement that acts asks
// whether what its request relied on is unchanged; other readers of the registry ask themselves, or rely on the watch
// (docs/decisions/0004). With the database away the last snapshot still says where errors may be sent.
import { followClock } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import { DatabaseUnavailable } from '../database/pool.ts';
import { statement } from '../database/statement.ts';
import { possibleClientId, stands } from './registry-changes.ts';
import { loadSnapshot } from './snapshot-load.ts';
import type { Snapshot } from './snapshot-rows.ts';

/** What the request relied on has changed. Nothing was done; the request is handled again. */
export class RegistryChanged extends Error {
  override name = 'RegistryChanged';
}

/** Times are performance.now(). */
type State = {
  known?: Snapshot;
  loading?: { begunAt: number; result: Promise<Snapshot> } | undefined;
  /** the query that concurrent refreshes share */
  refreshing?: Promise<Snapshot> | undefined;
  /** when the query was sent that last showed the known version to be current */
  confirmedAt: number;
  /** when the last change was notified */
  movedAt: number;
  /** when the database was last unreachable */
  awayAt: number;
  /** the watch reports changes until then */
  watchedUntil: number;
  /** since when a newer version exists that is not loaded; null: none */
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

/** The registry that this process has read, of any age; null: none yet. */
export const knownSnapshot = (): Snapshot | null => snapshotState().known ?? null;

/** The current registry; with the database away the last one known, or DatabaseUnavailable. */
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

/** The current registry; concurrent calls share one query. */
export function refreshSnapshot(): Promise<Snapshot> {
  const state = snapshotState();
  state.refreshing ??= currentSnapshot().finally(() => {
    state.refreshing = undefined;
  });
  return state.refreshing;
}

/** How long a version counts as recent where there is no watch. */
const RECENT_MS = 1_000;
/**
 * How long a request waits for a newer registry, in all: a change is read in a few milliseconds, all of it in seconds.
 */
const PATIENCE_MS = 100;

/**
 * A recent registry, for requests that confirm it: by the statement that acts, or by `hasChanged`. The snapshot before
 * serves while a newer one takes long to load, or where the database could not be asked a moment ago.
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

/** The registry that the watch vouches for, or the current one. */
export async function watchedSnapshot(): Promise<Snapshot> {
  const { known, confirmedAt, movedAt, watchedUntil } = snapshotState();
  return known && confirmedAt > movedAt && performance.now() < watchedUntil ? known : currentSnapshot();
}

/** After RegistryChanged: waits at most so long for the current registry. */
export async function catchUp(ms: number): Promise<void> {
  await within(ms, currentSnapshot(), undefined);
}

/** What a statement saw of the registry: its version, and whether what the request relied on is unchanged. */
export type Seen = { version: string; stands: boolean };

/**
 * Takes note of what a statement that was sent at `askedAt` saw; RegistryChanged where what was relied on has changed.
 */
export function confirmVersion({ version, stands }: Seen, askedAt: number): void {
  const state = snapshotState();
  if (state.known?.version === version) state.confirmedAt = Math.max(state.confirmedAt, askedAt);
  else state.movedAt = performance.now();
  if (!stands) throw new RegistryChanged('the registry has changed');
}

/** RegistryChanged where what all clients share, or this client, has changed since this version. */
export async function confirmClient(reliedOn: string, clientId: string): Promise<void> {
  const askedAt = performance.now();
  confirmVersion(await look(reliedOn, clientId), askedAt);
}

/**
 * Has what a request read of this snapshot changed: what all clients share, or this client (null: none)? Asks nothing
 * where a statement has seen this version `since` (performance.now()). Without the database the snapshot counts as
 * current.
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
  text: (value) => `select version::text, (extract(epoch from clock_timestamp()) * 1000)::float8 as clock,
  ${value.reliedOn} is null or ${stands(value.reliedOn, value.clientId)} as stands
from directory_version v where id = 1`,
  // one row by key; the statement that acts needs the rest of the time
  giveUpMs: 1_000,
});

async function look(reliedOn: string | null, clientId: string | null): Promise<Seen> {
  const [row] = await registryVersion<Seen & { clock: number }>({
    reliedOn,
    clientId: possibleClientId(clientId),
  });
  if (!row) throw new Error('the registry has no version');
  followClock(row.clock);
  return row;
}

/**
 * The registry of this version or a later one, or what a load gives that began after this version was seen: a database
 * that has failed over may have lost the last ones. Callers share a load that is under way.
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
    // logged once, not at each retry
    if (state.fault === null) log().error({ err: error }, 'the registry could not be read');
    state.fault = (error as Error).message;
    throw error;
  } finally {
    state.loading = undefined;
  }
}

/** The result of `work`, or `otherwise` after so many milliseconds. */
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
