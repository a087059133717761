// MCP client with key-bound tokens (SEP-1932). The conformance tool plays authorization server and MCP
// server, which proves that the client is correct. Then the unmodified client runs against a Gatehouse
// issuer.
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import * as oauth from 'oauth4webapi';
import { callWithKey } from '#testing/clients/mcp-key-client.ts';
import { issuerOf } from '#testing/net/door.ts';
import { listen } from '#testing/net/listen.ts';
import { Browser } from '#testing/service/browser.ts';
import { agreeing } from '../../support/clients/mcp.ts';
import { makeApi, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const SUITE = path.resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');
const CLIENT = path.resolve('testing/clients/mcp-key-client.ts');
type Check = { id: string; status: string; errorMessage?: string };

const PROOF = ['client-dpop-auth-scheme', 'client-fresh-proof', 'client-token-request-proof'];
const SCENARIOS = {
  'auth/dpop': PROOF,
  'auth/dpop-nonce': [...PROOF, 'client-as-nonce', 'client-rs-nonce'],
};
for (const [scenario, ids] of Object.entries(SCENARIOS))
  test(`@modelcontextprotocol/conformance client --scenario ${scenario}: testing/clients/mcp-key-client.ts passes`, async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-mcp-key-'));
    const args = [
      'client',
      '--command',
      `${process.execPath} ${CLIENT}`,
      '--scenario',
      scenario,
      '-o',
      folder,
    ];
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, [SUITE, ...args], (_, stdout, stderr) => resolve(stdout + stderr));
    });
    const [file, ...others] = globSync(`${folder}/**/checks.json`);
    expect(others, said).toEqual([]);
    const checks = JSON.parse(readFileSync(file ?? '', 'utf8')) as Check[];
    rmSync(folder, { recursive: true });
    const failed = checks.filter(({ status }) => !['SUCCESS', 'INFO'].includes(status));
    expect(failed, said).toEqual([]);
    for (const id of ids) expect(checks.map((check) => check.id)).toContain(`sep-1932-${id}`);
  });

test('SEP-1932: the client signs a user in with nonces, and an MCP server accepts its bound token', async () => {
  let api = '';
  let authorization: oauth.AuthorizationServer | undefined;
  const asked: (string | undefined)[] = [];
  const server = await listen(
    http.createServer(async (incoming, outgoing) => {
      const metadata = `${server.url}/.well-known/oauth-protected-resource/mcp`;
      if (incoming.url !== '/mcp') {
        const resource = {
          resource: `${server.url}/mcp`,
          authorization_servers: [issuerOf(door, 'pw', api)],
        };
        return void outgoing.end(JSON.stringify(resource));
      }
      const { authorization: token, dpop } = incoming.headers;
      asked.push(token?.split(' ')[0]);
      const headers = { ...(token && { authorization: token }), ...(dpop && { dpop: String(dpop) }) };
      const request = new Request(`${server.url}/mcp`, { method: 'POST', headers });
      const options = { requireDPoP: true, [oauth.allowInsecureRequests]: true };
      const claims =
        token && authorization
          ? await oauth
              .validateJwtAccessToken(authorization, request, `${server.url}/mcp`, options)
              .catch(() => null)
          : null;
      if (claims === null)
        outgoing.writeHead(401, { 'www-authenticate': `DPoP resource_metadata="${metadata}"` });
      outgoing.end();
    }),
  );
  ({ id: api } = await makeApi({ url: `${server.url}/mcp` }));
  await sql("update apis set dpop = 'required', dpop_nonce = 'required' where id = $1", [api]);
  const issuer = new URL(issuerOf(door, 'pw', api));
  const found = await oauth.discoveryRequest(issuer, { [oauth.allowInsecureRequests]: true });
  authorization = await oauth.processDiscoveryResponse(issuer, found);
  const { clientId } = await makeClient({
    kind: 'native',
    redirectUris: ['http://127.0.0.1/callback'],
    apis: [api],
  });
  const agrees = agreeing(new Browser(door), await makePerson());
  const visit = async (address: string) => `http://127.0.0.1/callback?${await agrees(address)}`;
  expect(await callWithKey(`${server.url}/mcp`, { clientId, visit })).toEqual([200, 200]);
  expect(asked).toEqual([undefined, 'DPoP', 'DPoP']);
  await server.close();
});
