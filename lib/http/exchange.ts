// What a handler takes and gives: plain values, so that both doors can call it without building a WHATWG Request.

export type HttpRequest = {
  /** in capitals */
  readonly method: string;
  /** as received, still percent-encoded, without the query */
  readonly path: string;
  /** without the question mark; empty if there was none */
  readonly query: string;
  /** names in lower case */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** at most 64 KiB; read once */
  readonly body: () => Promise<Uint8Array | 'too-large'>;
  /** the socket's peer, where the door knows it */
  readonly peerAddress: string | undefined;
  readonly requestId: string;
};

export type Answer = {
  status: number;
  headers: Record<string, string | string[]>;
  body?: string | Uint8Array;
  /** the OAuth error code that it carries, for metrics; no door sends it */
  error?: string;
};

/** Percent-decoded path parameters. */
export type PathParams = Readonly<Record<string, string>>;

export type Handler = (request: HttpRequest, params: PathParams) => Promise<Answer>;

export const BODY_LIMIT_BYTES = 65_536;
/** Who sends more than this is no longer listened to. */
export const GIVE_UP_BYTES = 16 * BODY_LIMIT_BYTES;
