// Counts what is refused at the addresses of clients, with the reason, on the way to the answer. Only where the issuer
// is known: made-up addresses, clients and methods are not counted.
import { MethodNotAllowed } from '#lib/http/endpoint.ts';
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { countRefusal } from '#lib/observability/tally.ts';
import { AuthorizeRefused } from '../authorize-request/response.ts';
import type { ClientRequest } from '../clients/client-request.ts';
import { isWaiting } from '../errors/device-errors.ts';
import { UnknownIssuer } from '../errors/errors.ts';
import { toOAuthError } from '../errors/to-oauth-error.ts';
import { UnidentifiedRequest } from '../errors/unidentified.ts';
import type { Issuer } from '../rules/issuer.ts';

type Context = ClientRequest & { issuer?: Issuer };
type OnError<Known extends Context> = (error: unknown, http: HttpRequest, request: Known | null) => Answer;

export const counted =
  <Known extends Context>(onError: OnError<Known>): OnError<Known> =>
  (thrown, http, request) => {
    if (request) count(thrown instanceof AuthorizeRefused ? thrown.cause : thrown, request.issuer);
    return onError(thrown, http, request);
  };

function count(error: unknown, issuer: Issuer | undefined): void {
  if (error instanceof MethodNotAllowed || error instanceof UnknownIssuer) return;
  const where = { apiId: issuer?.api.id, authMethodId: issuer?.method.id };
  // the person gets a page, and the client nothing
  if (error instanceof UnidentifiedRequest) countRefusal(where, 'invalid_request', 'unidentified');
  else {
    // a device that waits is not refused
    if (isWaiting(error)) return;
    const { code, reason } = toOAuthError(error);
    countRefusal(where, code, reason ?? '');
  }
}
