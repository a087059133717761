// The one pool, shared by both doors and by Prisma's adapter, and the only place that knows how an outage looks.
// Hot statements are prepared: their name is their text's promise never to change under it.
import pg from 'pg';
import { log, traced } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';

/** With a name it is prepared once a connection. */
export type Statement = { name?: string; text: string; values: unknown[] };
export type Run = <Row = Record<string, unknown>>(statement: Statement) => Promise<Row[]>;

/** The database can not be asked right now; never the caller's fault. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/** A text that no PostgreSQL text can be (it holds a NUL): what was sent, not the database, is at fault. */
export class UnstorableText extends Error {
  override name = 'UnstorableText';
}

const SLOT = Symbol.for('gatehouse.pool');
const slot = globalThis as unknown as { [SLOT]?: pg.Pool };

export function pool(): pg.Pool {
  if (!slot[SLOT]) {
    slot[SLOT] = new pg.Pool({
      connectionString: settings().databaseUrl,
      max: 10,
      // without it a caller waits for ever when the pool is full
      connectionTimeoutMillis: 2_000,
      idleTimeoutMillis: 30_000,
      statement_timeout: 5_000,
      query_timeout: 7_000,
      application_name: 'gatehouse',
    });
    // never the error itself: pg hangs the whole client on it, its password too
    slot[SLOT].on('error', (error) =>
      log().warn({ reason: error.message }, 'an idle database connection was lost'),
    );
  }
  return slot[SLOT];
}

/** A person, or a hidden iframe, waits for a hot statement: a database that hangs is given up on sooner. */
const HOT_TIMEOUT_MS = 2_500;

export async function query<Row = Record<string, unknown>>(statement: Statement): Promise<Row[]> {
  const timed = statement.name ? { ...statement, query_timeout: HOT_TIMEOUT_MS } : statement;
  try {
    const run = () => pool().query(timed);
    return (await traced(`sql ${statement.name ?? 'unnamed'}`, 'client', run)).rows as Row[];
  } catch (error) {
    throw mapped(error);
  }
}

/** Several statements as one: all or nothing. */
export async function transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
  let client: pg.PoolClient;
  try {
    client = await pool().connect();
  } catch (error) {
    throw mapped(error);
  }
  let broken = false;
  // lost between two statements: without a listener that would end the process
  const lost = () => {
    broken = true;
  };
  client.on('error', lost);
  try {
    await client.query('begin');
    const result = await work(async (statement) => (await client.query(statement)).rows as never);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {
      broken = true;
    });
    throw mapped(error);
  } finally {
    client.off('error', lost);
    client.release(broken);
  }
}

/** For the metrics. */
export function poolState(): { open: number; idle: number; waiting: number } {
  const { totalCount = 0, idleCount = 0, waitingCount = 0 } = slot[SLOT] ?? {};
  return { open: totalCount, idle: idleCount, waiting: waitingCount };
}

export async function closePool(): Promise<void> {
  const open = slot[SLOT];
  delete slot[SLOT];
  await open?.end();
}

const OUTAGE_CODES =
  /^(57P0[1-5]|57014|53\d{3}|08\d{3}|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT)$/;
const OUTAGE_WORDS = /timeout|terminated|Connection ended|not queryable|ECONNREFUSED/i;

/** An outage becomes DatabaseUnavailable; pool timeouts come as plain errors without a code. */
function mapped(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = (error as { code?: string }).code;
  if (code === '22021') return new UnstorableText('a text holds a NUL', { cause: error });
  const outage =
    code === undefined
      ? OUTAGE_WORDS.test(error.message) || error instanceof AggregateError
      : OUTAGE_CODES.test(code);
  return outage ? new DatabaseUnavailable('the database is not available', { cause: error }) : error;
}
