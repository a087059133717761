// Application with an MCP client of either SDK. The test performs the user's actions.
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Keeper } from './mcp.ts';

const WHO = { name: 'test', version: '1.0.0' };
type Called = { content: { text: string }[] };
type Connection = {
  connect(): Promise<void>;
  /** completes authorization with the redirect's parameters */
  finish(answer: URLSearchParams): Promise<void>;
  call(name: string, args: Record<string, unknown>): Promise<Called>;
  close(): Promise<void>;
};

export const SDKS: Record<string, (url: URL, authProvider: OAuthClientProvider) => Connection> = {
  '@modelcontextprotocol/client 2.4.0': (url, authProvider) => {
    const client = new NewClient(WHO);
    const transport = new NewTransport(url, { authProvider });
    return {
      connect: () => client.connect(transport),
      finish: (answer) => transport.finishAuth(answer),
      call: (name, args) => client.callTool({ name, arguments: args }) as Promise<Called>,
      close: () => client.close(),
    };
  },
  '@modelcontextprotocol/sdk 1.32.2': (url, authProvider) => {
    const client = new OldClient(WHO);
    const transport = new OldTransport(url, { authProvider });
    return {
      // the types of the SDK were made without exactOptionalPropertyTypes
      connect: () => client.connect(transport as Parameters<typeof client.connect>[0]),
      finish: (answer) => transport.finishAuth(answer.get('code') ?? ''),
      call: (name, args) => client.callTool({ name, arguments: args }) as Promise<Called>,
      close: () => client.close(),
    };
  },
};

/** Expects that the attempt fails, because the user must authorize the client. */
export async function unauthorized(tried: Promise<unknown>): Promise<void> {
  const refused = await tried.then(
    () => new Error('the server let it in without a token'),
    (error: Error) => error,
  );
  if (refused.name !== 'UnauthorizedError' && !/unauthorized/i.test(String(refused))) throw refused;
}

/**
 * Connects like an application: the first attempt fails, because the user must authorize it; the second follows after
 * `visit`.
 */
export async function connected(
  connect: (url: URL, authProvider: OAuthClientProvider) => Connection,
  { url, keeper, visit }: { url: URL; keeper: Keeper; visit: (address: string) => Promise<URLSearchParams> },
): Promise<Connection> {
  const first = connect(url, keeper);
  await unauthorized(first.connect());
  await first.finish(await visit(keeper.take()));
  const second = connect(url, keeper);
  await second.connect();
  return second;
}
