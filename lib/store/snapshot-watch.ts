// Listens for registry changes on a separate connection, and queries the version every second. If a watch receives no
// answer (pooler, lost packet), it stops confirming the snapshot. Hosts without long-lived processes run no watch.
import pg from 'pg';
import { followClock } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process.ts';
import { settings } from '#lib/settings/settings.ts';
import { connectTo } from './pool.ts';
import { refreshSnapshot, snapshotState } from './snapshot.ts';

const ASK_EVERY_MS = 1_000;
const VOUCHES_FOR_MS = 3_000;

const slot = processWide<() => Promise<void>>('registry.watch');

/** Starts the watch, once per process; returns its stop function. */
export function watchRegistry(): () => Promise<void> {
  slot.value ??= start();
  return slot.value;
}

function start(): () => Promise<void> {
  let stopped = false;
  let client: pg.Client | undefined;
  let wake = () => {};
  const pause = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
      setTimeout(resolve, ASK_EVERY_MS).unref();
    });

  async function listen(): Promise<void> {
    const connection = new pg.Client({
      ...connectTo(settings().directUrl),
      connectionTimeoutMillis: 2_000,
      query_timeout: 2_000,
      application_name: 'gatehouse watch',
    });
    client = connection;
    let lost = false;
    connection.on('error', () => {
      lost = true;
    });
    connection.on('end', () => {
      lost = true;
    });
    connection.on('notification', noteChange);
    try {
      await connection.connect();
      await connection.query('listen gatehouse_directory');
      while (!stopped && !lost) {
        await ask(connection);
        await pause();
      }
    } finally {
      snapshotState().watchedUntil = 0;
      await connection.end().catch(() => {});
    }
  }

  const running = (async () => {
    while (!stopped) {
      await listen().catch((error: Error) => log().debug({ reason: error.message }, 'the watch was lost'));
      if (!stopped) await pause();
    }
  })();

  return async () => {
    stopped = true;
    slot.value = undefined;
    wake();
    await client?.end().catch(() => {});
    await running;
  };
}

function noteChange(): void {
  const state = snapshotState();
  const heardAt = performance.now();
  state.movedAt = heardAt;
  // loads early for the next request; if this load fails, that request loads the registry itself
  refreshSnapshot()
    // a query that is already running may predate the change
    .then(() => (state.confirmedAt > heardAt ? undefined : refreshSnapshot()))
    .catch((error: Error) => log().debug({ reason: error.message }, 'the registry was not read'));
}

async function ask(client: pg.Client): Promise<void> {
  const askedAt = performance.now();
  const { rows } = await client.query<{ version: string; clock: number }>(
    'select version::text, (extract(epoch from clock_timestamp()) * 1000)::float8 as clock from directory_version where id = 1',
  );
  if (rows[0]) followClock(rows[0].clock);
  const state = snapshotState();
  if (rows[0]?.version !== state.known?.version) noteChange();
  state.watchedUntil = askedAt + VOUCHES_FOR_MS;
}
