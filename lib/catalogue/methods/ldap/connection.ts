// A connection to a directory server with ldapts. Because ldapts has no limits, this module adds a deadline for each
// response and closes the connection. It never reconnects, because a new connection would be anonymous.

import { createHash } from 'node:crypto';
import type net from 'node:net';
import tls from 'node:tls';
import type * as ldapts from 'ldapts';
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import type { TypedPassword } from '#lib/kit/typed-password.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { withBreaker } from '#lib/outbound/fetch.ts';
import { outboundSocket, startTls } from '#lib/outbound/socket.ts';
import type { Directory, Server } from './directory.ts';

// Checks each message of a directory before ldapts reads it. If a length is wrong, ldapts loops forever, or treats a
// missing result as success. Therefore only complete and well-formed messages are passed on (RFC 4511 §4, §5.1).

/** Limit for one response with all its entries. */
const MAX_BYTES = 2_097_152;
const MAX_MESSAGES = 4_000;

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const OCTETS = 0x04;
const ENUMERATED = 0x0a;
const CONTROLS = 0xa0;
const ENTRY = 0x64;
const REFERENCE = 0x73;
/** Tags of the results of bind, search and extended operations. */
const RESULTS = [0x61, 0x65, 0x78];

export type Gate = {
  /** called before each request; resets the limits */
  reset: () => void;
  /** the reason why the connection was closed; null: it is open */
  fault: () => string | null;
  /**
   * code of the last result (RFC 4511 §4.1.9), which the library hides if a search finds more than the requested
   * number
   */
  result: () => number;
};

/** Closes the connection at the first invalid byte. */
function gateOf(socket: net.Socket): Gate {
  const push = socket.push.bind(socket);
  let held: Buffer = Buffer.alloc(0);
  let [bytes, messages] = [0, 0];
  let fault: string | null = null;
  let result = 0;
  const check = (chunk: Buffer): boolean => {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new WrongAnswer('its answer is too large');
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let goesOn = true;
    for (let size = sizeOf(held); size !== null && size <= held.length; size = sizeOf(held)) {
      messages += 1;
      if (messages > MAX_MESSAGES) throw new WrongAnswer('its answer has too many entries');
      const message = held.subarray(0, size);
      held = held.subarray(size);
      result = checkMessage(message) ?? result;
      goesOn = push(message);
    }
    return goesOn;
  };
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!Buffer.isBuffer(chunk)) return push(chunk, encoding);
    if (fault !== null) return false;
    try {
      return check(chunk);
    } catch (error) {
      fault = error instanceof WrongAnswer ? error.message : NO_SENSE;
      socket.destroy();
      return false;
    }
  };
  return {
    reset: () => {
      [bytes, messages] = [0, 0];
    },
    fault: () => fault,
    result: () => result,
  };
}

/** Fault of data that is damaged or not LDAP. */
export const NO_SENSE = 'its answer makes no sense';

/** Thrown for an invalid response. The message is constant, because it is logged. */
class WrongAnswer extends Error {}
const requireThat = (holds: boolean) => {
  if (!holds) throw new WrongAnswer(NO_SENSE);
};

/** Size of the first message; null: there are not enough bytes yet. */
function sizeOf(bytes: Buffer): number | null {
  if (bytes.length === 0) return null;
  requireThat(bytes[0] === SEQUENCE);
  const head = lengthAt(bytes, 1);
  if (head === null) return null;
  if (head.length > MAX_BYTES) throw new WrongAnswer('its answer is too large');
  return head.from + head.length;
}

/** Reads the length that starts at a byte, and the position of the value; null: there are not enough bytes yet. */
function lengthAt(bytes: Buffer, at: number): { from: number; length: number } | null {
  const first = bytes[at];
  if (first === undefined) return null;
  if (first < 0x80) return { from: at + 1, length: first };
  const size = first & 0x7f;
  // the indefinite form of lengths is forbidden (RFC 4511 §5.1), and four bytes are enough for any allowed length
  requireThat(size >= 1 && size <= 4);
  if (bytes.length < at + 1 + size) return null;
  return { from: at + 1 + size, length: bytes.readUIntBE(at + 1, size) };
}

type Element = { tag: number; value: Buffer };

/** Returns the elements in these bytes. The bytes must end with the last element. */
function elementsIn(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const head = lengthAt(bytes, at + 1);
    requireThat(head !== null && head.from + head.length <= bytes.length);
    const { from, length } = head as NonNullable<typeof head>;
    elements.push({ tag: bytes[at] as number, value: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return elements;
}

/** Checks a message, and returns the code of its result; null: the message is not a result. */
function checkMessage(message: Buffer): number | null {
  const [whole] = elementsIn(message);
  const [id, operation, controls, ...more] = elementsIn((whole as Element).value);
  requireThat(id?.tag === INTEGER && id.value.length >= 1 && id.value.length <= 4);
  requireThat(more.length === 0 && (controls === undefined || controls.tag === CONTROLS));
  for (const { tag, value } of controls ? elementsIn(controls.value) : []) {
    requireThat(tag === SEQUENCE && elementsIn(value)[0]?.tag === OCTETS);
  }
  requireThat(operation !== undefined);
  const { tag, value } = operation as Element;
  if (tag === ENTRY) checkEntry(elementsIn(value));
  else if (tag === REFERENCE) requireThat(elementsIn(value).every((uri) => uri.tag === OCTETS));
  else {
    const [code, matched, told] = elementsIn(value);
    requireThat(RESULTS.includes(tag) && code?.tag === ENUMERATED && [1, 2].includes(code.value.length));
    requireThat(matched?.tag === OCTETS && told?.tag === OCTETS);
    return (code as Element).value.readUIntBE(0, (code as Element).value.length);
  }
  return null;
}

function checkEntry([name, attributes, ...more]: Element[]): void {
  requireThat(name?.tag === OCTETS && attributes?.tag === SEQUENCE && more.length === 0);
  for (const attribute of elementsIn((attributes as Element).value)) {
    const [type, values, ...rest] = elementsIn(attribute.value);
    requireThat(attribute.tag === SEQUENCE && type?.tag === OCTETS && rest.length === 0);
    requireThat(values?.tag === SET);
    requireThat(elementsIn((values as Element).value).every(({ tag }) => tag === OCTETS));
  }
}

// The verdict of a directory on a bind: accepted, rejected, or no verdict.

/** `code`: result code (RFC 4511 §A.1). `told`: diagnostic text. `policy`: error of the password policy control. */
export type BindAnswer = { code: number; told: string; policy: number | null };

export type BindVerdict =
  | { kind: 'bound' }
  /** `reason`: for the log */
  | { kind: 'refused'; reason: string }
  /** the password is correct, but must be changed */
  | { kind: 'must-change'; reason: string }
  | { kind: 'no-verdict'; because: string };

/**
 * Message of Active Directory: `80090308: LdapErr: DSID-…, comment: AcceptSecurityContext error, data 52e, v4563`.
 */
const DATA = /\bdata ([0-9a-f]{1,8})\b/i;
const BY_DATA: Readonly<Record<string, BindVerdict>> = {
  '525': { kind: 'refused', reason: 'wrong' },
  '52e': { kind: 'refused', reason: 'wrong' },
  '530': { kind: 'refused', reason: 'not-at-this-hour' },
  '531': { kind: 'refused', reason: 'not-at-this-workstation' },
  '532': { kind: 'must-change', reason: 'password-expired' },
  '533': { kind: 'refused', reason: 'disabled' },
  '701': { kind: 'refused', reason: 'expired' },
  '773': { kind: 'must-change', reason: 'password-must-change' },
  '775': { kind: 'refused', reason: 'locked' },
};

/** Error codes of the control for password policies (draft-behera-ldap-password-policy §6.2). */
const EXPIRED = 0;
const LOCKED = 1;
const AFTER_RESET = 2;

const INVALID_CREDENTIALS = 49;
/** Result codes about an account (RFC 4511 §A.1). In 389 Directory Server, 19 means locked and 53 means disabled. */
const ABOUT_PERSON: Readonly<Record<number, string>> = {
  19: 'locked',
  32: 'wrong',
  34: 'wrong',
  48: 'wrong',
  49: 'wrong',
  50: 'disabled',
  53: 'disabled',
};
const NEEDS_TLS = [8, 13];

export function meaningOf({ code, told, policy }: BindAnswer): BindVerdict {
  if (code === 0)
    return policy === AFTER_RESET
      ? { kind: 'must-change', reason: 'password-must-change' }
      : { kind: 'bound' };
  const data = code === INVALID_CREDENTIALS ? DATA.exec(told)?.[1]?.toLowerCase() : undefined;
  const bindVerdict = data === undefined ? undefined : ownValue(BY_DATA, data);
  if (bindVerdict) return bindVerdict;
  if (code === INVALID_CREDENTIALS && policy === EXPIRED)
    return { kind: 'must-change', reason: 'password-expired' };
  if (code === INVALID_CREDENTIALS && policy === LOCKED) return { kind: 'refused', reason: 'locked' };
  const reason = ABOUT_PERSON[code];
  return reason ? { kind: 'refused', reason } : { kind: 'no-verdict', because: inWords(code) };
}

/** The result code as text for the log. It omits the text of the server, because that can name users. */
function inWords(code: number): string {
  if (NEEDS_TLS.includes(code)) return `it wants TLS (result ${code})`;
  if (code === 10) return 'it refers to another server, and referrals are never followed';
  return `it answered with result ${code}`;
}

/** True if the server is busy or shutting down, so that another server should be asked. */
const isAway = (code: number): boolean => code === 51 || code === 52;

/** A result that was caused by a request of Gatehouse, and not by a user. */
export class WrongResult extends Error {
  override name = 'WrongResult';
  readonly code: number;
  readonly told: string;
  constructor(code: number, diagnostic: string) {
    super(inWords(code));
    this.code = code;
    this.told = diagnostic;
  }
}

/** True if there is no usable response, so that the next server is asked. */
export const isSilent = (error: unknown): boolean =>
  error instanceof OutboundFailed || (error instanceof WrongResult && isAway(error.code));

export type Entry = { dn: string; attributes: ReadonlyMap<string, readonly (string | Buffer)[]> };

export type Search = {
  base: string;
  scope: 'base' | 'sub';
  filter: string;
  attributes: string[];
  /** maximum number of entries that are read; if there are more, this number is returned */
  most: number;
  pageSize?: number;
};

/**
 * `having`: only entries with one of these attribute values. Values are bytes, because text cannot represent all of
 * them.
 */
export type WholeSearch = Omit<Search, 'most' | 'pageSize' | 'scope'> & {
  having: { attribute: string; values: Buffer[] };
};

/** Attributes that are returned as bytes. The library compares these names with case. */
const BINARY = ['objectGUID', 'objectSid', 'tokenGroups'];

/** Result code of RFC 4511 §A.1: the size limit was exceeded. */
const SIZE_LIMIT = 4;

export class Connection {
  readonly #client: ldapts.Client;
  readonly #library: typeof ldapts;
  readonly #socket: net.Socket;
  #gate: Gate;
  readonly #timeoutMs: number;
  #isOpen = true;
  #tls: tls.TLSSocket | null;
  #tlsFault: Error | null = null;
  #referrals = 0;

  /** Opens a connection. Rejects with OutboundFailed, or with WrongResult if the server rejects StartTLS. */
  static async open(server: Server, directory: Directory, timeoutMs: number): Promise<Connection> {
    // loaded only by a process that calls a directory, and outside the time limit of the call
    const library = await import('ldapts');
    const trust = { host: server.host, ca: directory.ca };
    const policy = { allowPrivateNetwork: directory.allowPrivateNetwork, timeoutMs };
    const socket = await outboundSocket(server, server.secure ? trust : null, policy);
    const connection = new Connection(library, socket, trust, timeoutMs);
    if (!directory.startTls || server.secure) return connection;
    return connection.#startTls().then(
      () => connection,
      (error: unknown) => {
        connection.close();
        throw error;
      },
    );
  }

  private constructor(
    library: typeof ldapts,
    socket: net.Socket,
    trust: { host: string; ca: string | null },
    timeoutMs: number,
  ) {
    this.#library = library;
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    this.#gate = gateOf(socket);
    this.#tls = socket instanceof tls.TLSSocket ? socket : null;
    socket.once('close', () => {
      this.#isOpen = false;
    });
    this.#client = new library.Client({
      // the address is not used, because the connection already exists
      url: 'ldap://directory.invalid',
      createConnection: () => socket,
      createSecureConnection: () => {
        const upgraded = startTls(socket, trust);
        this.#gate = gateOf(upgraded);
        this.#tls = upgraded;
        upgraded.once('error', (error) => {
          this.#tlsFault = error;
        });
        return upgraded;
      },
    });
  }

  get isOpen(): boolean {
    return this.#isOpen && this.#gate.fault() === null;
  }

  /** The time at which the server's certificate expires; null: the connection has no TLS. */
  get certifiedUntil(): Date | null {
    const { valid_to: until } = this.#tls?.getPeerCertificate() ?? {};
    return until === undefined ? null : new Date(until);
  }

  /** Number of referrals since the last call of this function. */
  takeReferrals(): number {
    const count = this.#referrals;
    this.#referrals = 0;
    return count;
  }

  /** Sets whether the process can exit while this connection is idle. */
  rest(rests: boolean): void {
    if (rests) this.#socket.unref();
    else this.#socket.ref();
  }

  onceClosed(then: () => void): void {
    this.#socket.once('close', then);
  }

  close(): void {
    this.#isOpen = false;
    this.#socket.destroy();
  }

  async #startTls(): Promise<void> {
    await this.#within(() => this.#client.startTLS());
  }

  /** Binds as a user, or as an invented account. */
  bindPerson(dn: string, password: TypedPassword): Promise<BindAnswer> {
    return this.#bind(dn, password);
  }

  /** Binds as the search account of the method. */
  bindSearcher(dn: string, secret: string): Promise<BindAnswer> {
    return this.#bind(dn, secret);
  }

  /** The password is never empty, because the server would then accept an anonymous bind (RFC 4513 §5.1.2). */
  async #bind(dn: string, password: string): Promise<BindAnswer> {
    if (dn === '' || password === '') throw new Error('a bind without a name or a password is anonymous');
    const policy = new this.#library.PasswordPolicyControl();
    try {
      await this.#within(() => this.#client.bind(dn, password, policy));
    } catch (error) {
      if (!(error instanceof WrongResult)) throw error;
      return { code: error.code, told: error.told, policy: policy.value?.error ?? null };
    }
    return { code: 0, told: '', policy: policy.value?.error ?? null };
  }

  /** Searches entries. Referrals are counted and never followed. */
  async search({ base, scope, filter, attributes, most, pageSize }: Search): Promise<Entry[]> {
    const { searchEntries, searchReferences } = await this.#within(() =>
      this.#client.search(base, {
        ...{ scope, filter, attributes, derefAliases: 'never', explicitBufferAttributes: BINARY },
        ...(pageSize === undefined ? { sizeLimit: most } : { paged: { pageSize } }),
        timeLimit: Math.ceil(this.#timeoutMs / 1000),
      }),
    );
    this.#referrals += searchReferences.length;
    // size limit of the server: there are more entries than it returned
    if (this.#gate.result() === SIZE_LIMIT && searchEntries.length < most)
      throw new WrongResult(SIZE_LIMIT, '');
    return searchEntries.slice(0, most).map(entryOf);
  }

  /**
   * Searches below `base`, and fails if the result is incomplete, because ldapts treats the server's size limit as
   * the end. `refers`: a part of the result is on another server.
   */
  async searchWhole(wholeSearch: WholeSearch): Promise<{ entries: Entry[]; refers: boolean }> {
    const { base, having, attributes } = wholeSearch;
    const { AndFilter, EqualityFilter, FilterParser, OrFilter } = this.#library;
    const { attribute } = having;
    const filter = new AndFilter({
      filters: [
        FilterParser.parseString(wholeSearch.filter),
        new OrFilter({ filters: having.values.map((value) => new EqualityFilter({ attribute, value })) }),
      ],
    });
    const { searchEntries, searchReferences } = await this.#within(() =>
      this.#client.search(base, {
        ...{ scope: 'sub', filter, attributes, derefAliases: 'never', explicitBufferAttributes: BINARY },
        timeLimit: Math.ceil(this.#timeoutMs / 1000),
      }),
    );
    return { entries: searchEntries.map(entryOf), refers: searchReferences.length > 0 };
  }

  /** Closes the connection if a response is missing, because a late response could be matched to another request. */
  async #within<Result>(work: () => Promise<Result>): Promise<Result> {
    if (!this.isOpen) throw new OutboundFailed('unreachable');
    this.#gate.reset();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new OutboundFailed('timeout')), this.#timeoutMs);
    const rejectClosed = () => late.reject(new OutboundFailed('unreachable'));
    this.#socket.once('close', rejectClosed);
    try {
      const result = await Promise.race([work(), late.promise]);
      if (this.#gate.fault() !== null) throw new OutboundFailed('bad-answer');
      return result;
    } catch (error) {
      throw this.#failure(error);
    } finally {
      clearTimeout(timer);
      this.#socket.off('close', rejectClosed);
    }
  }

  #failure(error: unknown): Error {
    const fault = this.#gate.fault();
    if (fault === null && error instanceof this.#library.ResultCodeError)
      return new WrongResult(error.code, error.message);
    this.close();
    if (fault !== null) return new OutboundFailed('bad-answer', { cause: new Error(fault) });
    if (this.#tlsFault) return new OutboundFailed('unreachable', { cause: this.#tlsFault });
    return error instanceof OutboundFailed ? error : new OutboundFailed('unreachable', { cause: error });
  }
}

/** Attributes keyed by their name in lower case. Attributes with options are ignored (RFC 4512 §2.5.2). */
function entryOf(entry: ldapts.Entry): Entry {
  const attributes = Object.entries(entry).flatMap(([name, value]) => {
    if (name === 'dn' || name.includes(';')) return [];
    return [[name.toLowerCase(), Array.isArray(value) ? value : [value]] as const];
  });
  return { dn: entry.dn, attributes: new Map(attributes) };
}

// Calls the servers of a directory in order. A server that does not respond moves to the end for a while. Connections
// of the search account are reused.

const ASIDE_MILLISECONDS = 10_000;
const MAX_MILLISECONDS = 5_000;
const IDLE_MILLISECONDS = 30_000;
const MOST_IDLE = 4;

type Idle = { connection: Connection; timer: NodeJS.Timeout };
// one map per process, which the Node server and Next share
const aside = processWide<Map<string, number>>('ldap-aside');
const idle = processWide<Map<string, Idle[]>>('ldap-idle');

/** Thrown for a response after which nobody can be signed in. The message is constant, because it is logged. */
export class NoVerdict extends Error {
  override name = 'NoVerdict';
}

/** Returns fixed words only, because the text of a server may name users. */
export function reasonOf(error: unknown): string {
  if (error instanceof NoVerdict || error instanceof WrongResult) return error.message;
  if (!(error instanceof OutboundFailed)) throw error;
  const { reason, cause } = error;
  return reason === 'bad-answer' && cause instanceof Error ? cause.message : reason;
}

/** A server to call: with a shared connection for searches, and separate connections for users. */
export type At = {
  /** name of the server; null: no state is cached */
  key: string | null;
  searching: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;
  /** runs the work with a separate connection, which is closed afterwards */
  alone: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;
};

/** Runs the work at the first server that responds. If none responds, rejects with the error of the last server. */
export async function atServers<T>(directory: Directory, work: (at: At) => Promise<T>): Promise<T> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => deadline.reject(new OutboundFailed('timeout')), MAX_MILLISECONDS);
  let isLate = false;
  deadline.promise.catch(() => {
    isLate = true;
  });
  const ask = async (): Promise<T> => {
    let failure: unknown = new OutboundFailed('unreachable');
    for (const server of inOrder(directory)) {
      if (isLate) break;
      const key = keyOf(directory, server);
      try {
        return await withBreaker(key, () => work(atServer(directory, server)));
      } catch (error) {
        failure = error;
        if (!isSilent(error)) throw error;
        aside.value ??= new Map();
        aside.value.set(key, now().getTime() + ASIDE_MILLISECONDS);
      }
    }
    throw failure;
  };
  try {
    return await Promise.race([ask(), deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const keyOf = (directory: Directory, server: Server) => `${directory.methodId} ${server.url}`;

function inOrder(directory: Directory): Server[] {
  const waits = (server: Server) => (aside.value?.get(keyOf(directory, server)) ?? 0) > now().getTime();
  return [...directory.servers].sort((a, b) => Number(waits(a)) - Number(waits(b)));
}

function atServer(directory: Directory, server: Server): At {
  return {
    key: keyOf(directory, server),
    searching: (work) => searching(directory, server, work),
    alone: (work) => alone(directory, server, work),
  };
}

/** Opens a new connection each time, and closes it afterwards. */
export const triedAt = (directory: Directory, server: Server): At => ({
  key: null,
  searching: (work) =>
    alone(directory, server, async (connection) => {
      await bindSearcher(directory, connection);
      return work(connection);
    }),
  alone: (work) => alone(directory, server, work),
});

const openTo = (directory: Directory, server: Server) =>
  Connection.open(server, directory, directory.timeoutMs);

async function alone<T>(
  directory: Directory,
  server: Server,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await openTo(directory, server);
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

async function searching<T>(
  directory: Directory,
  server: Server,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const key = poolKey(directory, server);
  const used = takeIdle(key);
  if (used) {
    try {
      return await lending(key, used, work);
    } catch (error) {
      // the connection was closed since its last use, so a new connection shows whether the server is available
      if (!(error instanceof OutboundFailed) || error.reason !== 'unreachable') throw error;
    }
  }
  const connection = await openTo(directory, server);
  try {
    await bindSearcher(directory, connection);
  } catch (error) {
    connection.close();
    throw error;
  }
  return lending(key, connection, work);
}

async function bindSearcher({ searcher }: Directory, connection: Connection): Promise<void> {
  if (searcher === null) return;
  if (!searcher.password) throw new NoVerdict('bind_password is missing');
  const answer = await connection.bindSearcher(searcher.dn, searcher.password);
  const meaning = meaningOf(answer);
  if (meaning.kind === 'bound') return;
  if (meaning.kind === 'no-verdict') throw new WrongResult(answer.code, answer.told);
  throw new NoVerdict(`bind_dn or bind_password is not accepted (${meaning.reason})`);
}

/** Runs the work with a pooled connection, then returns the connection to the pool. */
async function lending<T>(
  key: string,
  connection: Connection,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  try {
    return await work(connection);
  } finally {
    putIdle(key, connection);
  }
}

/**
 * Returns the key of a pool of connections. A different password, authority or address needs a different
 * connection.
 */
function poolKey(
  { methodId, searcher, ca, startTls, allowPrivateNetwork }: Directory,
  server: Server,
): string {
  const facts = JSON.stringify([methodId, server.url, searcher, ca, startTls, allowPrivateNetwork]);
  return createHash('sha256').update(facts).digest('base64url');
}

function takeIdle(key: string): Connection | null {
  const waiting = idle.value?.get(key) ?? [];
  for (let idleConnection = waiting.pop(); idleConnection !== undefined; idleConnection = waiting.pop()) {
    clearTimeout(idleConnection.timer);
    if (!idleConnection.connection.isOpen) continue;
    idleConnection.connection.rest(false);
    return idleConnection.connection;
  }
  return null;
}

function putIdle(key: string, connection: Connection): void {
  idle.value ??= new Map();
  const waiting = idle.value.get(key) ?? [];
  if (!connection.isOpen || waiting.length >= MOST_IDLE) {
    connection.close();
    return;
  }
  connection.rest(true);
  const timer = setTimeout(() => {
    connection.close();
    const left = (idle.value?.get(key) ?? []).filter(
      (idleConnection) => idleConnection.connection !== connection,
    );
    if (left.length === 0) idle.value?.delete(key);
    else idle.value?.set(key, left);
  }, IDLE_MILLISECONDS);
  timer.unref();
  idle.value.set(key, [...waiting, { connection, timer }]);
}
