// Takes the traces that a service exports over OTLP, and keeps them as they came.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** `take` gets one body each: JSON or protobuf, read as latin1. */
export async function startTraceCollector(
  take: (body: string) => void,
): Promise<{ url: string; close: () => void }> {
  const server = http.createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      take(Buffer.concat(chunks).toString('latin1'));
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
