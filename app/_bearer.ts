// Addresses for one caller, who shows a token of the settings.
import { equalDigests, sha256 } from '#lib/kit/index.ts';

export const NO_STORE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** 401 where another token is shown, or none; null: go on. */
export function refuseWithout(token: string | null, request: Request): Response | null {
  const shown = request.headers.get('authorization') ?? '';
  if (token !== null && equalDigests(sha256(shown), sha256(`Bearer ${token}`))) return null;
  const headers = { ...NO_STORE, 'www-authenticate': 'Bearer' };
  return Response.json({ error: 'unauthorized' }, { status: 401, headers });
}
