// Counts what is refused at the addresses of clients, with the reason, on the way to the answer. Only where the issuer
// is known: made-up addresses, clients and methods are not counted.
import { type Answer, type HttpRequest, MethodNotAllowed } from '#lib/http/index.ts';
import { countRefusal } from '#lib/observability/index.ts';
import { AuthorizeRefused } from '../authorize-request/index.ts';
import type { ClientRequest } from '../clients/index.ts';
import { isWaiting, toOAuthError, UnidentifiedRequest, UnknownIssuer } from '../errors/index.ts';
import type { Issuer } from '../rules/index.ts';

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
