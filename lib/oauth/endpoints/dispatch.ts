// A request finds its row in the table of endpoints. An address that an issuer has beside its path has the rows under
// an issuer, where its layout has them, and nothing else: the same handlers, and no second table (docs/decisions/0009).
import { foreignHost } from '#lib/http/called-host.ts';
import { type Endpoint, MethodNotAllowed } from '#lib/http/endpoint.ts';
import { compileEndpoints } from '#lib/http/match.ts';
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { STRICT_TRANSPORT_SECURITY } from '#lib/http/security-headers.ts';
import { log } from '#lib/kit/log.ts';
import { observed } from '#lib/observability/observe.ts';
import { ISSUER_LAYOUTS, type IssuerLayout, pathIn } from '#lib/registry/objects/issuer-layouts.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  knownSnapshot,
  recentSnapshot,
  refreshSnapshot,
  watchedSnapshot,
} from '#lib/store/registry/snapshot.ts';
import type { AddressedIssuer, Snapshot } from '#lib/store/registry/snapshot-rows.ts';
import { UnknownIssuer } from '../errors/errors.ts';
import { negotiatedError } from '../refusals/render-error.ts';
import { isAnswered } from '../rules/issuer.ts';
import { endpoints } from './endpoints.ts';

const ISSUER = '/auth/:authMethodId/api/:apiId';

/** Each row under an issuer, by its pattern at the issuer's own host. */
const atHost = endpoints
  .filter(({ pattern }) => pattern.includes(ISSUER))
  .map((row) => ({ row, pattern: row.pattern.replace(ISSUER, '') }));

export const hostPatterns: readonly string[] = [...new Set(atHost.map(({ pattern }) => pattern))];

const match = compileEndpoints(endpoints);

/** Rows by their path below an issuer, for each layout. */
const rowsIn = new Map<IssuerLayout, ReadonlyMap<string, Endpoint>>(
  ISSUER_LAYOUTS.map((layout) => [
    layout,
    new Map(atHost.map(({ row, pattern }) => [pathIn(layout, pattern), row])),
  ]),
);
const below = [...new Set([...rowsIn.values()].flatMap((rows) => [...rows.keys()]))];
/** Metadata are also at their name before the path of an issuer (RFC 8414 §3.1). */
const METADATA = /^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(?=\/)/;

/** May the path be one of an issuer, in any layout? */
const isNamed = (path: string) => METADATA.test(path) || below.some((one) => path.endsWith(one));

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

/** Answers a request to a host at which only issuers are; null: it came to no such host. */
export async function handleAtHost(request: HttpRequest): Promise<Answer | null> {
  const calledHost = foreignHost(request.headers);
  if (calledHost === null) return null;
  const named = isNamed(request.path);
  // most services have no such host, and a proxy may say any: nothing is waited for
  if (!named && knownSnapshot()?.issuersByHost.size === 0) return null;
  const issuers = await issuersAt(calledHost, request.path, named);
  if (issuers.length === 0) return null;
  const called = rowAt(issuers, request.path);
  return secured(
    called
      ? await observed(called.row.pattern, request, () => called.row.answer(request, { address: called.url }))
      : refused(new UnknownIssuer('no such address'), request),
  );
}

/** The row that the path names at one of the issuers of its host. */
function rowAt(issuers: readonly AddressedIssuer[], path: string): { row: Endpoint; url: string } | null {
  const [document = ''] = METADATA.exec(path) ?? [];
  for (const { url, path: base, layout } of issuers) {
    const before = base !== '' && path === document + base;
    const row =
      before || path.startsWith(base)
        ? rowsIn.get(layout)?.get(before ? document : path.slice(base.length))
        : null;
    if (row) return { row, url };
  }
  return null;
}

/**
 * Those that are answered at this host today. `named`: the path is one of an issuer's. Then a host that is not known
 * may have been made a moment ago, by another process, and the registry is asked. Liveness asks nothing of the
 * database.
 */
async function issuersAt(
  calledHost: string,
  path: string,
  named: boolean,
): Promise<readonly AddressedIssuer[]> {
  const at = (snapshot: Snapshot | null | undefined) =>
    snapshot?.issuersByHost.get(calledHost)?.filter(isAnswered) ?? [];
  if (path === '/health') return at(knownSnapshot());
  try {
    // a redirect from here acts by no statement that would confirm whose host it is
    if (at(await recentSnapshot()).length > 0) return at(await watchedSnapshot());
    return named ? at(await refreshSnapshot()) : [];
  } catch (error) {
    // nothing is known of any host: the request is answered as at our own, and says what is wrong
    log().debug({ err: error }, 'the registry could not be asked for a host');
    return [];
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
