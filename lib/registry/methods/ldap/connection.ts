// One connection to one server of a directory, by ldapts, which has no limits of its own: each answer has a deadline
// here, and each connection its end. Nothing reconnects: a new connection would be anonymous.
import type net from 'node:net';
import tls from 'node:tls';
import type * as ldapts from 'ldapts';
import type { TypedPassword } from '#lib/kit/typed-password.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundSocket, secured } from '#lib/outbound/socket.ts';
import { type BindAnswer, WrongResult } from './answers.ts';
import type { Directory, Server } from './directory.ts';
import { type Gate, gateOf } from './gate.ts';

export type Entry = { dn: string; attributes: ReadonlyMap<string, readonly (string | Buffer)[]> };

export type Search = {
  base: string;
  scope: 'base' | 'sub';
  filter: string;
  attributes: string[];
  /** at most so many are read; more than that is as many */
  most: number;
  pageSize?: number;
};

/** `having`: entries with one of these values in the attribute, and no others; a text holds no bytes. */
export type WholeSearch = Omit<Search, 'most' | 'pageSize' | 'scope'> & {
  having: { attribute: string; values: Buffer[] };
};

/** They come as bytes; the library compares these names with case. */
const BINARY = ['objectGUID', 'objectSid', 'tokenGroups'];

/** RFC 4511 §A.1 */
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

  /** Rejects with OutboundFailed, or with WrongResult where StartTLS is refused. */
  static async open(server: Server, directory: Directory, timeoutMs: number): Promise<Connection> {
    // only a process that asks a directory needs it, and loading it is no part of the time
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
      // the connection is there already; the address is never used
      url: 'ldap://directory.invalid',
      createConnection: () => socket,
      createSecureConnection: () => {
        const upgraded = secured(socket, trust);
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

  /** Until when the certificate of the server is valid; null: there is no TLS. */
  get certifiedUntil(): Date | null {
    const { valid_to: until } = this.#tls?.getPeerCertificate() ?? {};
    return until === undefined ? null : new Date(until);
  }

  /** How many referrals came since this was asked last. */
  takeReferrals(): number {
    const count = this.#referrals;
    this.#referrals = 0;
    return count;
  }

  /** While it is not used, it keeps no process running. */
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

  /** As a person, or as an invented one. */
  bindPerson(dn: string, password: TypedPassword): Promise<BindAnswer> {
    return this.#bind(dn, password);
  }

  /** As the account of the method. */
  bindSearcher(dn: string, secret: string): Promise<BindAnswer> {
    return this.#bind(dn, secret);
  }

  /** The password is never empty: that would be an anonymous bind that succeeds (RFC 4513 §5.1.2). */
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

  /** Referrals are counted and never followed. */
  async search({ base, scope, filter, attributes, most, pageSize }: Search): Promise<Entry[]> {
    const { searchEntries, searchReferences } = await this.#within(() =>
      this.#client.search(base, {
        ...{ scope, filter, attributes, derefAliases: 'never', explicitBufferAttributes: BINARY },
        ...(pageSize === undefined ? { sizeLimit: most } : { paged: { pageSize } }),
        timeLimit: Math.ceil(this.#timeoutMs / 1000),
      }),
    );
    this.#referrals += searchReferences.length;
    // a limit of the server's own: there are more than it gives
    if (this.#gate.result() === SIZE_LIMIT && searchEntries.length < most)
      throw new WrongResult(SIZE_LIMIT, '');
    return searchEntries.slice(0, most).map(entryOf);
  }

  /**
   * Below `base`, without a limit of our own: ldapts takes a limit that the server keeps for the end of the answer.
   * `refers`: something is at another server.
   */
  async searchWhole(asked: WholeSearch): Promise<{ entries: Entry[]; refers: boolean }> {
    const { base, having, attributes } = asked;
    const { AndFilter, EqualityFilter, FilterParser, OrFilter } = this.#library;
    const { attribute } = having;
    const filter = new AndFilter({
      filters: [
        FilterParser.parseString(asked.filter),
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

  /** Ends the connection where no answer comes, so that a late one is not taken for another one. */
  async #within<Result>(work: () => Promise<Result>): Promise<Result> {
    if (!this.isOpen) throw new OutboundFailed('unreachable');
    this.#gate.reset();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new OutboundFailed('timeout')), this.#timeoutMs);
    const closed = () => late.reject(new OutboundFailed('unreachable'));
    this.#socket.once('close', closed);
    try {
      const result = await Promise.race([work(), late.promise]);
      if (this.#gate.fault() !== null) throw new OutboundFailed('bad-answer');
      return result;
    } catch (error) {
      throw this.#failure(error);
    } finally {
      clearTimeout(timer);
      this.#socket.off('close', closed);
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

/** By name in small letters; those with options (RFC 4512 §2.5.2) are left out. */
function entryOf(found: ldapts.Entry): Entry {
  const attributes = Object.entries(found).flatMap(([name, value]) => {
    if (name === 'dn' || name.includes(';')) return [];
    return [[name.toLowerCase(), Array.isArray(value) ? value : [value]] as const];
  });
  return { dn: found.dn, attributes: new Map(attributes) };
}
