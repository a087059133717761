// Where Next owns the sockets, Node gives a handler the first of two Authorization headers, while a proxy in front may
// have used the other. Here the handler is given both, by a comma, which is in no token and no Basic credential.
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { nextOwnsSockets } from './peer-context.ts';

export function joinRepeatedTokens(): void {
  if (!nextOwnsSockets()) return;
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    const given = request.headersDistinct['authorization'] ?? [];
    if (given.length > 1) request.headers.authorization = given.join(', ');
  });
}
