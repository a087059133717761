// The parts of a request that a check needs.
import type { IncomingMessage } from 'node:http';

/** A header with one value, several values, or none. */
export type Header = string | readonly string[] | null | undefined;

export type Sent = {
  /** The request object. It identifies the request, because one request can be checked twice. */
  request: { method?: string | undefined };
  /** The called URL. `null`: `Host` is not a valid host (RFC 9112 §3.2). */
  url: URL | null;
  /** The `Authorization` header. */
  header: Header;
  /** The `DPoP` header. */
  proof: Header;
};

/**
 * Matches `uri-host [ ":" port ]` of RFC 9110 §7.2. A matching text cannot contain a path, a query or another host.
 */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;
/** Host that replaces a missing `Host` header. */
const NO_HOST = 'host.invalid';

export const sentToWeb = (request: Request): Sent => ({
  request,
  url: HOST.test(request.headers.get('host') ?? '') ? URL.parse(request.url) : null,
  header: request.headers.get('authorization'),
  proof: request.headers.get('dpop'),
});

export const sentToNode = (request: IncomingMessage & { originalUrl?: string }): Sent => ({
  request,
  // a router removes its prefix from `url`, so the complete `originalUrl` is used
  url: calledUrl(request.headersDistinct['host'] ?? [], request.originalUrl ?? request.url ?? '/'),
  header: request.headersDistinct['authorization'],
  proof: request.headers['dpop'],
});

/**
 * Reads host and path separately (RFC 9112 §3.3). If they were joined as one text, a `Host` with a slash would change
 * the path.
 */
export function calledUrl([host = NO_HOST, ...more]: readonly string[], target: string): URL | null {
  const url = more.length === 0 && HOST.test(host) ? URL.parse(`http://${host || NO_HOST}`) : null;
  const path = target.startsWith('/') ? target : (URL.parse(target)?.pathname ?? '/');
  if (url) url.pathname = path.replace(/[?#].*$/s, '');
  return url;
}
