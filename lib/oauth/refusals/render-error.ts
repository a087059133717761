// Errors as answers: the JSON of RFC 6749 §5.2, the redirect to the client, and the page that tells a person what is
// wrong and what to do. Refusals that a client's developer can look up are noted here too.
import { maxHeaderSize } from 'node:http';
import { TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import { MethodNotAllowed } from '#lib/http/endpoint.ts';
import type { Malformed, MalformedStatus } from '#lib/http/malformed.ts';
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { renderPage } from '#lib/http/page.ts';
import { UnreadableParams } from '#lib/http/params.ts';
import { html, json } from '#lib/http/respond.ts';
import { log } from '#lib/kit/log.ts';
import type { Told } from '#lib/language/message.ts';
import { wordsOf } from '#lib/language/words.ts';
import { settings } from '#lib/settings/settings.ts';
import { AuthorizeRefused, errorRedirect } from '../authorize-request/response.ts';
import type { IssuerRequest } from '../clients/client-request.ts';
import { isWaiting } from '../errors/device-errors.ts';
import {
  AccessDenied,
  ForgedForm,
  InvalidRequest,
  type OAuthError,
  SlowDown,
  SwitchedOff,
  UnknownIssuer,
} from '../errors/errors.ts';
import { logError, loggablePath, toOAuthError } from '../errors/to-oauth-error.ts';
import { UnidentifiedRequest } from '../errors/unidentified.ts';
import { ExpiredInteraction } from '../pages/form.ts';
import { requestWords } from '../pages/page-words.ts';
import { UnusableSignOut } from '../sign-out/sign-out-request.ts';
import { UnregisteredClientRefused } from '../unregistered/client-refused.ts';
import { isStranger } from '../unregistered/client-subscription.ts';
import { noteRefusedAuthorize, noteRefusedPush, noteRefusedToken } from './refusals.ts';

type Words = {
  status: number;
  /** instead of the message, in the log */
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
    return { status: 400, heading: LINK, message: { text: `The link can not be read: ${error.message}.` } };
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

/** RFC 6749 §5.2, plus the request id. */
export function jsonError(thrown: unknown, request: HttpRequest): Answer {
  const request_id = request.requestId;
  if (thrown instanceof UnknownIssuer) {
    const error_description =
      thrown instanceof SwitchedOff
        ? thrown.message
        : 'No such issuer or API, or nothing at this address under it.';
    return json(404, { error: 'not_found', error_description, request_id });
  }
  const error = toOAuthError(thrown);
  logError(error, request);
  return jsonOf(error, request_id);
}

const MALFORMED: Record<MalformedStatus, string> = {
  400: 'The request is malformed.',
  408: 'The request took too long.',
  431: `The header is too large: ${maxHeaderSize} bytes at most, with the address and the cookies.`,
};

/** What a browser can end up at without a fault of its person (RFC 6585 §5, RFC 9110 §15.5.9). */
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
 * For what the Node door cannot read as HTTP. `style`: the style sheet of our pages; a browser would ask for it with
 * the same cookies, and not get it.
 */
export function malformedRequest(status: MalformedStatus, request: Malformed, style?: string): Answer {
  const error = new InvalidRequest(MALFORMED[status], { status });
  const shown = MALFORMED_PAGE[status];
  if (!shown || !prefersHtml(request)) return jsonOf(error, request.requestId);
  return page({ ...shown, status, forDeveloper: error.message, style }, request);
}

function jsonOf({ code: error, message, status, headers }: OAuthError, request_id: string): Answer {
  return { ...json(status, { error, error_description: message, request_id }, headers), error };
}

/** Under an issuer: 404 is a page for a browser, every other error is JSON. */
export function issuerError(thrown: unknown, request: HttpRequest): Answer {
  return thrown instanceof UnknownIssuer ? negotiatedError(thrown, request) : jsonError(thrown, request);
}

export function tokenError(thrown: unknown, http: HttpRequest, request: IssuerRequest | null): Answer {
  const isRefusal = !(thrown instanceof MethodNotAllowed || isWaiting(thrown));
  if (request && isRefusal) noteRefusedToken(request, thrown);
  return issuerError(thrown, http);
}

/** `told`: what is said of `thrown` where no person is. */
export function pushError(
  { thrown, told }: { thrown: unknown; told: unknown },
  http: HttpRequest,
  request: IssuerRequest | null,
): Answer {
  if (request && !(thrown instanceof MethodNotAllowed)) noteRefusedPush(request, thrown, told);
  return issuerError(told, http);
}

/** A redirect where the client and its redirect_uri are known, a page where not. */
export function authorizeError(thrown: unknown, http: HttpRequest, request: IssuerRequest | null): Answer {
  if (!(thrown instanceof AuthorizeRefused)) return pageError(thrown, http);
  const { recipient, cause } = thrown;
  // a limit on the person's network is no answer to the client
  if (cause instanceof TooManyAttempts) return pageError(cause, http);
  if (request) noteRefusedAuthorize(request, thrown);
  // it is the person who can do something about it
  if (!recipient || cause instanceof UnregisteredClientRefused) return pageError(cause, http);
  // never redirect to an unapproved client, except after the person's own denial (RFC 9700 §4.11.2)
  const { client, issuer } = recipient;
  if (isStranger(client, issuer.api) && !(cause instanceof AccessDenied)) return pageError(cause, http);
  const error = toOAuthError(cause);
  logError(error, http);
  return errorRedirect(recipient, error, () => requestWords(http));
}

/** An HTML page for a browser, JSON for a program. */
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
