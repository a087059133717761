// Returns the fault in the response to an invented request: in its status, headers or body. Null: no fault.
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Answer } from '#lib/http/message.ts';
import type { Invented } from './requests.ts';
import type { World } from './templates.ts';

const STATUSES = [200, 201, 204, 302, 303, 400, 401, 403, 404, 405, 413, 422, 429, 503];
const OAUTH_ERROR = /^[a-z_]+$/;
const DESCRIPTION = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

/** Paths that browsers request on every site: their documented response is a redirect to a page or text. */
const PROBED = new Set(['/robots.txt', '/favicon.ico', '/.well-known/change-password']);

export function faultOf(
  sent: Invented,
  answer: Answer | null,
  requestId: string,
  world: World,
): string | null {
  // Next renders this page
  if (answer === null) return null;
  const { status, headers } = answer;
  const header = (name: string) => [headers[name] ?? ''].flat().join('\n');
  if (!STATUSES.includes(status)) return `status ${status}`;
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name);
      for (const one of [value].flat()) validateHeaderValue(name, one);
    } catch {
      return `the header ${name} can not be sent`;
    }
  }
  const body = answer.body === undefined ? '' : Buffer.from(answer.body).toString('utf8');
  if (JSON.stringify(headers).includes('evil.example') && !echoesOrigin(sent, headers))
    return 'a foreign host in a header';
  if (status === 405) return header('allow') === '' ? '405 without Allow' : null;
  if (PROBED.has(sent.path) && [200, 302, 404].includes(status)) return null;
  if (status === 302 || status === 303) return faultOfRedirect(status, header('location'), world);
  if (status === 503 && header('retry-after') === '') return '503 without Retry-After';
  if (status === 429 && !/^\d+$/.test(header('retry-after'))) return '429 without Retry-After';
  if (body === '') return null;
  const type = header('content-type');
  if (type.startsWith('application/json'))
    return faultOfJson(status, body, requestId, header('cache-control'));
  if (type === 'text/html; charset=utf-8') return faultOfHtml(body, header('content-security-policy'));
  return `content type ${type}`;
}

function echoesOrigin(sent: Invented, headers: Answer['headers']): boolean {
  // a preflight response contains the origin that the request sent
  return sent.method === 'OPTIONS' && headers['access-control-allow-origin'] === sent.headers['origin'];
}

function faultOfRedirect(status: number, location: string, { authUrl, clients }: World): string | null {
  if (/[^\x21-\x7e]/.test(location)) return 'a Location that is no address';
  // broker form posts are repeated as GET requests for the same URL
  const isOurs = location.startsWith(`${authUrl}/`) || location.startsWith('/auth/callback/');
  if (status === 303) return isOurs ? null : `303 to ${location.slice(0, 80)}`;
  const own = clients.some(({ redirectUri }) => location.startsWith(`${redirectUri}?`));
  const loopback = /^http:\/\/127\.0\.0\.1(:\d{1,5})?\/cb\?/.test(location);
  if (!own && !loopback) return `302 to ${location.slice(0, 80)}`;
  const parameters = new URL(location).searchParams;
  if (!parameters.has('iss')) return 'a redirect to a client without iss';
  return parameters.has('code') === parameters.has('error') ? 'neither code nor error, or both' : null;
}

function faultOfJson(status: number, body: string, requestId: string, caching: string): string | null {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(body);
  } catch {
    return 'a body that is not JSON';
  }
  if (status === 200) return null;
  if (!caching.includes('no-store')) return `${status} may be cached`;
  if (status === 201) return null;
  if (status === 422) return Array.isArray(value['detail']) ? null : '422 without detail';
  if (status === 503 && 'checks' in value) return null;
  if (!OAUTH_ERROR.test(String(value['error']))) return `error ${value['error']}`;
  if (!DESCRIPTION.test(String(value['error_description'])))
    return `error_description ${value['error_description']}`;
  return value['request_id'] === requestId ? null : 'another request id';
}

function faultOfHtml(body: string, policy: string): string | null {
  if (!policy.includes("frame-ancestors 'none'")) return 'a page that may be framed';
  if (!body.startsWith('<!doctype html>')) return 'a page without its beginning';
  return /<script|<img|onerror="/i.test(body) ? 'something reflected unescaped' : null;
}
