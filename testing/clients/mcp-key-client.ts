// MCP client with key-bound tokens (SEP-1932), built on oauth4webapi: finds the server's authorization server, signs
// in, calls the server. As a program, it takes the server's URL and needs no user interaction.
import * as oauth from 'oauth4webapi';

const REDIRECT_URI = 'http://127.0.0.1/callback';
const insecure = { [oauth.allowInsecureRequests]: true };

type Calling = {
  /** id of the client; undefined: the client registers itself */
  clientId?: string;
  /** visits the authorization URL as the user, and returns the redirect URL */
  visit: (address: string) => Promise<string>;
};

/** Calls the MCP server twice with a bound token, and returns the status codes. */
export async function callWithKey(mcp: string, { clientId, visit }: Calling): Promise<number[]> {
  const { resource, authorization_servers: [issuer = ''] = [] } = await readResource(mcp);
  const found = await oauth.discoveryRequest(new URL(issuer), { ...insecure, algorithm: 'oauth2' });
  const server = await oauth.processDiscoveryResponse(new URL(issuer), found);
  const client: oauth.Client = { client_id: clientId ?? (await register(server)) };
  const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
  const options = { ...insecure, DPoP };

  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(server.authorization_endpoint ?? '');
  address.search = String(
    new URLSearchParams({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: REDIRECT_URI,
      resource,
      state,
      dpop_jkt: await DPoP.calculateThumbprint(),
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }),
  );
  const answer = oauth.validateAuthResponse(server, client, new URL(await visit(address.href)), state);
  const { access_token: token } = await withNonce(async () =>
    oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.None(),
        answer,
        REDIRECT_URI,
        verifier,
        { ...options, additionalParameters: { resource } },
      ),
    ),
  );
  const call = () =>
    withNonce(() =>
      oauth.protectedResourceRequest(token, 'POST', new URL(mcp), new Headers(HEADERS), BODY, options),
    );
  return [(await call()).status, (await call()).status];
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'key', version: '1' } },
});

/** Reads the metadata of the resource, whose URL the 401 response contains (RFC 9728 §5.1). */
async function readResource(mcp: string): Promise<{ resource: string; authorization_servers?: string[] }> {
  const refused = await fetch(mcp, { method: 'POST', headers: HEADERS, body: BODY });
  const [, address = ''] =
    /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
  return (await fetch(address)).json();
}

/**
 * Registers the client (RFC 7591) without the library, because the conformance tool's response lacks a member
 * that the library requires.
 */
async function register({ registration_endpoint: address = '' }: oauth.AuthorizationServer): Promise<string> {
  const about = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none', client_name: 'key' };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(about) });
  return ((await answer.json()) as { client_id: string }).client_id;
}

/** Retries if the response requires a nonce. */
async function withNonce<T>(ask: () => Promise<T>): Promise<T> {
  return ask().catch((error: unknown) => {
    if (oauth.isDPoPNonceError(error)) return ask();
    throw error;
  });
}

if (import.meta.main) {
  const visit = async (address: string) =>
    (await fetch(address, { redirect: 'manual' })).headers.get('location') ?? '';
  await callWithKey(process.argv[2] ?? '', { visit });
}
