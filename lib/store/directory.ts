// The registry in memory. Triggers bump directory_version on every change. A statement that acts holds the version that
// its request relied on in its WHERE; whatever else relies on the registry asks for the version, or rests on the watch
// (docs/decisions/0017). With the database away the last snapshot still says where errors may be sent.
import { followClock, processWide } from '#lib/kit/index.ts';
import { type Directory, loadDirectory } from './directory-load.ts';
import { DatabaseUnavailable, query } from './pool.ts';

/** The registry has moved while a request relied on it: nothing was done, and the request is to be answered anew. */
export class DirectoryMoved extends Error {
  override name = 'DirectoryMoved';
}

/** Times are performance.now(). */
type State = {
  known?: Directory;
  loading?: Promise<Directory> | undefined;
  /** the known version was seen to be the current one by a question asked then */
  confirmedAt: number;
  /** a change was heard of then */
  movedAt: number;
  /** the database could not be asked then */
  awayAt: number;
  /** until then the watch would have told of a change */
  watchedUntil: number;
};

const slot = processWide<State>('directory');

export function directoryState(): State {
  slot.value ??= {
    confirmedAt: Number.NEGATIVE_INFINITY,
    movedAt: Number.NEGATIVE_INFINITY,
    awayAt: Number.NEGATIVE_INFINITY,
    watchedUntil: 0,
  };
  return slot.value;
}

/** The current registry; with the database away the last one known, or DatabaseUnavailable. */
export async function directory(): Promise<Directory> {
  const askedAt = performance.now();
  try {
    return await reach(await currentVersion(), askedAt);
  } catch (error) {
    const state = directoryState();
    if (!state.known || !(error instanceof DatabaseUnavailable)) throw error;
    state.awayAt = performance.now();
    return state.known;
  }
}

/** How long a version counts as recent where there is no watch. */
const RECENT_MS = 1_000;

/**
 * A recent registry, for requests that confirm it: by the statement that acts, or by assertCurrent. Where the database could
 * not be asked a moment ago, the last one known: the next question would only be waited for again.
 */
export async function recentDirectory(): Promise<Directory> {
  const { known, confirmedAt, movedAt, awayAt, watchedUntil } = directoryState();
  const at = performance.now();
  const recent = confirmedAt > movedAt && (at < watchedUntil || at - confirmedAt < RECENT_MS);
  const away = awayAt > movedAt && at - awayAt < RECENT_MS;
  return known && (recent || away) ? known : directory();
}

/** The registry that the watch vouches for, or the current one. */
export async function watchedDirectory(): Promise<Directory> {
  const { known, confirmedAt, movedAt, watchedUntil } = directoryState();
  return known && confirmedAt > movedAt && performance.now() < watchedUntil ? known : directory();
}

/** Takes note of the version that a statement saw; DirectoryMoved where it is not the one relied on. */
export function confirmVersion(reliedOn: string, seen: string, askedAt: number): void {
  const state = directoryState();
  if (state.known?.version === seen) state.confirmedAt = Math.max(state.confirmedAt, askedAt);
  else state.movedAt = performance.now();
  if (seen !== reliedOn) throw new DirectoryMoved('the registry has moved');
}

/** DirectoryMoved unless this is the current registry; with the database away it stands. */
export async function assertCurrent(registry: Directory): Promise<void> {
  const askedAt = performance.now();
  try {
    confirmVersion(registry.version, await currentVersion(), askedAt);
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
  }
}

export type DirectoryMark = { known: Directory | undefined; at: number };

/** What is known now, to ask later whether it has moved. */
export function markDirectory(): DirectoryMark {
  return { known: directoryState().known, at: performance.now() };
}

/** Could a request that began at the mark have relied on a registry that is not the current one? */
export async function hasMovedSince({ known, at }: DirectoryMark): Promise<boolean> {
  if (!known) return false;
  const state = directoryState();
  if (state.known !== known) return true;
  if (state.confirmedAt >= at) return false;
  return assertCurrent(known).then(
    () => false,
    () => true,
  );
}

async function currentVersion(): Promise<string> {
  const text = `select version::text, (extract(epoch from clock_timestamp()) * 1000)::float8 as clock
from directory_version where id = 1`;
  const [row] = await query<{ version: string; clock: number }>({
    name: 'directory-version',
    text,
    values: [],
    // one row by key: who waits longer waits for a database that hangs, and has a statement that acts to wait for yet
    giveUpMs: 1_000,
  });
  if (!row) throw new Error('the registry has no version');
  followClock(row.clock);
  return row.version;
}

/** The registry of this version or a later one; callers share a load that is under way. */
async function reach(version: string, askedAt: number): Promise<Directory> {
  const state = directoryState();
  if (state.known?.version === version) {
    state.confirmedAt = Math.max(state.confirmedAt, askedAt);
    return state.known;
  }
  state.loading ??= load(state).finally(() => {
    state.loading = undefined;
  });
  const loaded = await state.loading;
  return BigInt(loaded.version) >= BigInt(version) ? loaded : reach(version, askedAt);
}

async function load(state: State): Promise<Directory> {
  const askedAt = performance.now();
  const loaded = await loadDirectory();
  state.known = loaded;
  state.confirmedAt = askedAt;
  return loaded;
}
