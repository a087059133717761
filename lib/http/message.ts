// HTTP requests and responses as plain values, so that the Node server and Next call the same handlers, without a
// WHATWG Request.
import { INTERFACE_VERSION } from '#lib/kit/version.ts';
import type { Words } from '#lib/language/words.ts';
import { type HtmlSecurity, htmlSecurityHeaders } from './security-headers.ts';

export type HttpRequest = {
  /** the method in upper case */
  readonly method: string;
  /** as received: percent-encoded and without the query */
  readonly path: string;
  /** without the question mark; empty: there is no query */
  readonly query: string;
  /** header fields, with names in lower case */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** the default maximum is 64 KiB; the first caller sets the limit, because the body can be read only once */
  readonly body: (limit?: number) => Promise<Uint8Array | 'too-large'>;
  /** address of the socket's peer, if known */
  readonly peerAddress: string | undefined;
  readonly requestId: string;
};

export type Answer = {
  status: number;
  headers: Record<string, string | string[]>;
  body?: string | Uint8Array;
  /** streamed body: the next piece is created when the socket can accept more data; an error aborts the response */
  pieces?: AsyncGenerator<string>;
  /** the OAuth error code of the response, for metrics only */
  error?: string;
};

/** Parameters from the path, percent-decoded. */
export type PathParams = Readonly<Record<string, string>>;

export const BODY_LIMIT_BYTES = 65_536;
/**
 * Returns the size of a body in bytes above which the connection is closed. For uploads this size is larger, so that a
 * photo above the limit still receives a response.
 */
export const giveUpBytes = (limit: number): number => (limit > BODY_LIMIT_BYTES ? 100 : 16) * limit;

// Responses: JSON, HTML, empty, redirect. No response may be cached unless the caller allows it.

const NO_STORE = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

export function json(status: number, value: unknown, headers: Answer['headers'] = {}): Answer {
  return jsonText(status, JSON.stringify(value), headers);
}

/** `body` is already JSON text. */
export function jsonText(status: number, body: string, headers: Answer['headers'] = {}): Answer {
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

/** Status 302 or 303 only: 307 and 308 would repeat a POST containing passwords or secrets (RFC 9700 §4.12). */
export function redirect(
  status: 302 | 303,
  location: string,
  headers: Record<string, string | string[]> = {},
): Answer {
  return { status, headers: { location, ...NO_STORE, ...headers } };
}

/**
 * One error in the list of HTTPValidationError, the body of a 422 response of Area A. OAuth endpoints never return
 * it.
 */
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

// Liveness: the process is running. The answer needs no database, so the Node server returns it while other code is
// still loading.

export const aliveAnswer = (): Answer => json(200, { status: 'ok', version: INTERFACE_VERSION });
