// The connection pools, shared by the Node server, the Next routes and Prisma's adapter. Only this module decides
// whether an error is an outage. Each connection prepares a hot statement under its name at first use, so names are
// unique within a process.
import pg from 'pg';
import { log } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process.ts';
import { UnstorableValue } from '#lib/kit/text.ts';
import { settings } from '#lib/settings/settings.ts';

// PostgreSQL connection options from a database address, and hints for refused connections (docs/reference/settings.md).

/**
 * Returns options for `pg`, with which each version of the driver verifies at least as strictly as `sslmode` demands.
 */
export function connectTo(url: string): { connectionString: string; enableChannelBinding: boolean } {
  const [address = '', query = ''] = url.split(/\?(.*)/s);
  // The driver currently verifies chain and host name for these modes, but has announced weaker checks.
  const checked = query.replace(/(^|&)sslmode=(?:prefer|require|verify-ca)(?=&|$)/g, '$1sslmode=verify-full');
  return {
    connectionString: query === '' ? address : `${address}?${checked}`,
    enableChannelBinding: /(^|&)channel_binding=(?:prefer|require)(&|$)/.test(query),
  };
}

/** OpenSSL and Node.js codes for rejected certificates. */
const CERTIFICATE_CODES =
  /^(UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE)|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|CERT_[A-Z_]+|INVALID_CA|ERR_TLS_[A-Z_]+)$/;
/** Returns a hint for a refused connection, which is appended to the driver's message. Empty if there is none. */
function connectionHint(message: string, codes: readonly string[]): string {
  const has = (code: RegExp, words: RegExp) =>
    codes.some((errorCode) => code.test(errorCode)) || words.test(message);
  if (has(/^ERR_TLS_CERT_ALTNAME_INVALID$/, /^Hostname\/IP does not match/))
    return '. Name the host that the certificate names; sslmode=verify-ca and require ask for that too';
  if (has(/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, /^certificate (has expired|is not yet valid)/)) return '';
  if (has(CERTIFICATE_CODES, /^(unable to (verify|get)|self-signed certificate)/))
    return ". Name the certificate authority of the database's provider: sslmode=verify-full&sslrootcert=/path/ca.crt, or NODE_EXTRA_CA_CERTS";
  if (message.startsWith('The server does not support SSL'))
    return '. Switch ssl on there, or leave sslmode out of the address';
  return isPoolerRefusal(message, codes) ? `: ${POOLER}` : '';
}

const POOLER =
  'a connection pooler is there; name the database past it in DIRECT_URL, see docs/operate/database.md';

/** true for an error of PgBouncer or RDS Proxy */
const isPoolerRefusal = (message: string, codes: readonly string[]) =>
  /^unsupported startup parameter/i.test(message) || (codes.includes('0A000') && /proxy/i.test(message));

/**
 * Returns an error if the server ignored a parameter, otherwise null. `taken`: parameters that the server reports after
 * connecting.
 */
export function ignoredParameter(taken: Readonly<Record<string, string>>): string | null {
  const lost = Object.entries(STARTUP_PARAMETERS).find(([name, value]) => taken[name] !== value);
  return lost === undefined
    ? null
    : `the parameter ${lost[0]} is not taken at the start of a connection: ${POOLER}`;
}

/**
 * One example of each kind of startup parameter. Gatehouse's connections send these parameters if no pooler is used.
 */
export const STARTUP_PARAMETERS = { statement_timeout: '5s', plan_cache_mode: 'force_generic_plan' } as const;

// A commit that waits for a synchronous replica can be cancelled, for example when an operator sends pg_cancel_backend
// to hanging statements. PostgreSQL then warns and reports success, but only this server has the transaction, which is
// lost if the replica becomes the primary. Gatehouse lets the statement fail (docs/project/decisions/0027).

/** PostgreSQL function that waits for replicas. Unlike message text, its name is language-independent. */
const WAIT = 'SyncRepWaitForLSN';

/** Makes a commit fail that may be missing on the replica. The error is the same as for a lost connection. */
function refuseUnreplicated(client: pg.ClientBase): void {
  client.on('notice', ({ routine }) => {
    if (routine !== WAIT || !(client instanceof pg.Client)) return;
    // emitted before the client reads the success message, so that the query fails and the pool replaces the connection
    client.connection.emit('error', new Error('Connection terminated: the replica may lack this commit'));
  });
}

/** Named statements are prepared once per connection. `giveUpMs` overrides the timeout: 2.5 s named, 7 s unnamed. */
export type Statement = { name?: string; text: string; values?: unknown[]; giveUpMs?: number };
export type Run = <Row = Record<string, unknown>>(statement: Statement) => Promise<Row[]>;

/** Thrown if the database is unreachable, which is never the caller's fault. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/**
 * Number of connections for batched statements (statement.ts), with settings that keep the plans of these
 * statements stable.
 */
const LANES = 4;
const LANE_SETTINGS = [
  // generic index plan, because a plan for an empty table would later scan the full table
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  // before PostgreSQL 18, high cost estimates of these plans trigger JIT on every run
  'jit=off',
  // a single locked row must not delay the whole batch
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
  // half of a small pool remains for unbatched requests
  const lanes = Math.min(LANES, Math.floor(databasePoolMax / 2));
  // a pooler rejects connections with their own settings, and a very small pool is not divided
  if (isPooled() || databasePoolMax <= LANES) {
    const pool = makePool(databasePoolMax);
    return { main: pool, lanes: pool };
  }
  const options = LANE_SETTINGS.map((setting) => `-c ${setting}`).join(' ');
  return { main: makePool(databasePoolMax - lanes), lanes: makePool(lanes, options) };
}

function makePool(max: number, options?: string): pg.Pool {
  const pool = new pg.Pool({
    ...connectTo(settings().databaseUrl),
    max,
    // otherwise callers wait forever on a full pool
    connectionTimeoutMillis: 2_000,
    idleTimeoutMillis: 30_000,
    ...(isPooled() ? {} : { statement_timeout: 5_000 }),
    query_timeout: 7_000,
    application_name: 'gatehouse',
    // the time zone must be UTC, because Prisma's adapter reads and writes times without a zone
    onConnect: async (client) => {
      refuseUnreplicated(client);
      await client.query("set time zone 'UTC'");
    },
    ...(options === undefined ? {} : { options }),
  });
  // logs the message only, because pg attaches the client with its password to the error
  pool.on('error', (error) => log().warn({ reason: error.message }, 'an idle database connection was lost'));
  return pool;
}

export function pool(): pg.Pool {
  return pools().main;
}

/** Timeout of a hot statement in milliseconds: a user or a hidden iframe waits for it. */
const HOT_TIMEOUT_MS = 2_500;

/**
 * True behind a transaction pooler. The next statement may use another connection there, so nothing is
 * prepared.
 */
function isPooled(): boolean {
  const { databaseUrl, directUrl } = settings();
  return databaseUrl !== directUrl;
}

export function timedStatement({ name, giveUpMs, text, values = [] }: Statement) {
  const statement = { text, values };
  if (name === undefined)
    return giveUpMs === undefined ? statement : { ...statement, query_timeout: giveUpMs };
  const hot = { ...statement, query_timeout: giveUpMs ?? HOT_TIMEOUT_MS };
  return isPooled() ? hot : { ...hot, name };
}

export async function query<Row = Record<string, unknown>>(statement: Statement): Promise<Row[]> {
  return (await send(timedStatement(statement))).rows;
}

/** Runs a statement on the connections for batched statements. */
export async function queryLane<Row = Record<string, unknown>>(statement: Statement): Promise<Row[]> {
  return (await send(timedStatement(statement), pools().lanes)).rows;
}

/**
 * Runs a single statement. If a concurrent transaction stopped it, it has changed nothing, so a retry is safe and sees
 * the new state.
 */
export async function send(
  statement: pg.QueryConfig,
  from = pools().main,
  triesLeft = 2,
): Promise<pg.QueryResult> {
  try {
    return await from.query(statement);
  } catch (error) {
    if (triesLeft > 0 && isOvertaken(error)) return send(statement, from, triesLeft - 1);
    throw outage(error);
  }
}

/**
 * True for a deadlock, or if a referenced row was deleted during the wait: for example, a user is deleted while a token
 * is issued.
 */
function isOvertaken(error: unknown): boolean {
  return error instanceof Error && codesOf(error).some((code) => code === '40P01' || code === '23503');
}

/** True if another transaction wrote the same unique value first. */
export const isUniqueFault = (error: unknown): boolean =>
  error instanceof Error && codesOf(error).includes('23505');

/** Returns numbers for the metrics. `waiting`: callers without a connection. */
export function poolStats(): { busy: number; idle: number; waiting: number } {
  const { main, lanes } = slot.value ?? {};
  const all = [...new Set([main, lanes])].filter((pool) => pool !== undefined);
  const sum = (of: (one: pg.Pool) => number) =>
    all.reduce((total, connectionPool) => total + of(connectionPool), 0);
  const idle = sum((connectionPool) => connectionPool.idleCount);
  return {
    busy: sum((connectionPool) => connectionPool.totalCount) - idle,
    idle,
    waiting: sum((connectionPool) => connectionPool.waitingCount),
  };
}

export async function closePool(): Promise<void> {
  const open = slot.value;
  slot.value = undefined;
  if (open) await Promise.all([...new Set([open.main, open.lanes])].map((pool) => pool.end()));
}

/** PostgreSQL and system error codes of an outage. 08P01: PgBouncer has no server, or its wait timed out. */
const OUTAGE_CODES =
  /^(57P0[1-5]|57014|53\d{3}|08[\dP]\d\d|25006|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT)$/;
const OUTAGE_WORDS = /does not support SSL|timeout|terminated|Connection ended|not queryable|ECONNREFUSED/i;

/**
 * Errors of an invalid value, not of the database: NUL, lone surrogate (also in jsonb), malformed UUID, number or
 * time out of range, oversized index key. Input validation rejects most of them earlier.
 */
const UNSTORABLE_CODES = /^(22021|22P0[235]|2200[378]|54000)$/;

/**
 * Converts an outage to DatabaseUnavailable, and an unstorable value to UnstorableValue. Pool timeouts have no code.
 */
export function outage(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error;
  const codes = codesOf(error);
  if (error instanceof UnstorableValue) return error;
  if (codes.some((code) => UNSTORABLE_CODES.test(code))) {
    return new UnstorableValue('can not be stored', null, { cause: error });
  }
  const isOurs = error.name !== 'Error' && !error.name.startsWith('Prisma');
  const isOutage =
    codes.length === 0
      ? (!isOurs && OUTAGE_WORDS.test(error.message)) || error instanceof AggregateError
      : codes.some((code) => OUTAGE_CODES.test(code) || CERTIFICATE_CODES.test(code));
  return isOutage ? new DatabaseUnavailable('the database is not available', { cause: error }) : error;
}

/** True for a timeout, and false for a lost or refused connection. */
export function isTimeout({ cause }: DatabaseUnavailable): boolean {
  return cause instanceof Error && /timeout/i.test(cause.message);
}

/** Codes for an unknown role, a wrong password and an unknown database. */
const REFUSED_CODES = /^(28[0-9A-Z]{3}|3D000)$/;

/** Returns one line for operators with the reason of an outage. Null for a different error. */
export function whyUnreachable(error: unknown): string | null {
  if (error instanceof DatabaseUnavailable) return whyUnreachable(error.cause) ?? error.message;
  if (!(error instanceof Error)) return null;
  const codes = codesOf(error);
  const refused =
    codes.some((code) => REFUSED_CODES.test(code)) || connectionHint(error.message, codes) !== '';
  if (!refused && !(outage(error) instanceof DatabaseUnavailable)) return null;
  // an AggregateError has no message, because each tried address has a separate error
  const firstError = error instanceof AggregateError ? (error.errors[0] as Error | undefined) : error;
  const line = firstError?.message.split('\n')[0] || 'no answer';
  return `${line}${connectionHint(line, codes)}`;
}

/** Returns the codes of PostgreSQL, the system and Prisma, which wraps errors of statements. */
function codesOf(error: Error): string[] {
  const { code, meta } = error as {
    code?: string;
    meta?: { driverAdapterError?: { cause?: { originalCode?: string } } };
  };
  return [code, meta?.driverAdapterError?.cause?.originalCode].filter((errorCode) => errorCode !== undefined);
}
