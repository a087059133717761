// The Orders API of the demo. It uses packages/verify like the API of an operator, and the code examples of the
// console call it. `npm run quickstart` starts it. Not for production: the orders are fictional.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gatehouse } from '#verify/node.ts';

export type OrdersOptions = {
  /** listening URL of the demo API: its `url`, and the audience of access tokens */
  url: string;
  /** address of the API's protected resource metadata at Gatehouse (RFC 9728) */
  document: string;
  /** the scope for reading orders */
  scope: string;
};

/**
 * CORS: pages of other origins can send tokens and proofs, and read responses. Every API of a single-page application
 * needs this.
 */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, dpop',
  'access-control-allow-methods': 'GET',
  'access-control-expose-headers': 'www-authenticate, dpop-nonce',
};

const ORDERS = [
  { id: 17, item: 'Coffee beans, 1 kg', state: 'delivered' },
  { id: 18, item: 'Paper filters', state: 'on its way' },
];

/** Starts the API. Resolves once it listens on 127.0.0.1. */
export async function startOrders(options: OrdersOptions): Promise<{ close: () => Promise<void> }> {
  const { port, pathname, origin } = new URL(options.url);
  const protect = gatehouse({ api: options.document, publicUrl: origin }).require({ scope: options.scope });
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
    if (request.method === 'OPTIONS') return response.writeHead(204).end();
    if (new URL(request.url ?? '', origin).pathname !== pathname) return response.writeHead(404).end();
    const caller = await protect(request, response);
    if (caller === null) return response;
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ caller: caller.sub, orders: ORDERS }));
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => response.writeHead(500).end(`${error.message}\n`));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(port), '127.0.0.1', resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { close };
}
