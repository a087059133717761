// Answers: JSON, HTML, empty, redirect. None may be cached unless the caller says so.

import { INTERFACE_VERSION } from '#lib/kit/version.ts';
import type { Words } from '#lib/language/words.ts';
import type { Answer } from './message.ts';
import { type HtmlSecurity, htmlSecurityHeaders } from './security-headers.ts';

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
