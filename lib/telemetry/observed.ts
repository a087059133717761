// A request to an address of the core, measured and traced: by the address's pattern, never by what was in it.
import type { Answer, HttpRequest } from '#lib/http/index.ts';
import { measureRequest, traced } from '#lib/kit/index.ts';

const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'DELETE', 'PATCH']);

export async function observed(
  pattern: string,
  request: HttpRequest,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const method = KNOWN_METHODS.has(request.method) ? request.method : 'OTHER';
  const started = performance.now();
  const answer = await traced(
    `${method} ${pattern}`,
    'server',
    async (set) => {
      const given = await work();
      set('http.request.method', method);
      set('http.route', pattern);
      set('http.response.status_code', given.status);
      set('gatehouse.request_id', request.requestId);
      return given;
    },
    request.headers,
  );
  measureRequest(pattern, method, answer.status, (performance.now() - started) / 1000);
  return answer;
}
