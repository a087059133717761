// One instance of a function, in a process and a folder of its own: it listens on the socket that its first argument
// names, as Vercel's bridge does.
const { createServer } = require('node:http');
const path = require('node:path');
const { Readable } = require('node:stream');

const [, , folder, handler, kind, socket] = process.argv;
const waiting = new Set();
/** The function that Vercel provides for work that continues after the response. */
const context = {
  waitUntil: (work) => {
    const done = Promise.resolve(work).finally(() => waiting.delete(done));
    waiting.add(done);
  },
};
globalThis[Symbol.for('@vercel/request-context')] = { get: () => context };

const run = require(path.join(folder, handler));

async function asWeb(request, response) {
  const { method = 'GET', headers } = request;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const url = `${headers['x-forwarded-proto']}://${headers.host}${request.url}`;
  const answer = await run(
    new Request(url, {
      method,
      headers: Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
      ...(hasBody && { body: Readable.toWeb(request), duplex: 'half' }),
    }),
  );
  response.writeHead(answer.status, [...answer.headers].flat());
  response.end(Buffer.from(await answer.arrayBuffer()));
}

createServer((request, response) => {
  const done = kind === 'web' ? asWeb(request, response) : run(request, response);
  Promise.resolve(done).catch((error) => {
    process.stderr.write(`${error.stack ?? error}\n`);
    response.destroy();
  });
}).listen(socket);

process.on('SIGTERM', async () => {
  await Promise.allSettled([...waiting]);
  process.exit(0);
});
