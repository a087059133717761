// GET {base_url}/metrics for whoever shows METRICS_TOKEN; without that setting the address does not exist.
import { equalDigests, sha256 } from '#lib/kit/index.ts';
import { readMetrics } from '#lib/observability/index.ts';
import { settings } from '#lib/settings/index.ts';

export const dynamic = 'force-dynamic';

const NO_STORE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export async function GET(request: Request): Promise<Response> {
  const { metricsToken } = settings();
  if (metricsToken === null) return Response.json({ error: 'not_found' }, { status: 404, headers: NO_STORE });
  const shown = request.headers.get('authorization') ?? '';
  if (!equalDigests(sha256(shown), sha256(`Bearer ${metricsToken}`))) {
    const headers = { ...NO_STORE, 'www-authenticate': 'Bearer' };
    return Response.json({ error: 'unauthorized' }, { status: 401, headers });
  }
  const { contentType, text } = await readMetrics();
  return new Response(text, { headers: { ...NO_STORE, 'content-type': contentType } });
}
