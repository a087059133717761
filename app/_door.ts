// The Next door: turns a web Request into the plain request that the core takes, and its answer into a Response.
// No rule of the protocol lives here, and no address is built from the request (its host can be forged).
import { handleManagementApi } from '#lib/management-api/index.ts';
import { handleHttp } from '#lib/oauth/index.ts';
import { plainRequest, webResponse } from './_plain.ts';

async function handle(request: Request): Promise<Response> {
  const plain = plainRequest(request);
  const answer = (await handleHttp(plain)) ?? (await handleManagementApi(plain));
  return answer ? webResponse(answer) : new Response(null, { status: 404 });
}

/** Every method, so that the core answers 405 with its Allow, and HEAD as it wants. */
export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
