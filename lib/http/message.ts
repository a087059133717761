// An HTTP request and its answer as plain values, so that both doors call the same handlers without a WHATWG Request.
import { INTERFACE_VERSION } from '#lib/kit/version.ts';
import type { Words } from '#lib/language/words.ts';
import { type HtmlSecurity, htmlSecurityHeaders } from './security-headers.ts';

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

// Answers: JSON, HTML, empty, redirect. None may be cached unless the caller says so.

const NO_STORE = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return jsonText(status, JSON.stringify(value), headers);
}

/** `body` is JSON text already. */
export function jsonText(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...NO_STORE, ...headers }, body };
}

export function empty(status: number, headers: Record<string, string> = {}): Answer {
  return { status, headers: { ...NO_STORE, ...headers } };
}

export function html(
  status: number,
  body: string,
  {
    headers,
    words,
    ...security
  }: HtmlSecurity & { words?: Words; headers?: Record<string, string | string[]> },
): Answer {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      ...NO_STORE,
      ...htmlSecurityHeaders(security),
      ...(words && { 'content-language': words.language, vary: 'Accept-Language, Cookie' }),
      ...headers,
    },
    body,
  };
}

/** 302 or 303 only: a 307 or 308 would post a password or a secret a second time (RFC 9700 §4.12). */
export function redirect(
  status: 302 | 303,
  location: string,
  headers: Record<string, string | string[]> = {},
): Answer {
  return { status, headers: { location, ...NO_STORE, ...headers } };
}

/** One error of HTTPValidationError, the 422 of Area A; OAuth endpoints never send it. */
export type ValidationError = {
  loc: (string | number)[];
  msg: string;
  type: string;
  input?: unknown;
  ctx?: Record<string, unknown>;
};

export function validationError(errors: ValidationError[]): Answer {
  return json(422, { detail: errors });
}

// Liveness: the process is up. It asks nothing of the database, so the Node door answers it while the rest is still
// being loaded.

export const aliveAnswer = (): Answer => json(200, { status: 'ok', version: INTERFACE_VERSION });
