// GET {base_url}/openapi.json: an OpenAPI 3.1 document of the endpoints and the management API, from the same data as
// /documentation.
import { randomUUID } from 'node:crypto';
import { besideIssuers } from '#app/_doors/plain.ts';
import { keepMade } from '#lib/kit/process.ts';
import { openapi } from '#lib/reference/openapi.ts';
import { settings } from '#lib/settings/settings.ts';

export const dynamic = 'force-dynamic';

const documentCache = keepMade<string>('openapi.json', 2);

export const GET = besideIssuers((): Response => {
  const { baseUrl, authUrl } = settings();
  const text = documentCache(`${baseUrl} ${authUrl}`, () => JSON.stringify(openapi(baseUrl, authUrl)));
  return new Response(text, {
    headers: {
      'content-type': 'application/json',
      'cache-control': 'public, max-age=60',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    },
  });
});

/** The 405 response of Next contains no `Allow` header. */
function refuse(): Response {
  const request_id = randomUUID();
  const error = {
    error: 'invalid_request',
    error_description: 'The methods of this address are GET and HEAD.',
  };
  const headers = { allow: 'GET, HEAD, OPTIONS', 'cache-control': 'no-store', 'x-request-id': request_id };
  return Response.json({ ...error, request_id }, { status: 405, headers });
}

export { refuse as DELETE, refuse as PATCH, refuse as POST, refuse as PUT };
