// GET {base_url}/metrics, for callers that send METRICS_TOKEN. If that setting is missing, the address returns 404.
import { besideIssuers, NO_STORE, refuseWithout } from '#app/_doors/plain.ts';
import { readMetrics } from '#lib/observability/metrics.ts';
import { settings } from '#lib/settings/settings.ts';

export const dynamic = 'force-dynamic';

export const GET = besideIssuers(async (request) => {
  const { metricsToken } = settings();
  if (metricsToken === null) return Response.json({ error: 'not_found' }, { status: 404, headers: NO_STORE });
  const refusal = refuseWithout(metricsToken, request);
  if (refusal) return refusal;
  const { contentType, text } = await readMetrics();
  return new Response(text, { headers: { ...NO_STORE, 'content-type': contentType } });
});
