// Checks this service's own metadata. In this test, an API of the service is a small MCP server.
import { execFile } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { examineMcp } from '#doctor-mcp/doctor-mcp.ts';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { createNodeDoor } from '#lib/http/node-door.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { handleHttp } from '#lib/oauth/endpoints.ts';
import { malformedRequest } from '#lib/oauth/refusals.ts';
import { settings } from '#lib/settings/settings.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { type Listening, listen } from '#testing/net/listen.ts';

const { baseUrl, authUrl } = settings();
let service: Listening;
let mcp: Listening;
let challenge: string | undefined;

beforeAll(async () => {
  await givenFixtures();
  const door = createNodeDoor({
    handle: handleHttp,
    otherwise: async (_, response) => void response.writeHead(404).end(),
    onFault: (error) => expect.unreachable(String(error)),
    onMalformed: malformedRequest,
  });
  service = await listen(door.server);
  mcp = await listen(
    http.createServer((_, response) =>
      response.writeHead(401, challenge === undefined ? {} : { 'www-authenticate': challenge }).end(),
    ),
  );
  Object.assign(settings(), { baseUrl: service.url, authUrl: service.url });
  await changeApi(OPERATOR, { id: 'orders', url: `${mcp.url}/mcp` });
  challenge = `Bearer resource_metadata="${service.url}/.well-known/oauth-protected-resource/apis/orders"`;
});
afterAll(async () => {
  Object.assign(settings(), { baseUrl, authUrl });
  await mcp.close();
  await service.close();
});

const command = (...args: string[]) =>
  new Promise<{ status: number; stdout: string }>((resolve) => {
    const main = path.resolve(import.meta.dirname, './main.ts');
    execFile(process.execPath, [main, 'doctor', 'mcp', ...args], (error, stdout) =>
      resolve({ status: error ? Number(error.code) : 0, stdout }),
    );
  });

test('a client that starts at the API’s metadata reaches the API’s first issuer without problems', async () => {
  const findings = await examineMcp(`${mcp.url}/mcp`);
  expect(findings.filter(({ state }) => state === 'broken')).toEqual([]);
  const detailOf = (wanted: string) => findings.find(({ check }) => check === wanted)?.detail;
  expect(detailOf('resource')).toBe(`it is for ${mcp.url}/mcp`);
  expect(detailOf('authorization server')).toContain(`${service.url}/auth/pw/api/orders`);
  expect(detailOf('scopes')).toBe('a client requests read write, from the document');
});

test('`gatehouse doctor mcp` prints each finding on a line, and exits with status 1 if a finding would stop a client', async () => {
  const [good, bad] = await Promise.all([command(`${mcp.url}/mcp`), command(`${mcp.url}/other`, '--json')]);
  expect(good.stdout).toMatch(/^STEP +STATE +WHAT A CLIENT FINDS\naddress +ok /);
  expect(good).toMatchObject({ status: 0, stdout: expect.stringMatching(/sign-in page\.\n$/) });
  expect(JSON.parse(bad.stdout).at(-1)).toMatchObject({ check: 'resource', state: 'broken' });
  expect(bad.status).toBe(1);
});
