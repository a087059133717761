// GET {base_url}/openapi.json: OpenAPI 3.1 of both areas, from the same data as /documentation.
import { openapi } from '#lib/reference/index.ts';
import { settings } from '#lib/settings/index.ts';

export const dynamic = 'force-dynamic';

export function GET(): Response {
  const { baseUrl, authUrl } = settings();
  return Response.json(openapi(baseUrl, authUrl), {
    headers: {
      'cache-control': 'public, max-age=60',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    },
  });
}
