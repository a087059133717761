// SQL on connections of a test's own, beside those of the service.
import pg from 'pg';

export type Sql = <Row = Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>;

/** A small pool; idle connections do not keep the process alive. */
export function sqlOn(databaseUrl: string | undefined): Sql {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4, allowExitOnIdle: true });
  // a lost idle connection is replaced; without a listener it would end the process, outside of every test
  pool.on('error', () => {});
  return async <Row>(text: string, values: unknown[] = []) => (await pool.query(text, values)).rows as Row[];
}

/** One connection, closed at the end; the server may be killed at any time. */
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

/**
 * Commits wait for no disk from here on, also after a restart: no test takes the machine's power away. For a superuser.
 */
export async function waitForNoDisk(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (admin) => {
    await admin.query('alter system set fsync = off');
    await admin.query('alter system set full_page_writes = off');
    await admin.query('select pg_reload_conf()');
  });
}

/** Changes the settings of an authentication method, for a provider that a test has started. */
export async function configureMethod(databaseUrl: string, id: string, config: object): Promise<void> {
  await withClient(databaseUrl, (client) =>
    client.query('update auth_methods set config = config || $2::jsonb where id = $1', [
      id,
      JSON.stringify(config),
    ]),
  );
}
