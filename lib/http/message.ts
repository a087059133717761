// An HTTP request and its answer as plain values, so that both doors call the same handlers without a WHATWG Request.

export type HttpRequest = {
  /** in capitals */
  readonly method: string;
  /** as received: percent-encoded, without the query */
  readonly path: string;
  /** without the question mark; empty if there was none */
  readonly query: string;
  /** names in lower case */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** at most 64 KiB, or what the first caller takes; the socket is read once */
  readonly body: (limit?: number) => Promise<Uint8Array | 'too-large'>;
  /** the socket's peer, where the door knows it */
  readonly peerAddress: string | undefined;
  readonly requestId: string;
};

export type Answer = {
  status: number;
  headers: Record<string, string | string[]>;
  body?: string | Uint8Array;
  /** a long body instead, whose next piece is made when there is room for it; where one fails, the answer breaks off */
  pieces?: AsyncGenerator<string>;
  /** the OAuth error code in the answer, for metrics; no door sends it */
  error?: string;
};

/** Percent-decoded path parameters. */
export type PathParams = Readonly<Record<string, string>>;

export const BODY_LIMIT_BYTES = 65_536;
/**
 * The connection of a request with a larger body than this is closed. Where a file is taken much more is read on: a
 * photograph that a phone made gets an answer too.
 */
export const giveUpBytes = (limit: number): number => (limit > BODY_LIMIT_BYTES ? 100 : 16) * limit;
