// Cross-origin reads. A preflight names no client, so any origin may send one; the answer itself is readable only from
// where the policy says. Never with credentials, never for the authorize address (RFC 9700 §2.6).
import type { Answer, HttpRequest } from './message.ts';
import { empty } from './respond.ts';

/** Which origins may read the answer. `context` is null where the endpoint did not find it. */
export type CorsPolicy<Context> =
  | 'any-origin'
  | ((origin: string, context: Context | null) => boolean | Promise<boolean>);

const EXPOSED = 'WWW-Authenticate, X-Request-Id, Retry-After, DPoP-Nonce';

export function preflight(request: HttpRequest, allow: string): Answer {
  const headers: Record<string, string> = {
    allow,
    'access-control-allow-origin': request.headers['origin'] ?? '*',
    'access-control-allow-methods': allow,
    'access-control-allow-headers': allowedHeaders(request),
    'access-control-max-age': '600',
    vary: 'Origin, Access-Control-Request-Headers',
  };
  return empty(204, headers);
}

/** A list of field names (RFC 9110 §5.6.2), as long as any client's. */
const FIELD_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;
const MAX_FIELD_NAMES = 2_048;

/**
 * Those that are asked for: clients add headers of their own for tracing and for MCP, and without credentials none of
 * them is a danger (Fetch §3.3.2).
 */
function allowedHeaders({ headers }: HttpRequest): string {
  const usual = 'content-type, authorization';
  const asked = (headers['access-control-request-headers'] ?? '').trim();
  return asked.length <= MAX_FIELD_NAMES && FIELD_NAMES.test(asked) ? `${usual}, ${asked}` : usual;
}

export async function corsHeaders<Context>(
  policy: CorsPolicy<Context>,
  request: HttpRequest,
  context: Context | null,
): Promise<Record<string, string>> {
  if (request.method === 'OPTIONS') return {};
  if (policy === 'any-origin')
    return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED };
  const origin = request.headers['origin'] ?? '';
  const readable = origin !== 'null' && (await policy(origin, context));
  return readable
    ? { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' }
    : { vary: 'Origin' };
}
