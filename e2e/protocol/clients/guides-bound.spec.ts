// The code and the commands of docs/how-to/bind-tokens-dpop.md and docs/how-to/devices.md, with their placeholders filled in.
// Each runs until it has tokens.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { codeIn, replaceIn } from '#testing/code/doc-snippets.ts';
import { issuerOf } from '#testing/net/door.ts';
import { listen } from '#testing/net/listen.ts';
import { Browser, hiddenFields, signIn } from '#testing/service/browser.ts';
import { paragraphsOf, runJavaScript, runShell } from '../../support/pages/printed-code.ts';
import { makeApi, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

type Claims = { cnf?: { jkt?: string } };

/** Starts the API of docs/how-to/bind-tokens-dpop.md, whose response names the caller. */
async function whoCallsOf(issuer: string, api: string): Promise<(request: Request) => Promise<Claims>> {
  const code = replaceIn(
    codeIn('docs/how-to/bind-tokens-dpop.md', 'js').find((block) => block.includes('whoCalls')) ?? '',
    {
      'https://auth.example/auth/local/api/orders': issuer,
      'https://api.example/orders': api,
      // the library rejects http without an explicit option
      'discoveryRequest(issuer)': 'discoveryRequest(issuer, { [oauth.allowInsecureRequests]: true })',
      '{ requireDPoP: true }': '{ requireDPoP: true, [oauth.allowInsecureRequests]: true }',
    },
  );
  mkdirSync('test-results', { recursive: true });
  const file = path.resolve(mkdtempSync(path.join('test-results', 'code-')), 'api.mjs');
  writeFileSync(file, code);
  return (await import(pathToFileURL(file).href)).whoCalls;
}

test('docs/how-to/bind-tokens-dpop.md: openid-client pushes, redeems and refreshes with a key, and the API accepts the token only with that key', async () => {
  const seen: Claims[] = [];
  let whoCalls: Awaited<ReturnType<typeof whoCallsOf>> | undefined;
  const server = await listen(
    http.createServer((incoming, outgoing) => {
      const { authorization = '', dpop } = incoming.headers;
      const headers = { authorization, ...(dpop !== undefined && { dpop: String(dpop) }) };
      const claims = whoCalls?.(new Request(`${server.url}${incoming.url}`, { headers }));
      claims?.then(
        (found) => {
          seen.push(found);
          outgoing.end('{"orders":[]}');
        },
        () => outgoing.writeHead(401).end(),
      );
    }),
  );
  const api = await makeApi({ url: `${server.url}/orders` });
  const issuer = issuerOf(door, 'pw', api.id);
  whoCalls = await whoCallsOf(issuer, `${server.url}/orders`);
  const web = await makeClient({ apis: [api.id, 'orders'], trusted: true });
  const browser = await signIn(door, await makePerson(), web);
  const [code = ''] = codeIn('docs/how-to/bind-tokens-dpop.md', 'js');
  const whole = replaceIn(code, {
    "'shop-web', process.env.CLIENT_SECRET);": `'${web.clientId}', process.env.CLIENT_SECRET, undefined, { execute: [client.allowInsecureRequests] });`,
    'const address =': `const verifier = client.randomPKCECodeVerifier();
const checks = { pkceCodeVerifier: verifier, expectedState: client.randomState() };
const parameters = {
  redirect_uri: '${web.redirectUri}',
  scope: 'read',
  state: checks.expectedState,
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
};
const address =`,
    'const tokens =': '// 2. \nconst tokens =',
    'https://api.example/orders': `${server.url}/orders`,
  });
  const { tokens, renewed } = await runJavaScript(
    browser,
    `${whole}\nif (!orders.ok) throw new Error('refused');`,
    {
      ISSUER: issuer,
      CLIENT_SECRET: web.secret ?? '',
    },
  );
  expect([tokens['token_type'], renewed?.['token_type']]).toEqual(['dpop', 'dpop']);
  expect(seen).toEqual([expect.objectContaining({ cnf: { jkt: expect.stringMatching(/^[\w-]{43}$/) } })]);
  for (const scheme of ['DPoP', 'Bearer']) {
    const authorization = `${scheme} ${renewed?.['access_token']}`;
    expect((await fetch(`${server.url}/orders`, { headers: { authorization } })).status).toBe(401);
  }
  await server.close();
});

test('docs/how-to/devices.md: the commands request a code and poll until the user approves', async () => {
  const api = await makeApi();
  await sql("update apis set device_grant = 'on' where id = $1", [api.id]);
  const { clientId } = await makeClient({ kind: 'native', apis: [api.id] });
  await sql('update subscriptions set device = true where client_id = $1', [clientId]);
  const [asking = '', polling = ''] = codeIn('docs/how-to/devices.md', 'sh').flatMap(paragraphsOf);
  const run = async (command: string, words: Record<string, string>) => {
    const own = replaceIn(command, { 'orders-cli': clientId, ...words });
    return JSON.parse(await runShell(`ISSUER=${issuerOf(door, 'pw', api.id)}\n${own}`)) as Record<
      string,
      string
    >;
  };
  const device = await run(asking, { 'orders:read': 'read' });
  const poll = () => run(polling, { DEVICE_CODE: String(device['device_code']) });
  expect(await poll()).toMatchObject({ error: 'authorization_pending' });

  const browser = new Browser(door);
  let page = await browser.onward(
    await browser.submit('/device/submit', { user_code: String(device['user_code']) }),
  );
  page = await browser.onward(await browser.signInOn(page, await makePerson()));
  page = await browser.onward(
    await browser.submit('/device/submit', { ...hiddenFields(page), decision: 'allow' }),
  );
  expect(page.text).toContain('The device is connected');
  expect(await poll()).toMatchObject({ access_token: expect.any(String), token_type: 'bearer' });
});
