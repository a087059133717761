// Errors as answers: the JSON of RFC 6749 §5.2, the redirect to the client, and the page that tells a person what is wrong
// and what to do. Refusals that a client's developer can look up are noted here too.
import { maxHeaderSize } from 'node:http';
import { TooManyAttempts } from '#lib/auth-methods/index.ts';
import {
  type Answer,
  type HttpRequest,
  html,
  json,
  type Malformed,
  type MalformedStatus,
  MethodNotAllowed,
  renderPage,
  UnreadableParams,
} from '#lib/http/index.ts';
import { log } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import { AgentRefused, isStranger } from '../agents/index.ts';
import { AuthorizeRefused, errorRedirect } from '../authorize-request/index.ts';
import type { IssuerRequest } from '../clients/index.ts';
import {
  AccessDenied,
  ForgedForm,
  InvalidRequest,
  logError,
  loggablePath,
  type OAuthError,
  SlowDown,
  toOAuthError,
  UnidentifiedRequest,
  UnknownIssuer,
} from '../errors/index.ts';
import { ExpiredInteraction, requestWords } from '../pages/index.ts';
import { UnusableSignOut } from '../sign-out/index.ts';
import { noteRefusedAuthorize, noteRefusedToken } from './refusals.ts';

type Words = {
  status: number;
  /** instead of the message, in the log */
  cause?: string;
  heading: string;
  message: string;
  forDeveloper?: string | null;
  headers?: Record<string, string>;
  style?: string | undefined;
};

const LINK = 'This sign-in link does not work';

function wordsFor(error: unknown): Words | null {
  if (error instanceof UnknownIssuer) {
    return {
      status: 404,
      heading: LINK,
      message: 'There is nothing at this address. Check the link, or tell whoever gave it to you.',
    };
  }
  if (error instanceof MethodNotAllowed) {
    const message = 'It can not be opened in this way. Go back to the application and start again.';
    return { status: 405, heading: LINK, message, headers: error.headers };
  }
  if (error instanceof UnidentifiedRequest) {
    const { message, forDeveloper } = error;
    return { status: 400, heading: LINK, message, forDeveloper };
  }
  if (error instanceof AgentRefused) {
    const { heading, message, forDeveloper } = error;
    return { status: 403, heading, message, forDeveloper };
  }
  if (error instanceof UnusableSignOut) {
    const { forDeveloper } = error;
    const message = 'Nobody was signed out. Go back to the application and try again.';
    return { status: 400, heading: 'This sign-out link does not work', message, forDeveloper };
  }
  if (error instanceof UnreadableParams)
    return { status: 400, heading: LINK, message: `The link can not be read: ${error.message}.` };
  if (error instanceof ExpiredInteraction) {
    return {
      status: 400,
      heading: 'This sign-in has expired',
      message: 'More than ten minutes have passed. Go back to the application and start again.',
    };
  }
  if (error instanceof ForgedForm) {
    return {
      status: 403,
      cause: error.message,
      heading: 'This form is no longer valid',
      message:
        'It was sent from another page or browser, or somebody else has signed in since. Go back to the application and start again.',
    };
  }
  return null;
}

export function pageError(thrown: unknown, request: HttpRequest): Answer {
  const words = wordsFor(thrown);
  if (words) {
    log().info(
      { request_id: request.requestId, status: words.status, path: loggablePath(request) },
      words.cause ?? words.forDeveloper ?? words.message,
    );
    return page(words, request, words.headers);
  }
  const error = toOAuthError(thrown);
  logError(error, request);
  const soon = error.status === 503 || error instanceof SlowDown;
  const heading = soon ? 'One moment, please' : 'Something went wrong';
  return page({ status: error.status, heading, message: error.message }, request, error.headers);
}

/** RFC 6749 §5.2, plus the request id. */
export function jsonError(thrown: unknown, request: HttpRequest): Answer {
  const request_id = request.requestId;
  if (thrown instanceof UnknownIssuer) {
    const error_description = 'No such issuer or API, or nothing at this address under it.';
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
const MALFORMED_PAGE: Partial<Record<MalformedStatus, { heading: string; message: string }>> = {
  408: {
    heading: 'Something went wrong',
    message: 'Your browser took too long to send this, so it was not read. Go back and send it again.',
  },
  431: {
    heading: 'Your browser sent too much',
    message:
      'Usually it is the cookies that other websites of this domain have stored. Delete the cookies of this domain in the settings of your browser, then go back to the application and start again.',
  },
};

/**
 * For what the Node door cannot read as HTTP. `style`: the style sheet of our pages; a browser would ask for it with the same cookies, and
 * not get it.
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
  if (request && !(thrown instanceof MethodNotAllowed)) noteRefusedToken(request, thrown);
  return issuerError(thrown, http);
}

/** A redirect where the client and its redirect_uri are known, a page where not. */
export function authorizeError(thrown: unknown, http: HttpRequest, request: IssuerRequest | null): Answer {
  if (!(thrown instanceof AuthorizeRefused)) return pageError(thrown, http);
  const { recipient, cause } = thrown;
  // a limit on the person's network is no answer to the client
  if (cause instanceof TooManyAttempts) return pageError(cause, http);
  if (request) noteRefusedAuthorize(request, thrown);
  // it is the person who can do something about it
  if (!recipient || cause instanceof AgentRefused) return pageError(cause, http);
  // nobody is sent to an address that only a stranger's document vouches for, but by their own no (RFC 9700 §4.11.2)
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
  const details: [string, string][] = forDeveloper ? [['For the developer', forDeveloper]] : [];
  const words = requestWords(request);
  const { requestId } = request;
  const body = renderPage({ title: heading, heading, message, details, requestId, style }, words);
  return html(status, body, { https: settings().secureCookies, words, headers, style });
}
