// Readiness: can the database be asked, does it have this version's tables, and is the registry in memory the one that
// it holds?

import { query } from '../database/pool.ts';
import { refreshSnapshot, snapshotState, within } from './snapshot.ts';

export type Readiness = { database: 'ok' | 'unreachable'; schema: 'ok' | 'missing' | 'unknown' };

export async function isDatabaseReady(): Promise<Readiness> {
  try {
    const rows = await query<{ found: boolean }>({
      name: 'ready',
      text: "select to_regclass('directory_version') is not null as found",
      values: [],
    });
    return { database: 'ok', schema: rows[0]?.found ? 'ok' : 'missing' };
  } catch {
    return { database: 'unreachable', schema: 'unknown' };
  }
}

/**
 * `loading`: for the first time. `behind`: the database's is newer, for longer than a load takes. `failed`: the last
 * load.
 */
export type RegistryReadiness = 'ok' | 'loading' | 'behind' | 'failed' | 'unknown';

const ASK_MS = 1_000;
const MAY_LAG_MS = 5_000;

/** Asks for the current version, and loads it where it is not known; both continue after the answer. */
export async function isRegistryReady(mayLagMs = MAY_LAG_MS): Promise<RegistryReadiness> {
  await within(
    ASK_MS,
    refreshSnapshot().catch(() => undefined),
    undefined,
  );
  const { known, behindSince, fault } = snapshotState();
  if (fault !== null) return 'failed';
  if (!known) return 'loading';
  return behindSince !== null && performance.now() - behindSince > mayLagMs ? 'behind' : 'ok';
}

/** Everything that a request needs; what is not known is not asked further. */
export async function readiness(): Promise<Readiness & { snapshot: RegistryReadiness }> {
  const found = await isDatabaseReady();
  return { ...found, snapshot: found.schema === 'ok' ? await isRegistryReady() : 'unknown' };
}
