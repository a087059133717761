// Serves /metrics on a separate port, so that only Prometheus in the internal network can reach it.
import { createServer } from '#lib/http/node-http.ts';
import type { MetricsText } from './sums.ts';

/** Starts to serve /metrics. Rejects if the port is in use. Returns a function that stops listening. */
export async function serveMetrics(
  port: number,
  host: string,
  read: () => Promise<MetricsText>,
): Promise<() => void> {
  const server = createServer((incoming, outgoing) => {
    if (incoming.method !== 'GET' || incoming.url !== '/metrics') {
      outgoing.writeHead(404).end();
      return;
    }
    read().then(
      ({ contentType, text }) => outgoing.writeHead(200, { 'content-type': contentType }).end(text),
      () => outgoing.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  server.unref();
  return () => {
    server.close();
    server.closeAllConnections();
  };
}
