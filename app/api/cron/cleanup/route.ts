// GET {base_url}/api/cron/cleanup: runs the clean-up on hosts without long-running processes. On a Node host, a timer
// runs it.
import { besideIssuers, NO_STORE, refuseWithout } from '#app/_doors/plain.ts';
import { log } from '#lib/kit/log.ts';
import { maintain } from '#lib/management/maintenance.ts';
import { settings } from '#lib/settings/settings.ts';

export const dynamic = 'force-dynamic';
export const maxDuration = 60;

export const GET = besideIssuers(async (request) => {
  const refusal = refuseWithout(settings().cronSecret, request);
  if (refusal) return refusal;
  try {
    // on a host without long-running processes, only this request cleans up. It must end within half a minute, so
    // it deletes without pauses
    const turn = await (settings().lasting ? maintain() : maintain(0));
    const failed = Object.values(turn.jobs).includes('failed');
    const body = failed ? { error: 'temporarily_unavailable', ...turn } : turn;
    return Response.json(body, { status: failed ? 503 : 200, headers: NO_STORE });
  } catch (error) {
    log().warn({ err: error }, 'maintenance failed; it will be tried again');
    return Response.json({ error: 'temporarily_unavailable' }, { status: 503, headers: NO_STORE });
  }
});
