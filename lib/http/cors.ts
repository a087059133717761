// Cross-origin reads. A preflight names no client, so any origin may send one; the answer itself is readable only from
// where the policy says. Never with credentials, never for the authorize address (RFC 9700 §2.6).
import type { Answer, HttpRequest } from './message.ts';
import { empty } from './respond.ts';

/** Which origins may read the answer. `context` is null where the endpoint did not find it. */
export type CorsPolicy<Context> =
  | 'any-origin'
  | ((origin: string, context: Context | null) => boolean | Promise<boolean>);

const EXPOSED = 'WWW-Authenticate, X-Request-Id, Retry-After';

export function preflight(request: HttpRequest, allow: string): Answer {
  const headers: Record<string, string> = {
    allow,
    'access-control-allow-origin': request.headers['origin'] ?? '*',
    'access-control-allow-methods': allow,
    'access-control-allow-headers': 'content-type, authorization',
    'access-control-max-age': '600',
    vary: 'Origin',
  };
  return empty(204, headers);
}

export async function corsHeaders<Context>(
  policy: CorsPolicy<Context>,
  request: HttpRequest,
  context: Context | null,
): Promise<Record<string, string>> {
  if (request.method === 'OPTIONS') return {};
  if (policy === 'any-origin') return { 'access-control-allow-origin': '*' };
  const origin = request.headers['origin'] ?? '';
  const readable = origin !== 'null' && (await policy(origin, context));
  return readable
    ? { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' }
    : { vary: 'Origin' };
}
