// GET /developer/check?value=…&kind=… or &origin=…: what is wrong with a redirect address or an origin, as one types.
import { enter, originFault, Refused, redirectUriFault } from '#lib/management/index.ts';
import { readConsoleActor } from '#lib/sessions/index.ts';
import { sentence } from '../../_forms/respond.ts';

export const dynamic = 'force-dynamic';

export async function GET(request: Request): Promise<Response> {
  const actor = await readConsoleActor(request.headers.get('cookie') ?? undefined);
  if (!actor) return answer(401, 'Sign in again.');
  try {
    await enter(actor, { action: 'clients.see-own' });
  } catch (error) {
    if (error instanceof Refused) return answer(403, sentence(error.message));
    throw error;
  }
  const { searchParams } = new URL(request.url);
  const value = (searchParams.get('value') ?? '').slice(0, 4000);
  if (searchParams.has('origin')) return answer(200, originFault(value));
  const kind = searchParams.get('kind');
  return answer(200, redirectUriFault(value, kind === 'browser' || kind === 'native' ? kind : 'web'));
}

function answer(status: number, fault: string | null): Response {
  const body = { fault: fault === null ? null : sentence(fault) };
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } });
}
