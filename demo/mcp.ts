// An MCP server that Gatehouse protects, for a laptop: every token may read its notes, and tokens with a second scope
// may add notes. Each call introspects its token, so a revoked token stops working at once
// (docs/start/mcp-server.md). `npm run quickstart` starts it; its packages are loaded by the first call. Not for
// production: it stores nothing.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/server';

export type NotesOptions = {
  /** URL on which this server listens. It is also the `url` of the API and the audience of its tokens */
  url: string;
  apiId: string;
  introspectionSecret: string;
  /** an issuer of the API; one is enough, because its introspection endpoint accepts tokens of all issuers */
  issuer: string;
  /** URL of the API's metadata (RFC 9728) at Gatehouse; this server serves the metadata, too */
  document: string;
  scopes: { read: string; write: string };
};
type Mcp = typeof import('@modelcontextprotocol/server') & Pick<typeof import('zod'), 'z'>;
export type NotesServer = { close: () => Promise<void> };

export async function startNotes(options: NotesOptions): Promise<NotesServer> {
  let handler: Promise<(request: IncomingMessage, response: ServerResponse) => void> | undefined;
  const server = createServer((request, response) => {
    handler ??= handlerOf(options);
    handler.then(
      (handle) => handle(request, response),
      (error: Error) => response.writeHead(500).end(`${error.message}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(new URL(options.url).port), '127.0.0.1', resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { close };
}

async function handlerOf(options: NotesOptions) {
  const mcp = { ...(await import('@modelcontextprotocol/server')), z: (await import('zod')).z };
  const { localhostHostValidation, toNodeHandler } = await import('@modelcontextprotocol/node');
  const resource = new URL(options.url);
  const resourceMetadataUrl = mcp.getOAuthProtectedResourceMetadataUrl(resource);
  const gate = mcp.requireBearerAuth({
    verifier: { verifyAccessToken: (token) => callerOf(mcp, options, token) },
    requiredScopes: [options.scopes.read],
    expectedResource: resource,
    resourceMetadataUrl,
  });
  const notes: string[] = ['Water the plants'];
  const handler = mcp.createMcpHandler(() => serverOf(mcp, options.scopes, notes));
  const isLocal = localhostHostValidation();
  const handle = toNodeHandler({
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === new URL(resourceMetadataUrl).pathname) return resourceMetadata(options);
      if (pathname !== resource.pathname) return new Response('There is nothing here.\n', { status: 404 });
      const caller = await gate(request);
      return caller instanceof Response ? caller : handler.fetch(request, { authInfo: caller });
    },
  }) as (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  return (request: IncomingMessage, response: ServerResponse) => {
    if (isLocal(request, response)) void handle(request, response);
  };
}

/**
 * Creates a server with one tool per scope. A call without the scope returns 403 `insufficient_scope`, and the
 * client then requests the scope.
 */
function serverOf({ McpServer, requireScopes, z }: Mcp, scopes: NotesOptions['scopes'], notes: string[]) {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const notesContent = () => ({ content: [{ type: 'text' as const, text: notes.join('\n') }] });
  server.registerTool('list_notes', { description: 'Reads the notes' }, notesContent);
  server.registerTool(
    'add_note',
    {
      description: 'Adds a note',
      inputSchema: z.object({ text: z.string().max(200) }),
      scopeChallenge: requireScopes(scopes.read, scopes.write),
    },
    ({ text }) => {
      notes.push(text);
      // without this limit, the list of notes would grow forever
      if (notes.length > 100) notes.shift();
      return notesContent();
    },
  );
  return server;
}

/** Returns the caller that a token identifies, by introspection (RFC 7662). Rejects refresh tokens. */
async function callerOf(
  { OAuthError, OAuthErrorCode }: Mcp,
  { issuer, apiId, introspectionSecret }: NotesOptions,
  token: string,
): Promise<AuthInfo> {
  const credential = Buffer.from(`${apiId}:${encodeURIComponent(introspectionSecret)}`).toString('base64');
  const answer = await fetch(`${issuer}/introspect`, {
    method: 'POST',
    headers: { authorization: `Basic ${credential}` },
    body: new URLSearchParams({ token }),
    signal: AbortSignal.timeout(5_000),
  });
  // the response is a server error, so that the client does not discard its token
  if (!answer.ok) throw new OAuthError(OAuthErrorCode.ServerError, 'The token cannot be checked now.');
  const said = (await answer.json()) as Record<string, unknown>;
  if (said['active'] !== true || said['token_type'] === 'refresh_token')
    throw new OAuthError(OAuthErrorCode.InvalidToken, 'The token is not valid here.');
  return {
    token,
    clientId: String(said['client_id']),
    scopes: String(said['scope']).split(' '),
    expiresAt: Number(said['exp']),
    resource: new URL(String(said['aud'])),
  };
}

/** Returns the metadata (RFC 9728) that tells clients which authorization server issues tokens. */
async function resourceMetadata({ document }: NotesOptions): Promise<Response> {
  const answer = await fetch(document, { signal: AbortSignal.timeout(5_000) });
  const headers = { 'content-type': 'application/json', 'access-control-allow-origin': '*' };
  return new Response(await answer.text(), { status: answer.status, headers });
}
