// Runs the code of machine clients, including the API call.
import http from 'node:http';
import { expect, test } from '@playwright/test';
import { replaceIn } from '#testing/code/doc-snippets.ts';
import type { Client } from '#testing/data/fixtures.ts';
import { type Listening, listen } from '#testing/net/listen.ts';
import { Browser } from '#testing/service/browser.ts';
import { consoleJar, giveClient } from '../../support/console/console.ts';
import {
  codeOn,
  paragraphsOf,
  runModule,
  runPythonAlone,
  runShell,
} from '../../support/pages/printed-code.ts';
import { makeApi, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';
import { hasPython, PYTHON } from '../../support/service/python.ts';

const hasAuthlib = hasPython('authlib, requests');
const secretOf = ({ secret }: Client) => (secret === undefined ? {} : { CLIENT_SECRET: secret });

let server: Listening;
/** Authorization headers received by the API */
let calls: (string | undefined)[] = [];

test.beforeAll(async () => {
  server = await listen(
    http.createServer((request, response) => {
      calls.push(request.headers.authorization);
      response.end('{"orders":[]}');
    }),
  );
});
test.afterAll(() => server.close());

test('the code page of a background client: its code gets a machine token and calls the API', async () => {
  const api = await makeApi({ url: `${server.url}/orders` });
  const developer = await makePerson('developer');
  const client = await makeClient({ apis: [api.id], redirectUris: [] });
  await giveClient(client.clientId, developer);
  await sql('update clients set redirect_uris = $2 where client_id = $1', [client.clientId, []]);
  await sql('update subscriptions set machine = true where client_id = $1', [client.clientId]);
  const visitor = new Browser(door, await consoleJar(door, developer));
  const page = `${door.url}/developer/clients/${client.clientId}/code?for=all`;
  const code = codeOn(await visitor.get(page));
  expect([...code.keys()]).toEqual([
    'curl: get a token for the application',
    'JavaScript, openid-client 6: get a token for the application',
    'Python, Authlib: get a token for the application',
    '$ Node: gatehouse-verify with Express',
    'Node: gatehouse-verify with Express',
    'nginx: forward auth',
    '$ Python: gatehouse_verify.py with FastAPI',
    'Python: gatehouse_verify.py with FastAPI',
    '$ Go: gatehouse.go with net/http',
    'Go: gatehouse.go with net/http',
    '$ PHP: gatehouse.php',
    'PHP: gatehouse.php',
  ]);
  const [ask = '', call = ''] = paragraphsOf(code.get('curl: get a token for the application') ?? '');
  const { access_token: accessToken } = JSON.parse(await runShell(`CLIENT_SECRET=${client.secret}\n${ask}`));
  expect(await runShell(replaceIn(call, { ACCESS_TOKEN: accessToken }))).toBe('{"orders":[]}');
  expect(calls).toEqual([`Bearer ${accessToken}`]);
  calls = [];
  const { tokens } = await runModule(
    code.get('JavaScript, openid-client 6: get a token for the application') ?? '',
    {
      ...secretOf(client),
    },
  );
  expect(calls).toEqual([`Bearer ${tokens?.['access_token']}`]);
  if (!hasAuthlib) return;
  calls = [];
  const env = { ...secretOf(client), AUTHLIB_INSECURE_TRANSPORT: '1' };
  const token = await runPythonAlone(
    PYTHON,
    code.get('Python, Authlib: get a token for the application') ?? '',
    env,
  );
  expect(calls).toEqual([`Bearer ${token['access_token']}`]);
});
