// GET {base_url}/api/cron/cleanup: what a running Node host does on a timer, for hosts that have none between requests.
import { equalDigests, log, sha256 } from '#lib/kit/index.ts';
import { maintain } from '#lib/management/index.ts';
import { settings } from '#lib/settings/index.ts';

export const dynamic = 'force-dynamic';
export const maxDuration = 60;

const NO_STORE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export async function GET(request: Request): Promise<Response> {
  const { cronSecret } = settings();
  const shown = request.headers.get('authorization') ?? '';
  if (cronSecret === null || !equalDigests(sha256(shown), sha256(`Bearer ${cronSecret}`))) {
    return Response.json(
      { error: 'unauthorized' },
      { status: 401, headers: { ...NO_STORE, 'www-authenticate': 'Bearer' } },
    );
  }
  try {
    return Response.json({ deleted: await maintain() }, { headers: NO_STORE });
  } catch (error) {
    log().warn({ err: error }, 'maintenance failed; it will be tried again');
    return Response.json({ error: 'temporarily_unavailable' }, { status: 503, headers: NO_STORE });
  }
}
