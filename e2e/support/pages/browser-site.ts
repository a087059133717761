// Small web server on another origin that records requests.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '#testing/net/listen.ts';

export type SiteRequest = { method: string; url: URL; headers: IncomingHttpHeaders };
export type SiteAnswer = { status?: number; headers?: Record<string, string>; body?: string };
export type SiteHandler = (request: SiteRequest) => SiteAnswer | Promise<SiteAnswer>;
export type Site = {
  origin: string;
  requests: SiteRequest[];
  close(): Promise<void>;
};

/**
 * Starts the server. `localhost` is same-site with the service, `127.0.0.1` is cross-site; the port makes
 * both hosts cross-origin.
 */
export async function startSite(host: 'localhost' | '127.0.0.1', handler: SiteHandler): Promise<Site> {
  const requests: SiteRequest[] = [];
  let origin = '';
  const server = createServer((incoming, outgoing) => {
    const request = read(incoming, origin);
    requests.push(request);
    void respond(handler, request, outgoing);
  });
  const { url, close } = await listen(server, { host });
  origin = url;
  return { origin, requests, close };
}

/** Client page that confirms the return. */
export const landing: SiteHandler = ({ url }) =>
  url.pathname === '/favicon.ico' ? { status: 204 } : htmlPage('Back at the client', '<p>Welcome back.</p>');

export function htmlPage(title: string, body: string): SiteAnswer {
  return {
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    body: `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1>${body}</main></html>`,
  };
}

function read(incoming: IncomingMessage, origin: string): SiteRequest {
  return {
    method: incoming.method ?? 'GET',
    url: new URL(incoming.url ?? '/', origin),
    headers: incoming.headers,
  };
}

async function respond(handler: SiteHandler, request: SiteRequest, outgoing: ServerResponse): Promise<void> {
  try {
    const { status = 200, headers = {}, body = '' } = await handler(request);
    outgoing.writeHead(status, headers).end(body);
  } catch (error) {
    outgoing.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
  }
}
