// The one pool, shared by both doors and by Prisma's adapter, and the only place that knows how an outage looks.
// Hot statements are prepared: their name is their text's promise never to change under it.
import pg from 'pg';
import { log } from '#lib/kit/index.ts';
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
    const { databaseUrl, databasePoolMax } = settings();
    slot[SLOT] = new pg.Pool({
      connectionString: databaseUrl,
      max: databasePoolMax,
      // without it a caller waits for ever when the pool is full
      connectionTimeoutMillis: 2_000,
      idleTimeoutMillis: 30_000,
      // a pooler refuses connections that bring settings of their own
      ...(isPooled() ? {} : { statement_timeout: 5_000 }),
      query_timeout: 7_000,
      application_name: 'gatehouse',
      // Prisma's adapter reads and writes times without their offset
      onConnect: (client) => client.query("set time zone 'UTC'") as never,
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

/** Behind a transaction pooler the next statement may meet another connection: nothing is prepared there. */
function isPooled(): boolean {
  const { databaseUrl, directUrl } = settings();
  return databaseUrl !== directUrl;
}

function timed({ name, ...statement }: Statement): Statement & { query_timeout?: number } {
  if (name === undefined) return statement;
  const hot = { ...statement, query_timeout: HOT_TIMEOUT_MS };
  return isPooled() ? hot : { ...hot, name };
}

export async function query<Row = Record<string, unknown>>(statement: Statement): Promise<Row[]> {
  try {
    return (await pool().query(timed(statement))).rows as Row[];
  } catch (error) {
    throw outage(error);
  }
}

/** Several statements as one: all or nothing. */
export async function transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
  let client: pg.PoolClient;
  try {
    client = await pool().connect();
  } catch (error) {
    throw outage(error);
  }
  let broken = false;
  // lost between two statements: without a listener that would end the process
  const lost = () => {
    broken = true;
  };
  client.on('error', lost);
  try {
    await client.query('begin');
    const result = await work(async (statement) => (await client.query(timed(statement))).rows as never);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {
      broken = true;
    });
    throw outage(error);
  } finally {
    client.off('error', lost);
    client.release(broken);
  }
}

/** For metrics: connections that are open and busy, open and idle, and callers that wait for one. */
export function poolStats(): { busy: number; idle: number; waiting: number } {
  const { totalCount = 0, idleCount = 0, waitingCount = 0 } = slot[SLOT] ?? {};
  return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}

export async function closePool(): Promise<void> {
  const open = slot[SLOT];
  delete slot[SLOT];
  await open?.end();
}

const OUTAGE_CODES =
  /^(57P0[1-5]|57014|53\d{3}|08\d{3}|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT)$/;
/** Prisma's own: not reachable, timed out, closed, no connection free, no transaction to be had, too many. */
const PRISMA_CODES = /^(P1001|P1002|P1008|P1017|P2024|P2028|P2037)$/;
const OUTAGE_WORDS = /timeout|terminated|Connection ended|not queryable|ECONNREFUSED/i;

/** An outage becomes DatabaseUnavailable; pool timeouts come as plain errors without a code. */
export function outage(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error;
  const codes = codesOf(error);
  if (codes.includes('22021')) return new UnstorableText('a text holds a NUL', { cause: error });
  const found =
    codes.length === 0
      ? OUTAGE_WORDS.test(error.message) || error instanceof AggregateError
      : codes.some((code) => OUTAGE_CODES.test(code) || PRISMA_CODES.test(code));
  return found ? new DatabaseUnavailable('the database is not available', { cause: error }) : error;
}

/** PostgreSQL's or the system's code, which Prisma wraps twice. */
function codesOf(error: Error): string[] {
  type Wrapped = { originalCode?: string };
  const { code, meta, cause } = error as {
    code?: string;
    meta?: { driverAdapterError?: { cause?: Wrapped } };
    cause?: Wrapped;
  };
  const codes = [code, meta?.driverAdapterError?.cause?.originalCode, cause?.originalCode];
  return codes.filter((one) => one !== undefined);
}
