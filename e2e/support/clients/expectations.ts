// Expected responses of the contract.
import { expect } from '@playwright/test';
import { type Door, issuerOf } from '#testing/net/door.ts';
import type { Answer } from '#testing/net/sent.ts';

type Expected = { redirectUri: string; state?: string | null; issuer?: string };

function parametersOf(answer: Answer, redirectUri: string): URLSearchParams {
  expect(answer.status, answer.text.slice(0, 200)).toBe(302);
  const separator = redirectUri.includes('?') ? '&' : '?';
  expect(answer.location.startsWith(`${redirectUri}${separator}`), answer.location).toBe(true);
  expect(answer.location).not.toContain('#');
  expect(answer.headers['cache-control']).toContain('no-store');
  expect(answer.headers['referrer-policy']).toBe('no-referrer');
  return new URLSearchParams(answer.location.slice(redirectUri.length + 1));
}

/** Expects a redirect (302) to the client with exactly code, state and iss. Returns the code. */
export function expectCode(
  answer: Answer,
  door: Door,
  { redirectUri, state = 'S', issuer }: Expected,
): string {
  const parameters = parametersOf(answer, redirectUri);
  const expected = ['code', ...(state === null ? [] : ['state']), 'iss'];
  expect([...parameters.keys()]).toEqual(expected);
  expect(parameters.get('state')).toBe(state);
  expect(parameters.get('iss')).toBe(issuer ?? issuerOf(door));
  const code = parameters.get('code') ?? '';
  expect(code).toMatch(/^[\w-]{43,}$/);
  return code;
}

/** Expects 302 to the client with error, state and iss, without code. */
export function expectErrorRedirect(
  answer: Answer,
  door: Door,
  error: string | string[],
  { redirectUri, state = 'S', issuer }: Expected,
): void {
  const parameters = parametersOf(answer, redirectUri);
  expect([error].flat()).toContain(parameters.get('error'));
  expect(parameters.get('state')).toBe(state);
  expect(parameters.get('iss')).toBe(issuer ?? issuerOf(door));
  expect(parameters.has('code')).toBe(false);
  expect(answer.location).not.toContain('access_token');
  // characters that `error_description` may contain (RFC 6749 §4.1.2.1)
  expect(parameters.get('error_description') ?? '').toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/);
}

/** Expects an HTML page, without a redirect and without a session. */
export function expectPage(answer: Answer, status: number): void {
  expect(answer.status, `${answer.location} ${answer.text.slice(0, 200)}`).toBe(status);
  expect(answer.headers['content-type']).toMatch(/^text\/html; ?charset=utf-8$/i);
  expect(answer.headers.location).toBeUndefined();
  expect(answer.headers['set-cookie'] ?? []).toEqual([]);
  expect(answer.text).toContain('<h1');
  expect(answer.text, 'the request id of the header').toContain(String(answer.headers['x-request-id']));
}

/** Expects a 422 response, which only addresses outside of issuers return (specification 2.4). */
export function expectValidationError(answer: Answer, loc: string[], type?: string): void {
  expect(answer.status, answer.text.slice(0, 200)).toBe(422);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  const body = answer.json();
  expect(Object.keys(body)).toEqual(['detail']);
  const [first] = body['detail'] as Record<string, unknown>[];
  expect(first).toMatchObject({ loc, msg: expect.any(String), type: type ?? expect.any(String) });
  for (const key of Object.keys(first ?? {})) expect(['loc', 'msg', 'type', 'input', 'ctx']).toContain(key);
}

/** Status codes of errors, if different from 400. */
const STATUS: Record<string, number> = {
  invalid_client: 401,
  not_found: 404,
  slow_down: 429,
  server_error: 500,
  temporarily_unavailable: 503,
};

/** Expects JSON like RFC 6749 §5.2: uncached, without secrets, status of the error or the given status. */
export function expectError(answer: Answer, error: string | string[], status?: number | number[]): void {
  const statuses = [status ?? [error].flat().map((one) => STATUS[one] ?? 400)].flat();
  expect(statuses, answer.text.slice(0, 300)).toContain(answer.status);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['cache-control']).toContain('no-store');
  const body = answer.json();
  expect([error].flat()).toContain(body['error']);
  expect(body['request_id']).toBe(answer.headers['x-request-id']);
  expect(String(body['error_description'])).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(Object.keys(body)).toEqual(['error', 'error_description', 'request_id']);
}

/** Expects the token response of specification 2.1. */
export function expectTokens(answer: Answer, { refreshToken = true } = {}): void {
  expect(answer.status, answer.text.slice(0, 300)).toBe(200);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['cache-control']).toContain('no-store');
  const body = answer.json();
  expect(typeof body['access_token']).toBe('string');
  expect(body['token_type']).toBe('bearer');
  expect(Number.isInteger(body['expires_in'])).toBe(true);
  if (refreshToken) expect(typeof body['refresh_token']).toBe('string');
  else expect(Object.keys(body)).not.toContain('refresh_token');
}

/**
 * Returns the protections that an HTML response lacks: against framing, foreign scripts, sniffing and leaks of its
 * address.
 */
export function missingDefences({ headers }: Answer): string[] {
  const policy = String(headers['content-security-policy'] ?? '');
  const rules = ["default-src 'none'", "frame-ancestors 'none'", "object-src 'none'", "base-uri 'none'"];
  const missing = [...rules, "form-action 'self'"].filter((rule) => !policy.includes(rule));
  if (!/script-src (?:'none'|'nonce-[\w+/=-]+' 'strict-dynamic')/.test(policy)) missing.push('script-src');
  if (/unsafe-/.test(policy)) missing.push('nothing unsafe');
  const wanted = {
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
  };
  for (const [name, value] of Object.entries(wanted)) if (headers[name] !== value) missing.push(name);
  if (!/^(?:same-origin|no-referrer)$/.test(String(headers['referrer-policy'])))
    missing.push('referrer-policy');
  if (!/camera=\(\)/.test(String(headers['permissions-policy']))) missing.push('permissions-policy');
  return missing;
}
