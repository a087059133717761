// Pages and routes of Next are not served at an issuer's own host, which has only the issuer. What answers
// is loaded when a request comes to a host that is neither BASE_URL's nor AUTH_URL's.
import { foreignHost } from '#lib/http/called-host.ts';
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { plainRequest, webResponse } from './plain.ts';

/** The issuer's answer; null: the request came to no such host. */
export async function answerAtHost(request: HttpRequest): Promise<Answer | null> {
  if (foreignHost(request.headers) === null) return null;
  const { handleAtHost } = await import('#lib/oauth/endpoints/dispatch.ts');
  return handleAtHost(request);
}

type Handler = (request: Request) => Response | Promise<Response>;

/** A route handler of ours that is nothing of an issuer's. */
export function besideIssuers(handle: Handler): (request: Request) => Promise<Response> {
  return async (request) => {
    const answered = await answerAtHost(plainRequest(request));
    return answered ? webResponse(answered) : handle(request);
  };
}
