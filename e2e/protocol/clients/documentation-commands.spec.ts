// Runs every command that the pages of the endpoints show, with its placeholders filled in.
import http from 'node:http';
import { expect, test } from '@playwright/test';
import { syntaxFault } from '#testing/code/code-syntax.ts';
import { replaceIn } from '#testing/code/doc-snippets.ts';
import { fixturePerson } from '#testing/data/fixtures.ts';
import { listen } from '#testing/net/listen.ts';
import { Browser, signIn } from '#testing/service/browser.ts';
import { passwordGrant, redeem, tokensOf } from '#testing/service/token.ts';
import { codeOn, paragraphsOf, runShell } from '../../support/pages/printed-code.ts';
import { makeApi, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

test('/documentation/endpoints: every command in the examples receives a response without an error', async () => {
  // the API that the commands call
  const server = await listen(http.createServer((_, response) => response.end('{"orders":[]}')));
  const api = await makeApi({ url: `${server.url}/orders` });
  const other = await makeApi();
  const client = await makeClient({ apis: [api.id, other.id], trusted: true });
  await sql("update apis set device_grant = 'on' where id = $1", [api.id]);
  // the command for client credentials requires the permission `machine`
  await sql('update subscriptions set machine = true where client_id = $1 and api_id = $2', [
    client.clientId,
    api.id,
  ]);
  const native = await makeClient({
    kind: 'native',
    apis: [api.id],
    redirectUris: ['com.example.shop:/callback'],
    trusted: true,
  });
  await sql('update subscriptions set device = true where client_id = $1', [native.clientId]);
  const person = fixturePerson('alice');
  await sql(
    'update apis set introspection_secret_hash = (select introspection_secret_hash from apis where id = $2) where id = $1',
    [api.id, 'orders'],
  );
  const first = await makeClient({ apis: [api.id, 'orders'], trusted: true });
  const browser = await signIn(door, await makePerson(), first);
  const at = { method: 'pw', api: api.id };
  const granted = async () => tokensOf(await passwordGrant(door, client, person, {}, { at }));
  const openIdToken = async () => {
    const given = await browser.codeFor(client, { at, params: { scope: 'openid' }, pkce: false });
    return tokensOf(await redeem(door, client, given, { at })).accessToken;
  };
  const deviceCode = async () => {
    const form = new URLSearchParams({ client_id: native.clientId });
    const address = `${door.url}/auth/pw/api/${api.id}/device_authorization`;
    const answer = await fetch(address, { method: 'POST', body: form });
    return String(((await answer.json()) as { device_code?: string }).device_code);
  };
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const reader = new Browser(door);
  const index = await reader.get(`${door.url}/documentation`);
  const pages = new Set(index.text.match(/\/documentation\/endpoints\/[\w-]+/g));
  expect(pages.size).toBeGreaterThan(25);
  const code: [label: string, block: string][] = [];
  for (const page of pages) code.push(...codeOn(await reader.get(`${door.url}${page}`)));
  // the pages also contain examples of responses
  const tries = code.filter(([label]) => label.startsWith('Try it:'));
  const commands = tries.flatMap(([label, block]) =>
    paragraphsOf(block)
      // the endpoint requires a registration token set by the operator
      .filter((command) => !command.includes('REGISTRATION_TOKEN'))
      .map((command) => ({ label, command })),
  );
  expect(commands.length).toBeGreaterThan(15);
  for (const { label, command } of commands) {
    expect(syntaxFault('shell', command), label).toBeNull();
    const isOfDevice = /device_(?:authorization|code)/.test(command);
    const isPublic = isOfDevice || command.includes(verifier);
    const asking = isPublic ? native : client;
    // this command polls for tokens while the request still waits for a decision
    const isPolling = command.includes('DEVICE_CODE');
    const needsCode = /code=CODE$|code=CODE /m.test(command);
    const { accessToken, refreshToken } = await granted();
    const words: Record<string, string> = {
      OTHER_API_ID: other.id,
      'API_ID:INTROSPECTION_SECRET': `${api.id}:fixture-orders-introspection-secret`,
      '/api/API_ID': `/api/${api.id}`,
      '/apis/API_ID': `/apis/${api.id}`,
      '/verify/API_ID': `/verify/${api.id}`,
      AUTH_METHOD_ID: command.includes('/auth/callback/AUTH_METHOD_ID') ? 'brk' : 'pw',
      CLIENT_ID: asking.clientId,
      CLIENT_SECRET: client.secret ?? '',
      'redirect_uri=REDIRECT_URI': `redirect_uri=${command.includes('urlencode') ? client.redirectUri : encodeURIComponent(client.redirectUri)}`,
      E_MAIL: person.email,
      'password=PASSWORD': `password=${person.password}`,
      REFRESH_TOKEN: refreshToken,
      ACCESS_TOKEN: command.includes('/userinfo') ? await openIdToken() : accessToken,
      ...(isPolling ? { DEVICE_CODE: await deviceCode() } : {}),
      ...(needsCode
        ? {
            CODE: (await browser.codeFor(asking, { at, ...(isPublic ? { verifier } : { pkce: false }) }))
              .code,
          }
        : {}),
      'scope=orders:read': 'scope=read',
      '-o openapi.json': '-o /dev/null',
    };
    const used = Object.entries(words).filter(([word]) => command.includes(word));
    const output = await runShell(replaceIn(command, Object.fromEntries(used)));
    if (isPolling) {
      expect(output, label).toContain('"error":"authorization_pending"');
      continue;
    }
    expect(output, label).not.toMatch(/"error"|HTTP\/1\.1 [45]/);
    if (/grant_type=/.test(command)) expect(output, label).toContain('"access_token"');
    if (/introspect'/.test(command)) expect(output, label).toContain('"active":true');
  }
  await server.close();
});
