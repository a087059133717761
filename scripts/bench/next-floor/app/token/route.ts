// The floor for the Next server: a route handler of Next that does only the minimal work of a token request.
import { least } from '../../../least.ts';

export const dynamic = 'force-dynamic';

export async function POST(request: Request): Promise<Response> {
  const { status, body } = await least(await request.text());
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  });
}

export function GET(): Response {
  return new Response('ok');
}
