// Guards addresses whose caller sends a token of the settings (METRICS_TOKEN, CRON_SECRET).
import { equalDigests, sha256 } from '#lib/kit/random.ts';

export const NO_STORE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** A 401 for a wrong or missing token; null: the token is right. */
export function refuseWithout(token: string | null, request: Request): Response | null {
  const shown = request.headers.get('authorization') ?? '';
  if (token !== null && equalDigests(sha256(shown), sha256(`Bearer ${token}`))) return null;
  const headers = { ...NO_STORE, 'www-authenticate': 'Bearer' };
  return Response.json({ error: 'unauthorized' }, { status: 401, headers });
}
