// From any thrown value to an OAuthError: a lost database is an outage of ours, everything unknown a server error. The
// cause goes to the log and nowhere else.
import { TooManyAttempts } from '#lib/auth-methods/attempts.ts';
import { MethodNotAllowed } from '#lib/http/endpoint.ts';
import type { HttpRequest } from '#lib/http/message.ts';
import { UnreadableParams } from '#lib/http/params.ts';
import { log } from '#lib/kit/log.ts';
import { PasswordHashBusy } from '#lib/kit/password-hash.ts';
import { UnstorableValue } from '#lib/kit/text/storable.ts';
import { DatabaseUnavailable } from '#lib/store/database/pool.ts';
import { InvalidRequest, OAuthError, ServerError, SlowDown, TemporarilyUnavailable } from './errors.ts';

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

/** Without the broker's code, which is in the path of its callback. */
export function loggablePath({ path }: HttpRequest): string {
  return path.replace(/(\/callback\/broker\/)(?:.+)$/, '$1…').slice(0, 300);
}
