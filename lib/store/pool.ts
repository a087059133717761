// The connections, shared by both doors and by Prisma's adapter, and the only place that knows how an outage looks.
// Hot statements are prepared: their name is their text's promise never to change under it.
import pg from 'pg';
import { log, processWide, UnstorableValue } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';

/** With a name it is prepared once a connection. `giveUpMs`: another time than 2.5 s for a named one, 7 s for the others. */
export type Statement = { name?: string; text: string; values: unknown[]; giveUpMs?: number };
export type Run = <Row = Record<string, unknown>>(statement: Statement) => Promise<Row[]>;

/** The database can not be asked right now; never the caller's fault. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/** Shared statements (see batch.ts) have connections of their own, where their plans can not go wrong. */
const LANES = 4;
const LANE_SETTINGS = [
  // planned once, and always by key: a plan made while a table was still empty would read all of it later
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  // before version 18 a plan without its favourite means looks expensive enough to be compiled, each time
  'jit=off',
  // one row that somebody else holds must not keep everyone waiting
  'lock_timeout=300',
];

type Pools = { main: pg.Pool; lanes: pg.Pool };

const slot = processWide<Pools>('pool');

function pools(): Pools {
  slot.value ??= open();
  return slot.value;
}

function open(): Pools {
  const { databasePoolMax } = settings();
  // a pooler refuses connections that bring settings of their own, and a small budget is not divided
  if (isPooled() || databasePoolMax <= LANES) {
    const one = makePool(databasePoolMax);
    return { main: one, lanes: one };
  }
  const options = LANE_SETTINGS.map((setting) => `-c ${setting}`).join(' ');
  return { main: makePool(databasePoolMax - LANES), lanes: makePool(LANES, options) };
}

function makePool(max: number, options?: string): pg.Pool {
  const made = new pg.Pool({
    connectionString: settings().databaseUrl,
    max,
    // without it a caller waits for ever when the pool is full
    connectionTimeoutMillis: 2_000,
    idleTimeoutMillis: 30_000,
    ...(isPooled() ? {} : { statement_timeout: 5_000 }),
    query_timeout: 7_000,
    application_name: 'gatehouse',
    // Prisma's adapter reads and writes times without their offset
    onConnect: async (client) => {
      await client.query("set time zone 'UTC'");
    },
    ...(options === undefined ? {} : { options }),
  });
  // never the error itself: pg hangs the whole client on it, its password too
  made.on('error', (error) => log().warn({ reason: error.message }, 'an idle database connection was lost'));
  return made;
}

export function pool(): pg.Pool {
  return pools().main;
}

/** A person, or a hidden iframe, waits for a hot statement: a database that hangs is given up on sooner. */
const HOT_TIMEOUT_MS = 2_500;

/** Behind a transaction pooler the next statement may meet another connection: nothing is prepared there. */
function isPooled(): boolean {
  const { databaseUrl, directUrl } = settings();
  return databaseUrl !== directUrl;
}

function timed({ name, giveUpMs, ...statement }: Statement) {
  if (name === undefined)
    return giveUpMs === undefined ? statement : { ...statement, query_timeout: giveUpMs };
  const hot = { ...statement, query_timeout: giveUpMs ?? HOT_TIMEOUT_MS };
  return isPooled() ? hot : { ...hot, name };
}

export function query<Row = Record<string, unknown>>(statement: Statement): Promise<Row[]> {
  return ask<Row>(pools().main, statement);
}

/** The same on a lane. */
export function queryLane<Row = Record<string, unknown>>(statement: Statement): Promise<Row[]> {
  return ask<Row>(pools().lanes, statement);
}

async function ask<Row>(from: pg.Pool, statement: Statement): Promise<Row[]> {
  try {
    return (await from.query(timed(statement))).rows as Row[];
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
    const result = await work(async (statement) => (await client.query(timed(statement))).rows);
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
  const { main, lanes } = slot.value ?? {};
  const all = [...new Set([main, lanes])].filter((one) => one !== undefined);
  const sum = (of: (one: pg.Pool) => number) => all.reduce((total, one) => total + of(one), 0);
  const idle = sum((one) => one.idleCount);
  return { busy: sum((one) => one.totalCount) - idle, idle, waiting: sum((one) => one.waitingCount) };
}

export async function closePool(): Promise<void> {
  const open = slot.value;
  slot.value = undefined;
  if (open) await Promise.all([...new Set([open.main, open.lanes])].map((one) => one.end()));
}

const OUTAGE_CODES =
  /^(57P0[1-5]|57014|53\d{3}|08\d{3}|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT)$/;
/** Prisma's own: not reachable, timed out, closed, no connection free, no transaction to be had, too many. */
const PRISMA_CODES = /^(P1001|P1002|P1008|P1017|P2024|P2028|P2037)$/;
const OUTAGE_WORDS = /timeout|terminated|Connection ended|not queryable|ECONNREFUSED/i;

/**
 * A NUL or half a character (in a jsonb too), no UUID, a number or a time out of range, a key that no index holds: what was
 * sent, not the database, is at fault. The doors refuse what they can; this is for what got past them.
 */
const UNSTORABLE_CODES = /^(22021|22P0[235]|2200[378]|54000)$/;

/** An outage becomes DatabaseUnavailable, a value that can not be stored UnstorableValue; pool timeouts come as plain errors without a code. */
export function outage(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error;
  const codes = codesOf(error);
  if (error instanceof UnstorableValue) return error;
  if (codes.some((code) => UNSTORABLE_CODES.test(code))) {
    return new UnstorableValue('can not be stored', null, { cause: error });
  }
  const found =
    codes.length === 0
      ? OUTAGE_WORDS.test(error.message) || error instanceof AggregateError
      : codes.some((code) => OUTAGE_CODES.test(code) || PRISMA_CODES.test(code));
  return found ? new DatabaseUnavailable('the database is not available', { cause: error }) : error;
}

/** Nobody answered in time, as against a connection that was lost or refused. */
export function isTimeout({ cause }: DatabaseUnavailable): boolean {
  return cause instanceof Error && /timeout/i.test(cause.message);
}

/** Refusals at the door: an unknown role or a wrong password, an unknown database. */
const REFUSED_CODES = /^(28[0-9A-Z]{3}|3D000)$/;

/** One line for the operator: why the database can not be asked; null where that is not what went wrong. */
export function whyUnreachable(error: unknown): string | null {
  if (error instanceof DatabaseUnavailable) return whyUnreachable(error.cause) ?? error.message;
  if (!(error instanceof Error)) return null;
  const refused = codesOf(error).some((code) => REFUSED_CODES.test(code));
  if (!refused && !(outage(error) instanceof DatabaseUnavailable)) return null;
  // each address that was tried has an error of its own, and the whole has no words
  const said = error instanceof AggregateError ? (error.errors[0] as Error | undefined) : error;
  return said?.message.split('\n')[0] || 'no answer';
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
