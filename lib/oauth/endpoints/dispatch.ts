// A request finds its row in the table of endpoints. A host that an issuer has of its own has the rows under an issuer,
// without their path, and nothing else: the same handlers, and no second table (docs/decisions/0009).
import {
  type Answer,
  compileEndpoints,
  foreignHost,
  type HttpRequest,
  MethodNotAllowed,
  STRICT_TRANSPORT_SECURITY,
} from '#lib/http/index.ts';
import { log } from '#lib/kit/index.ts';
import { observed } from '#lib/observability/index.ts';
import { settings } from '#lib/settings/index.ts';
import { knownSnapshot, recentSnapshot, refreshSnapshot, watchedSnapshot } from '#lib/store/index.ts';
import { UnknownIssuer } from '../errors/index.ts';
import { negotiatedError } from '../refusals/index.ts';
import { endpoints } from './endpoints.ts';

const ISSUER = '/auth/:authMethodId/api/:apiId';

/** Each row under an issuer, by its pattern at the issuer's own host. */
const atHost = endpoints
  .filter(({ pattern }) => pattern.includes(ISSUER))
  .map((row) => ({ row, pattern: row.pattern.replace(ISSUER, '') }));

export const hostPatterns: readonly string[] = [...new Set(atHost.map(({ pattern }) => pattern))];

const match = compileEndpoints(endpoints);
const matchAtHost = compileEndpoints(atHost);

/** No page of Next is under this path: what is not in the table is 404. */
const NO_PAGES = /^\/auth\//;

/**
 * Of the addresses at an issuer's own host only these are also pages of ours: one signs out, and one makes an account.
 */
const PAGES = ['/logout', '/register'];

const isNoPage = (path: string) =>
  NO_PAGES.test(path) || (!PAGES.includes(path) && hostPatterns.includes(path)) || !isPlainPath(path);

/** Answers a request to an endpoint of the table; null for a page. */
export async function handleHttp(request: HttpRequest): Promise<Answer | null> {
  if (foreignHost(request.headers) !== null) {
    const answered = await handleAtHost(request);
    if (answered) return answered;
  }
  const found = match(request.path);
  if (!found && !isNoPage(request.path)) return null;
  return secured(
    found
      ? await observed(found.endpoint.pattern, request, () => found.endpoint.answer(request, found.params))
      : refused(new UnknownIssuer('no such address'), request),
  );
}

/** Answers a request to the host that an issuer has of its own; null: it came to no such host. */
export async function handleAtHost(request: HttpRequest): Promise<Answer | null> {
  const calledHost = foreignHost(request.headers);
  if (calledHost === null) return null;
  const { row } = matchAtHost(request.path)?.endpoint ?? {};
  // most services have no such host, and a proxy may say any: nothing is waited for
  if (row === undefined && knownSnapshot()?.issuersByHost.size === 0) return null;
  if (!(await isIssuerHost(calledHost, request.path, row !== undefined))) return null;
  return secured(
    row
      ? await observed(row.pattern, request, () => row.answer(request, { calledHost }))
      : refused(new UnknownIssuer('no such address'), request),
  );
}

/**
 * `named`: the path is one of an issuer's. Then a host that is not known may have been made a moment ago, by another
 * process, and the registry is asked. Liveness asks nothing of the database.
 */
async function isIssuerHost(calledHost: string, path: string, named: boolean): Promise<boolean> {
  if (path === '/health') return knownSnapshot()?.issuersByHost.has(calledHost) ?? false;
  try {
    // a redirect from here acts by no statement that would confirm whose host it is
    if ((await recentSnapshot()).issuersByHost.has(calledHost))
      return (await watchedSnapshot()).issuersByHost.has(calledHost);
    return named && (await refreshSnapshot()).issuersByHost.has(calledHost);
  } catch (error) {
    // nothing is known of any host: the request is answered as at our own, and says what is wrong
    log().debug({ err: error }, 'the registry could not be asked for a host');
    return false;
  }
}

/**
 * Next answers a doubled slash with a 308, which would post a secret again, and a malformed escape with a 500; it
 * resolves `.` and `..`, so that a proxy which reads the path as it is written has let through another one. Such paths,
 * and absolute targets, are 404 here.
 */
function isPlainPath(path: string): boolean {
  return path.startsWith('/') && !/\/\/|\\|%00/.test(path) && !DOTS.test(path) && isDecodable(path);
}

/** A segment that is resolved (WHATWG URL §4.1, RFC 3986 §5.2.4). */
const DOTS = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** A gateway is told of two tokens as of a bad one. */
export const takesAllTokens = (path: string): boolean => path.startsWith('/verify/');

function secured(given: Answer): Answer {
  if (settings().secureCookies) given.headers['strict-transport-security'] ??= STRICT_TRANSPORT_SECURITY;
  return given;
}

/** A page takes no other method than GET and HEAD, which give null. */
export function refuseMethodOfPage(request: HttpRequest): Answer | null {
  if (['GET', 'HEAD'].includes(request.method)) return null;
  return secured(refused(new MethodNotAllowed('GET, HEAD'), request));
}

function refused(error: Error, request: HttpRequest): Answer {
  const given = negotiatedError(error, request);
  given.headers['x-request-id'] = request.requestId;
  return given;
}
