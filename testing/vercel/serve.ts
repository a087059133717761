// `node testing/vercel/serve.ts DIR PORT`: serves the folder that `npm run vercel -- DIR` has written, as Vercel's edge
// would: its routes, files and functions. Nothing but that folder is read.
import { existsSync, readFileSync, statSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { Instances } from './instances.ts';
import { phasesOf, type Route, routed } from './routes.ts';

const [, , output = '', port = '3000'] = process.argv;
const { routes, overrides = {} } = JSON.parse(readFileSync(path.join(output, 'config.json'), 'utf8')) as {
  routes: Route[];
  overrides?: Record<string, { path?: string; contentType?: string }>;
};
const phases = phasesOf(routes);
const instances = new Instances(process.env, '/dev/stderr');

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'application/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.html': 'text/html; charset=utf-8',
};
/** files served under a different name */
const named = new Map(
  Object.entries(overrides).map(([file, { path: name = file, contentType }]) => [
    name,
    { file, contentType },
  ]),
);

function fileAt(at: string): { file: string; type: string } | null {
  const name = at.replace(/^\//, '');
  const { file = name, contentType } = named.get(name) ?? {};
  const full = path.join(output, 'static', file);
  if (!full.startsWith(path.join(output, 'static')) || !existsSync(full) || !statSync(full).isFile())
    return null;
  return { file: full, type: contentType ?? TYPES[path.extname(full)] ?? 'application/octet-stream' };
}

function functionAt(at: string): string | null {
  const name = at.replace(/^\//, '').replace(/\/$/, '') || 'index';
  const folder = path.join(output, 'functions', `${name}.func`);
  return folder.startsWith(path.join(output, 'functions')) && existsSync(folder) ? folder : null;
}

const exists = (at: string) => fileAt(at) !== null || functionAt(at) !== null;

/** Replaces forwarding headers that the caller sent, as Vercel's edge does. */
function forwarded({ headers, socket }: IncomingMessage): http.IncomingHttpHeaders {
  const address = socket.remoteAddress?.replace('::ffff:', '') ?? '';
  const { connection, 'x-matched-path': _, ...sent } = headers;
  return {
    ...sent,
    'x-forwarded-for': address,
    'x-real-ip': address,
    'x-forwarded-host': headers.host ?? '',
    'x-forwarded-proto': 'http',
    'x-vercel-id': 'test::test',
  };
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [at = '/', search] = (request.url ?? '/').split('?');
  const headers = forwarded(request);
  const asked = { path: at, query: new URLSearchParams(search), headers };
  let answered = false;
  const added: Record<string, string> = {};
  const middleware = async (name: string): Promise<string | null> => {
    const folder = functionAt(name);
    if (folder === null || answered) return null;
    const { method = 'GET', url = '/' } = request;
    const answer = await instances.ask(
      folder,
      { method: method === 'HEAD' ? 'GET' : method, path: url, headers },
      null,
    );
    const told = answer.headers;
    if (told['x-middleware-next'] === '1' || told['x-middleware-rewrite'] !== undefined) {
      for (const one of String(told['x-middleware-override-headers'] ?? '')
        .split(',')
        .filter(Boolean))
        headers[one] = String(told[`x-middleware-request-${one}`] ?? '');
      for (const [header, value] of Object.entries(told))
        if (!header.startsWith('x-middleware-') && !HOP.has(header)) added[header] = String(value);
      answer.resume();
      const to = told['x-middleware-rewrite'];
      return to === undefined ? null : new URL(String(to), 'http://localhost').pathname;
    }
    answered = true;
    pass(answer, response, {});
    return null;
  };
  const { found, query, headers: more, status } = await routed(phases, asked, exists, middleware);
  if (answered) return;
  const file = found === null ? null : fileAt(found);
  if (file) {
    response.writeHead(status ?? 200, { 'content-type': file.type, ...more, ...added });
    response.end(request.method === 'HEAD' ? undefined : readFileSync(file.file));
    return;
  }
  const folder = found === null ? null : functionAt(found);
  if (folder === null) {
    response.writeHead(404).end();
    return;
  }
  const whole = query.size > 0 ? `${at}?${query}` : at;
  const options = { method: request.method, path: whole, headers: { ...headers, ...more } };
  const answer = await instances.ask(folder, options, request);
  pass(answer, response, added, status);
}

const HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date', 'content-length']);

function pass(
  answer: IncomingMessage,
  response: ServerResponse,
  added: Record<string, string>,
  status: number | null = null,
): void {
  for (const [name, value] of Object.entries({ ...added, ...answer.headers }))
    if (value !== undefined && name !== 'connection' && name !== 'keep-alive')
      response.setHeader(name, value);
  response.writeHead(status ?? answer.statusCode ?? 500);
  answer.pipe(response);
}

const server = http.createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    if (!response.headersSent) response.writeHead(502);
    response.end();
  });
});
server.listen(Number(port));
process.on('SIGTERM', () => {
  server.close();
  void instances.stop().then(() => process.exit(0));
});
