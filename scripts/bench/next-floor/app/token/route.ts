// Floor of the Next server: minimal work in a Next route handler.
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
