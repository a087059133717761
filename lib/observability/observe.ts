// Span and metrics of a request to an endpoint. Costs nothing while both are off.
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { metrics } from './metrics.ts';
import { startSpan } from './tracing.ts';

export async function observeRequest(
  pattern: string,
  request: HttpRequest,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const counting = metrics();
  const span = startSpan(
    `${request.method} ${pattern}`,
    {
      'http.request.method': request.method,
      'http.route': pattern,
      'gatehouse.request_id': request.requestId,
    },
    request.headers['traceparent'],
  );
  if (!counting && !span) return work();
  const started = performance.now();
  const answer = await work();
  const { status, error = '' } = answer;
  counting?.requests.inc({ endpoint: pattern, method: request.method, status, error });
  counting?.seconds.observe({ endpoint: pattern }, (performance.now() - started) / 1_000);
  span?.setAttributes({
    'http.response.status_code': status,
    ...(error === '' ? {} : { 'error.type': error }),
  });
  // 2: SpanStatusCode.ERROR
  if (status >= 500) span?.setStatus({ code: 2 });
  span?.end();
  return answer;
}
