// Request data required by a check.
import type { IncomingMessage } from 'node:http';

/** Header value: single, multiple, or missing. */
export type Header = string | readonly string[] | null | undefined;

export type Sent = {
  /** Identifies the request, because it can be checked twice. */
  request: { method?: string | undefined };
  /** Called URL. `null`: `Host` is not a host (RFC 9112 §3.2). */
  url: URL | null;
  /** `Authorization`. */
  header: Header;
  /** The header `DPoP`. */
  proof: Header;
};

/** `uri-host [ ":" port ]` of RFC 9110 §7.2. It cannot contain a path, a query or another host. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;
/** Placeholder host for requests without `Host`. */
const NO_HOST = 'host.invalid';

export const sentToWeb = (request: Request): Sent => ({
  request,
  url: HOST.test(request.headers.get('host') ?? '') ? URL.parse(request.url) : null,
  header: request.headers.get('authorization'),
  proof: request.headers.get('dpop'),
});

export const sentToNode = (request: IncomingMessage & { originalUrl?: string }): Sent => ({
  request,
  // a router removes its prefix from `url`
  url: calledUrl(request.headersDistinct['host'] ?? [], request.originalUrl ?? request.url ?? '/'),
  header: request.headersDistinct['authorization'],
  proof: request.headers['dpop'],
});

/** Reads host and path separately (RFC 9112 §3.3): in one text a `Host` with a slash would set the path. */
export function calledUrl([host = NO_HOST, ...more]: readonly string[], target: string): URL | null {
  const url = more.length === 0 && HOST.test(host) ? URL.parse(`http://${host || NO_HOST}`) : null;
  const path = target.startsWith('/') ? target : (URL.parse(target)?.pathname ?? '/');
  if (url) url.pathname = path.replace(/[?#].*$/s, '');
  return url;
}
