// Who may read the metrics: whoever reaches METRICS_PORT, or whoever shows METRICS_TOKEN at /metrics. Off by default.
import { createServer } from 'node:http';
import type { Answer, HttpRequest } from '#lib/http/index.ts';
import { equalDigests, gauge, measureProcess, passwordQueue, renderMetrics, sha256 } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import { poolState } from '#lib/store/index.ts';

/** /metrics at the service's own port, with the token; null where it is not for us. */
export async function answerMetrics(request: HttpRequest): Promise<Answer | null> {
  const { metricsToken } = settings();
  if (request.path !== '/metrics' || metricsToken === null) return null;
  const presented = /^bearer +(\S+)$/i.exec(request.headers['authorization'] ?? '')?.[1];
  if (presented === undefined || !equalDigests(sha256(presented), sha256(metricsToken))) {
    return {
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="metrics"', 'cache-control': 'no-store' },
    };
  }
  const { type, text } = await renderMetrics();
  return { status: 200, headers: { 'content-type': type, 'cache-control': 'no-store' }, body: text };
}

/** Starts what METRICS_PORT and METRICS_TOKEN ask for; gives the way to stop it. */
export async function startMetrics(): Promise<() => void> {
  const { metricsPort, metricsToken, host } = settings();
  if (metricsPort === null && metricsToken === null) return () => {};
  measureProcess();
  gauge('gatehouse_database_connections', 'Connections of the pool, and who waits for one', poolState);
  gauge('gatehouse_password_checks', 'Password checks that run, and that wait', passwordQueue);
  if (metricsPort === null) return () => {};
  const server = createServer((incoming, outgoing) => {
    if (incoming.url?.split('?')[0] !== '/metrics') {
      outgoing.writeHead(404).end();
      return;
    }
    void renderMetrics().then(({ type, text }) =>
      outgoing.writeHead(200, { 'content-type': type }).end(text),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(metricsPort, host, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE'
      ? new Error(`port ${metricsPort} is taken; set METRICS_PORT to another one`)
      : error;
  });
  return () => {
    server.close();
    server.closeAllConnections();
  };
}
