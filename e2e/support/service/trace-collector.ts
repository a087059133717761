// Receives OTLP traces from a service.
import http from 'node:http';
import { type Listening, listen, textOf } from '#testing/net/listen.ts';

/** Starts the receiver. `take` receives the body of each request, JSON or protobuf, decoded as latin1. */
export function startTraceCollector(take: (body: string) => void): Promise<Listening> {
  const server = http.createServer(async (incoming, outgoing) => {
    take(await textOf(incoming, 'latin1'));
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  return listen(server);
}
