// The response to a rejected request, its log entry for the client's developer, and its count. Converts errors of other
// modules to OAuth errors.

import { TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import { MethodNotAllowed } from '#lib/http/endpoint.ts';
import { addressBlock } from '#lib/http/forwarding.ts';
import type { Malformed, MalformedStatus } from '#lib/http/malformed.ts';
import { type Answer, type HttpRequest, html, json } from '#lib/http/message.ts';
import { maxHeaderSize } from '#lib/http/node-http.ts';
import { renderPage } from '#lib/http/page.ts';
import { UnreadableParams } from '#lib/http/params.ts';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { PasswordHashBusy } from '#lib/kit/password-hash.ts';
import { UnstorableValue } from '#lib/kit/text.ts';
import { ownValue } from '#lib/kit/wire.ts';
import type { Told } from '#lib/language/message.ts';
import { wordsOf } from '#lib/language/words.ts';
import { countRefusal } from '#lib/observability/metrics.ts';
import { settings } from '#lib/settings/settings.ts';
import { DatabaseUnavailable } from '#lib/store/pool.ts';
import { noteRefusedRequest, type RequestRow } from '#lib/store/refusals.ts';
import type { SnapshotClient } from '#lib/store/snapshot.ts';
import { AuthorizeRefused, errorRedirect } from './authorize/request.ts';
import { type ClientCredentials, type ClientRequest, type IssuerRequest, namedClient } from './client.ts';
import {
  AccessDenied,
  ForgedForm,
  InvalidRequest,
  isWaiting,
  OAuthError,
  ServerError,
  SlowDown,
  SwitchedOff,
  TemporarilyUnavailable,
  UnidentifiedRequest,
  UnknownIssuer,
  UnusableRequestUri,
} from './errors.ts';
import type { Issuer } from './issuer.ts';
import { ExpiredInteraction, requestWords } from './pages/frame.ts';
import { UnusableSignOut } from './sign-out-request.ts';
import { isStranger, UnregisteredClientRefused } from './unregistered.ts';

// Converts a thrown value to an OAuthError. A lost database becomes an outage, and an unknown error becomes a server
// error. Only the log contains the cause.

function toOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error instanceof UnreadableParams) {
    return new InvalidRequest(`The request cannot be read: ${error.message}.`, { status: error.status });
  }
  if (error instanceof MethodNotAllowed) {
    const { headers, message } = error;
    return new InvalidRequest(`The request has a wrong method: ${message}.`, { status: 405, headers });
  }
  if (error instanceof UnstorableValue) {
    return new InvalidRequest('A parameter contains a character that is not allowed in text.', {
      cause: error,
    });
  }
  if (error instanceof TooManyAttempts) return new SlowDown(error.waitSeconds);
  if (error instanceof DatabaseUnavailable || error instanceof PasswordHashBusy) {
    return new TemporarilyUnavailable(undefined, { cause: error });
  }
  return new ServerError(undefined, { cause: error });
}

export function logError(error: OAuthError, request: HttpRequest): void {
  const facts = {
    request_id: request.requestId,
    error: error.code,
    ...(error.reason && { reason: error.reason }),
    method: request.method,
    path: loggablePath(request),
  };
  if (error.status >= 500) log().error({ ...facts, err: error.cause ?? error }, error.message);
  else log().info(facts, error.message);
}

/** Returns the path for the log, without the broker's code in the path of the callback. */
export function loggablePath({ path }: HttpRequest): string {
  return path.replace(/(\/callback\/broker\/)(?:.+)$/, '$1…').slice(0, 300);
}

// Records rejected requests of known clients for their developers. A record contains the submitted values and the
// mismatch, but never a code, token, secret, password, verifier or state. It is written after the response, from
// parsed input. Successful requests are never recorded.

type Details = Record<string, string | string[] | boolean>;
type Noted = Pick<IssuerRequest, 'http' | 'ip' | 'issuer'>;

/** Records a rejected authorize request, for redirects and error pages. */
function noteRefusedAuthorize(request: Noted, { params, clientId, cause }: AuthorizeRefused): void {
  const { values } = params;
  const client = request.issuer.snapshot.clients.get(clientId ?? '');
  if (!client || !isWithinBudget(request.ip, client.clientId)) return;
  const details = shownRequest(values);
  const unidentified = cause instanceof UnidentifiedRequest;
  const unusable = cause instanceof UnusableRequestUri;
  if (unidentified && !unusable) {
    details['registered'] = client.redirectUris;
    if (client.disabled) details['reason'] = 'client-disabled';
  }
  if (cause instanceof OAuthError && cause.reason !== null) details['reason'] = cause.reason;
  const refused = cause instanceof UnregisteredClientRefused && {
    code: 'unauthorized_client',
    message: cause.forDeveloper,
  };
  const error = refused
    ? refused
    : unidentified
      ? { code: unusable ? 'invalid_request_uri' : 'invalid_request', message: cause.message }
      : toOAuthError(cause);
  note('authorize', request, client, error, details);
}

/** Records a rejected token request. */
function noteRefusedToken(request: IssuerRequest, thrown: unknown): void {
  noteRefusedForm('token', request, thrown, ({ params: { values } }) => ({
    ...displayDetails(values, ['grant_type', 'redirect_uri', 'scope', 'resource']),
    code_verifier_sent: values.has('code_verifier'),
  }));
}

/** Records a rejected pushed request. `thrown`: full cause. `clientError`: error for the client, with fewer details. */
function noteRefusedPush(request: IssuerRequest, thrown: unknown, clientError: unknown): void {
  noteRefusedForm('par', request, clientError, ({ client, params }) => ({
    ...shownRequest(params.values),
    ...(thrown instanceof UnidentifiedRequest && { registered: client.redirectUris }),
  }));
}

/** Returns the parameters of an authorize request that the client's developer sees. */
const shownRequest = (values: ReadonlyMap<string, string>): Details => ({
  ...displayDetails(values, [
    'redirect_uri',
    'response_type',
    'scope',
    'resource',
    'code_challenge_method',
    'prompt',
  ]),
  code_challenge_sent: values.has('code_challenge'),
});

type Named = NonNullable<Awaited<ReturnType<typeof readNamed>>>;

/** Records a rejected form. An unreadable request names no client, so it is not recorded. */
function noteRefusedForm(
  endpoint: 'token' | 'par',
  request: IssuerRequest,
  thrown: unknown,
  facts: (named: Named) => Details,
): void {
  readNamed(request)
    .then((named) => {
      if (!named || !isWithinBudget(request.ip, named.client.clientId)) return;
      const error = toOAuthError(thrown);
      const details: Details = { ...facts(named), client_authentication: wayOf(named.credentials) };
      if (error.reason !== null) details['reason'] = error.reason;
      note(endpoint, request, named.client, error, details);
    })
    .catch((error: Error) => log().debug({ reason: error.message }, 'a refused request was not noted'));
}

function wayOf({ basic, secret, assertion }: ClientCredentials): string {
  if (assertion !== null) return 'assertion';
  return basic ? 'basic' : secret === null ? 'none' : 'body';
}

async function readNamed(request: ClientRequest) {
  const client = await namedClient(request);
  if (!client) return null;
  return { client, params: await request.params(), credentials: await request.credentials() };
}

const LENGTHS: Record<string, number> = { redirect_uri: 500, scope: 300, resource: 500 };

/** Returns the parameters without secrets, shortened for display. */
function displayDetails(values: ReadonlyMap<string, string>, names: string[]): Details {
  const details: Details = {};
  for (const name of names) {
    const value = values.get(name)?.replaceAll('\u0000', '');
    if (value !== undefined) details[name] = value.slice(0, ownValue(LENGTHS, name) ?? 80);
  }
  return details;
}

function note(
  endpoint: RequestRow['endpoint'],
  { http, ip, issuer }: Noted,
  client: SnapshotClient,
  { code: error, message: description }: { code: string; message: string },
  details: Details,
): void {
  noteRefusedRequest({
    clientId: client.clientId,
    apiId: issuer.api.id,
    authMethodId: issuer.method.id,
    endpoint,
    error,
    description,
    details,
    requestId: http.requestId,
    ip,
  });
}

const PER_MINUTE = 120;
const ALL_PER_MINUTE = 3_000;
let minute = { at: 0, all: 0, counts: new Map<string, number>() };

/**
 * True if this rejection may still be recorded: at most 120 a minute per address, and 3,000 a minute overall, so that
 * a flood of rejections causes few SQL statements.
 */
function isWithinBudget(address: string | null, clientId: string): boolean {
  const at = Math.floor(now().getTime() / 60_000);
  if (minute.at !== at) minute = { at, all: 0, counts: new Map() };
  const from = address === null ? clientId : addressBlock(address);
  const count = (minute.counts.get(from) ?? 0) + 1;
  if (count > PER_MINUTE || minute.all >= ALL_PER_MINUTE) return false;
  minute.all += 1;
  minute.counts.set(from, count);
  return true;
}

// Errors as responses: JSON (RFC 6749 §5.2), a redirect to the client, or an error page with the next step. Errors for
// the client's developer are also recorded.

type Words = {
  status: number;
  /** text for the log, which replaces the message */
  cause?: string;
  heading: Told;
  message: Told;
  forDeveloper?: string | null;
  headers?: Record<string, string>;
  style?: string | undefined;
};

const LINK = 'errors.link';

function wordsFor(error: unknown): Words | null {
  if (error instanceof UnknownIssuer) {
    return {
      status: 404,
      heading: LINK,
      message: 'errors.nothing_here',
    };
  }
  if (error instanceof MethodNotAllowed) {
    return { status: 405, heading: LINK, message: 'errors.not_opened_so', headers: error.headers };
  }
  if (error instanceof UnidentifiedRequest) {
    const { told: message, forDeveloper } = error;
    return { status: 400, heading: LINK, message, forDeveloper };
  }
  if (error instanceof UnregisteredClientRefused) {
    const { heading, told: message, forDeveloper } = error;
    return { status: 403, heading, message, forDeveloper };
  }
  if (error instanceof UnusableSignOut) {
    const { forDeveloper } = error;
    return {
      status: 400,
      heading: 'errors.sign_out_link',
      message: 'errors.sign_out_link_lead',
      forDeveloper,
    };
  }
  if (error instanceof UnreadableParams)
    return { status: 400, heading: LINK, message: { text: `The link cannot be read: ${error.message}.` } };
  if (error instanceof ExpiredInteraction) {
    return {
      status: 400,
      heading: 'errors.expired',
      message: 'errors.expired_lead',
    };
  }
  if (error instanceof ForgedForm) {
    return {
      status: 403,
      cause: error.message,
      heading: 'errors.form',
      message: 'errors.form_lead',
    };
  }
  return null;
}

export function pageError(thrown: unknown, request: HttpRequest): Answer {
  const words = wordsFor(thrown);
  if (words) {
    log().info(
      { request_id: request.requestId, status: words.status, path: loggablePath(request) },
      words.cause ?? words.forDeveloper ?? wordsOf('en').told(words.message),
    );
    return page(words, request, words.headers);
  }
  const error = toOAuthError(thrown);
  logError(error, request);
  const soon = error.status === 503 || error instanceof SlowDown;
  const heading = soon ? 'errors.moment' : 'errors.wrong';
  return page({ status: error.status, heading, message: error.told }, request, error.headers);
}

/** JSON error (RFC 6749 §5.2) with the request id. */
export function jsonError(thrown: unknown, request: HttpRequest): Answer {
  const request_id = request.requestId;
  if (thrown instanceof UnknownIssuer) {
    const error_description =
      thrown instanceof SwitchedOff
        ? thrown.message
        : 'The issuer, the API or the address below it does not exist.';
    return json(404, { error: 'not_found', error_description, request_id });
  }
  const error = toOAuthError(thrown);
  logError(error, request);
  return jsonOf(error, request_id);
}

const MALFORMED: Record<MalformedStatus, string> = {
  400: 'The request is malformed.',
  408: 'The request took too long.',
  431: `The header is too large: at most ${maxHeaderSize} bytes, including the address and the cookies.`,
};

/** Pages for faulty requests that a browser sends although its user made no mistake (RFC 6585 §5, RFC 9110 §15.5.9). */
const MALFORMED_PAGE: Partial<Record<MalformedStatus, { heading: Told; message: Told }>> = {
  408: {
    heading: 'errors.wrong',
    message: 'errors.slow_lead',
  },
  431: {
    heading: 'errors.too_much',
    message: 'errors.too_much_lead',
  },
};

/**
 * Response to input that Node cannot parse as HTTP. `style`: inlined style sheet. A request for a separate style
 * sheet would send the same oversized cookies and fail too.
 */
export function malformedRequest(status: MalformedStatus, request: Malformed, style?: string): Answer {
  const error = new InvalidRequest(MALFORMED[status], { status });
  const pageContent = MALFORMED_PAGE[status];
  if (!pageContent || !prefersHtml(request)) return jsonOf(error, request.requestId);
  return page({ ...pageContent, status, forDeveloper: error.message, style }, request);
}

function jsonOf({ code: error, message, status, headers }: OAuthError, request_id: string): Answer {
  return { ...json(status, { error, error_description: message, request_id }, headers), error };
}

/** Returns an error below an issuer. For a 404, browsers get an HTML page. Every other error is JSON. */
export function issuerError(thrown: unknown, request: HttpRequest): Answer {
  return thrown instanceof UnknownIssuer ? negotiatedError(thrown, request) : jsonError(thrown, request);
}

export function tokenError(thrown: unknown, http: HttpRequest, request: IssuerRequest | null): Answer {
  const isRefusal = !(thrown instanceof MethodNotAllowed || isWaiting(thrown));
  if (request && isRefusal) noteRefusedToken(request, thrown);
  return issuerError(thrown, http);
}

/** Response to a rejected pushed request. `told`: the error that the client receives instead of `thrown`. */
export function pushError(
  { thrown, told }: { thrown: unknown; told: unknown },
  http: HttpRequest,
  request: IssuerRequest | null,
): Answer {
  if (request && !(thrown instanceof MethodNotAllowed)) noteRefusedPush(request, thrown, told);
  return issuerError(told, http);
}

/** Redirects to the client if client and redirect_uri are known. Otherwise shows an error page. */
export function authorizeError(thrown: unknown, http: HttpRequest, request: IssuerRequest | null): Answer {
  if (!(thrown instanceof AuthorizeRefused)) return pageError(thrown, http);
  const { recipient, cause } = thrown;
  // rate limits of the user's network are not reported to clients
  if (cause instanceof TooManyAttempts) return pageError(cause, http);
  if (request) noteRefusedAuthorize(request, thrown);
  // only the user can correct this error
  if (!recipient || cause instanceof UnregisteredClientRefused) return pageError(cause, http);
  // never redirect to an unapproved client, unless the user denied the request (RFC 9700 §4.11.2)
  const { client, issuer } = recipient;
  if (isStranger(client, issuer.api) && !(cause instanceof AccessDenied)) return pageError(cause, http);
  const error = toOAuthError(cause);
  logError(error, http);
  return errorRedirect(recipient, error, () => requestWords(http));
}

/** Returns an error as an HTML page for a browser, or as JSON for a program. */
export function negotiatedError(thrown: unknown, request: HttpRequest): Answer {
  return prefersHtml(request) ? pageError(thrown, request) : jsonError(thrown, request);
}

export function prefersHtml({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  const accept = headers['accept'] ?? '';
  const at = accept.indexOf('text/html');
  const json = accept.indexOf('application/json');
  return at >= 0 && (json < 0 || at < json);
}

function page(
  { status, heading, message, forDeveloper, style }: Words,
  request: Malformed,
  headers: Record<string, string> = {},
): Answer {
  const details: [Told, string][] = forDeveloper ? [['frame.for_developer', forDeveloper]] : [];
  const words = requestWords(request);
  const { requestId } = request;
  const findAt = `${settings().baseUrl}/developer/find?${new URLSearchParams({ q: requestId })}`;
  const more = forDeveloper ? { findAt } : {};
  const body = renderPage({ title: heading, heading, message, details, requestId, style, ...more }, words);
  return html(status, body, { https: settings().secureCookies, words, headers, style });
}

// Counts errors of client endpoints by reason while the response is made. Only requests with a known issuer are
// counted, so invented addresses, clients and methods are not.

type Context = ClientRequest & { issuer?: Issuer };
type OnError<Known extends Context> = (error: unknown, http: HttpRequest, request: Known | null) => Answer;

export const withErrorCount =
  <Known extends Context>(onError: OnError<Known>): OnError<Known> =>
  (thrown, http, request) => {
    if (request) count(thrown instanceof AuthorizeRefused ? thrown.cause : thrown, request.issuer);
    return onError(thrown, http, request);
  };

function count(error: unknown, issuer: Issuer | undefined): void {
  if (error instanceof MethodNotAllowed || error instanceof UnknownIssuer) return;
  const where = { apiId: issuer?.api.id, authMethodId: issuer?.method.id };
  // the user gets an error page, and the client gets no response
  if (error instanceof UnidentifiedRequest) countRefusal(where, 'invalid_request', 'unidentified');
  else {
    // a waiting device that polls is not an error
    if (isWaiting(error)) return;
    const { code, reason } = toOAuthError(error);
    countRefusal(where, code, reason ?? '');
  }
}
