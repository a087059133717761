// The floor of the Node server: minimal work on node:http.
import { createServer } from 'node:http';
import { least } from './least.ts';

createServer((incoming, outgoing) => {
  if (incoming.method === 'GET') return void outgoing.end('ok');
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', async () => {
    const { status, body } = await least(Buffer.concat(chunks).toString());
    outgoing.writeHead(status, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'content-length': Buffer.byteLength(body),
    });
    outgoing.end(body);
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
