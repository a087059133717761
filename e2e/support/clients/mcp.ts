// Protected MCP server for one test, and client storage that both SDKs accept.
import { randomBytes } from 'node:crypto';
import type { OAuthClientMetadata, OAuthTokens } from '@modelcontextprotocol/client';
import { expect } from '@playwright/test';
import { type Person, sha256 } from '#testing/data/world.ts';
import { issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import { type Browser, isConsentPage, isSignInPage } from '#testing/service/browser.ts';
import { type NotesServer, startNotes } from '../../../demo/mcp.ts';
import { makeApi, sql } from '../service/database.ts';
import { nodeDoor as door } from '../service/doors.ts';

export type ProtectedServer = NotesServer & { url: URL; apiId: string; issuer: string };

/** Starts a demo MCP server for a new API with opaque tokens and the scopes `read` and `write`. */
export async function startProtectedServer({
  method = 'pw',
  ...columns
}: { method?: string } & Record<string, string> = {}): Promise<ProtectedServer> {
  const url = `http://localhost:${await freePort()}/mcp`;
  const { id } = await makeApi({ url, access_token_format: 'opaque', ...columns });
  const introspectionSecret = randomBytes(24).toString('base64url');
  await sql('update apis set introspection_secret_hash = $2 where id = $1', [
    id,
    sha256(introspectionSecret),
  ]);
  await sql('update combinations set auth_method_id = $2 where api_id = $1', [id, method]);
  const issuer = issuerOf(door, method, id);
  const scopes = { read: 'read', write: 'write' };
  const document = `${door.url}/.well-known/oauth-protected-resource/apis/${id}`;
  // waits, because the server may still use the settings of the API that it cached during setup
  const issuers = async () => (await send(document)).json()['authorization_servers'];
  await expect.poll(issuers).toEqual([issuer]);
  const notes = await startNotes({ url, apiId: id, introspectionSecret, issuer, document, scopes });
  return { ...notes, url: new URL(url), apiId: id, issuer };
}

/**
 * Returns a function that signs in and consents in a browser without scripts. The function returns the redirect
 * parameters.
 */
export const agreeing = (browser: Browser, person: Person) => async (address: string) => {
  let page = await browser.onward(await browser.get(address));
  if (isSignInPage(page)) page = await browser.onward(await browser.signInOn(page, person));
  if (isConsentPage(page)) page = await browser.onward(await browser.decideOn(page, 'allow'));
  if (page.location === '') throw new Error(`no answer: ${page.status} ${page.text.slice(0, 300)}`);
  return new URL(page.location).searchParams;
};

type Kept = { issuer?: string };

/** In-memory storage of an application with loopback redirect URI, including the pending authorization URL. */
export class Keeper {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  readonly clientMetadataUrl?: string;
  /** pending authorization URL; null before a request, and after `take` */
  #asked: URL | null = null;
  #client: ({ client_id: string; client_secret?: string } & Kept) | undefined;
  #tokens: (OAuthTokens & Kept) | undefined;
  #verifier = '';
  // biome-ignore lint/suspicious/noExplicitAny: each SDK has its own type for what it found
  #discovered: any;

  constructor(given: {
    redirectUrl: string;
    clientId?: string;
    clientMetadataUrl?: string;
    metadata?: Partial<OAuthClientMetadata>;
  }) {
    this.redirectUrl = given.redirectUrl;
    if (given.clientMetadataUrl !== undefined) this.clientMetadataUrl = given.clientMetadataUrl;
    if (given.clientId !== undefined) this.#client = { client_id: given.clientId };
    this.clientMetadata = {
      client_name: 'Test agent',
      redirect_uris: [given.redirectUrl],
      ...given.metadata,
    };
  }
  state = () => 'S';
  clientInformation = () => this.#client;
  saveClientInformation = (client: { client_id: string }) => {
    this.#client = client;
  };
  /** true: the client receives no refresh token until the next `saveTokens` */
  withoutRefresh = false;
  tokens = (): (OAuthTokens & Kept) | undefined => {
    if (!this.#tokens || !this.withoutRefresh) return this.#tokens;
    const { refresh_token: _, ...others } = this.#tokens;
    return others;
  };
  saveTokens = (tokens: OAuthTokens & Kept) => {
    this.#tokens = tokens;
    this.withoutRefresh = false;
  };
  redirectToAuthorization = (address: URL) => {
    this.#asked = address;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  saveDiscoveryState = (state: any) => {
    this.#discovered = state;
  };
  discoveryState = () => this.#discovered;

  /** Returns the pending authorization URL, and forgets it. */
  take(): string {
    const address = this.#asked;
    if (address === null) throw new Error('the client did not ask for the person');
    this.#asked = null;
    return address.href;
  }
}
