// Unmodified clients of the MCP SDKs that work without a user, at a protected MCP server
// (docs/how-to/mcp-clients.md).
import {
  CrossAppAccessProvider,
  ClientCredentialsProvider as NewCredentials,
  PrivateKeyJwtProvider as NewKey,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import {
  ClientCredentialsProvider as OldCredentials,
  PrivateKeyJwtProvider as OldKey,
} from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { expect, test } from '@playwright/test';
import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { startLiar } from '../../support/brokers/lying-broker.ts';
import { type ProtectedServer, startProtectedServer } from '../../support/clients/mcp.ts';
import { SDKS } from '../../support/clients/mcp-agent.ts';
import { makeClient, sql } from '../../support/service/database.ts';

let notes: ProtectedServer;
test.beforeAll(async () => {
  notes = await startProtectedServer();
});
test.afterAll(() => notes.close());

/** Creates a confidential client with approved machine access to this API. */
async function givenMachine(apiId: string) {
  const client = await makeClient({ apis: [apiId], scopes: ['read'] });
  await sql('update subscriptions set machine = true where client_id = $1', [client.clientId]);
  return { clientId: client.clientId, clientSecret: client.secret ?? '' };
}

/**
 * Checks that the client succeeds with `read`, fails with `write`, and fails entirely after it has lost
 * machine access.
 */
async function works(sdk: string, server: ProtectedServer, provider: OAuthClientProvider, clientId: string) {
  const connect = SDKS[sdk];
  if (!connect) throw new Error(`there is no ${sdk}`);
  const agent = connect(server.url, provider);
  await agent.connect();
  expect((await agent.call('list_notes', {})).content[0]?.text).toContain('Water the plants');
  await expect(agent.call('add_note', { text: 'no' })).rejects.toThrow();
  await sql('update subscriptions set machine = false where client_id = $1', [clientId]);
  await expect(agent.call('list_notes', {})).rejects.toThrow();
  await agent.close();
}

const PROVIDERS = {
  '@modelcontextprotocol/client 2.4.0': { Credentials: NewCredentials, Key: NewKey },
  '@modelcontextprotocol/sdk 1.32.2': { Credentials: OldCredentials, Key: OldKey },
};
for (const [sdk, { Credentials, Key }] of Object.entries(PROVIDERS)) {
  test(`${sdk}, ClientCredentialsProvider: a machine client with a secret gets a token`, async () => {
    const machine = await givenMachine(notes.apiId);
    await works(sdk, notes, new Credentials({ ...machine, expectedIssuer: notes.issuer }), machine.clientId);
  });

  test(`${sdk}, PrivateKeyJwtProvider: a machine client with a key gets a token`, async () => {
    const { clientId } = await givenMachine(notes.apiId);
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    await sql(
      "update clients set token_endpoint_auth_method = 'private_key_jwt', jwks = $2 where client_id = $1",
      [clientId, JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] })],
    );
    await sql('delete from client_secrets where client_id = $1', [clientId]);
    const key = { privateKey: await exportPKCS8(privateKey), algorithm: 'ES256' };
    await works(sdk, notes, new Key({ clientId, ...key, expectedIssuer: notes.issuer }), clientId);
  });
}

test('@modelcontextprotocol/client 2.4.0, CrossAppAccessProvider: an identity provider’s ID-JAG is exchanged for a token', async () => {
  const partner = await startLiar();
  const server = await startProtectedServer({ method: partner.method });
  try {
    const machine = await givenMachine(server.apiId);
    const provider = new CrossAppAccessProvider({
      ...machine,
      expectedIssuer: server.issuer,
      assertion: ({ authorizationServerUrl, resourceUrl, scope }) => {
        expect([authorizationServerUrl, resourceUrl]).toEqual([server.issuer, server.url.href]);
        const about = {
          aud: authorizationServerUrl,
          resource: resourceUrl,
          scope,
          client_id: machine.clientId,
        };
        return partner.idToken({ ...about, jti: crypto.randomUUID() }, { typ: 'oauth-id-jag+jwt' });
      },
    });
    await works('@modelcontextprotocol/client 2.4.0', server, provider, machine.clientId);
  } finally {
    await server.close();
    await partner.close();
  }
});
