// SQL on separate connections for tests.
import pg from 'pg';

export type Sql = <Row = Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>;

/** Opens a small pool, whose idle connections do not keep the process alive. */
export function sqlOn(databaseUrl: string | undefined): Sql {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4, allowExitOnIdle: true });
  // the pool replaces a lost idle connection, but without this listener the loss would end the process
  pool.on('error', () => {});
  return async <Row>(text: string, values: unknown[] = []) => (await pool.query(text, values)).rows as Row[];
}

/** Opens one connection, and closes it after `work`. Closing succeeds even if the server was killed. */
export async function withClient<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 15_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Switches fsync off for the server, because tests never cut power. Requires a superuser. */
export async function waitForNoDisk(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (admin) => {
    await admin.query('alter system set fsync = off');
    await admin.query('alter system set full_page_writes = off');
    await admin.query('select pg_reload_conf()');
  });
}

/** Changes a method's settings, for a provider started by a test. */
export async function configureMethod(databaseUrl: string, id: string, config: object): Promise<void> {
  await withClient(databaseUrl, (client) =>
    client.query('update auth_methods set config = config || $2::jsonb where id = $1', [
      id,
      JSON.stringify(config),
    ]),
  );
}
