// From whatever was thrown to an OAuthError: a lost database is an outage of ours, everything unknown a server error,
// and only the log learns the cause.
import { TooManyAttempts } from '#lib/auth-methods/index.ts';
import { type Answer, type HttpRequest, json, MethodNotAllowed, UnreadableParams } from '#lib/http/index.ts';
import { log, PasswordHashBusy, UnstorableValue } from '#lib/kit/index.ts';
import { DatabaseUnavailable } from '#lib/store/index.ts';
import {
  InvalidRequest,
  OAuthError,
  ServerError,
  SlowDown,
  TemporarilyUnavailable,
  UnknownIssuer,
} from './errors.ts';

export function toOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error instanceof UnreadableParams) {
    return new InvalidRequest(`The request can not be read: ${error.message}.`, { status: error.status });
  }
  if (error instanceof MethodNotAllowed) {
    const { headers, message } = error;
    return new InvalidRequest(`The request has a wrong method: ${message}.`, { status: 405, headers });
  }
  if (error instanceof UnstorableValue) {
    return new InvalidRequest('A parameter holds a character that no text can have.', { cause: error });
  }
  if (error instanceof TooManyAttempts) return new SlowDown(error.waitSeconds);
  if (error instanceof DatabaseUnavailable || error instanceof PasswordHashBusy) {
    return new TemporarilyUnavailable(undefined, { cause: error });
  }
  return new ServerError('Something went wrong on our side. Tell the operator the request id.', {
    cause: error,
  });
}

export function logError(error: OAuthError, request: HttpRequest): void {
  const facts = {
    request_id: request.requestId,
    error: error.code,
    method: request.method,
    path: loggablePath(request),
  };
  if (error.status >= 500) log().error({ ...facts, err: error.cause ?? error }, error.message);
  else log().info(facts, error.message);
}

/** A broker's code stands in the path of its callback; it is nobody's to read. */
export function loggablePath({ path }: HttpRequest): string {
  return path.replace(/(\/callback\/broker\/)(?:.+)$/, '$1…').slice(0, 300);
}

/** RFC 6749 §5.2, plus the request id. */
export function jsonError(thrown: unknown, request: HttpRequest): Answer {
  if (thrown instanceof UnknownIssuer) {
    return json(404, {
      error: 'not_found',
      error_description: 'No such issuer, or nothing at this address under it.',
      request_id: request.requestId,
    });
  }
  const error = toOAuthError(thrown);
  logError(error, request);
  const body = { error: error.code, error_description: error.message, request_id: request.requestId };
  return { ...json(error.status, body, error.headers), error: error.code };
}
