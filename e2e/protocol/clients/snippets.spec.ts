// Runs every snippet of the pages and documents, with its placeholders filled in, until it has a token. Languages that
// do not run here are only parsed (testing/code/code-syntax.ts).
import http from 'node:http';
import { expect, test } from '@playwright/test';
import { codeIn, replaceIn } from '#testing/code/doc-snippets.ts';
import { type Client, fixturePerson } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import { CookieJar } from '#testing/net/cookie-jar.ts';
import { issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import { type Listening, listen } from '#testing/net/listen.ts';
import { Browser, signIn } from '#testing/service/browser.ts';
import { consoleJar, giveClient } from '../../support/console/console.ts';
import {
  cameBack,
  codeOn,
  paragraphsOf,
  runCurl,
  runJavaScript,
  runPython,
  runShell,
  startModule,
} from '../../support/pages/printed-code.ts';
import { makeApi, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';
import { hasPython, PYTHON } from '../../support/service/python.ts';

const hasAuthlib = hasPython('authlib, requests');

const REDIRECTS = {
  confidential: "https://shop.example/it's/cb",
  browser: 'https://spa.shop.example/callback',
  native: 'com.example.shop:/callback',
};
const KINDS = ['confidential', 'browser', 'native'] as const;
type Kind = (typeof KINDS)[number];

let server: Listening;
/** Authorization headers received by the API */
let calls: (string | undefined)[];
let api: { id: string };
let developer: Person;
let browser: Browser;
let alice: Person;

test.beforeAll(async () => {
  server = await listen(
    http.createServer((request, response) => {
      calls.push(request.headers.authorization);
      response.end('{"orders":[]}');
    }),
  );
  api = await makeApi({ url: `${server.url}/orders` });
  developer = await makePerson('developer');
  const first = await makeClient({ apis: [api.id, 'orders'], trusted: true });
  alice = await makePerson();
  browser = await signIn(door, alice, first);
});
test.beforeEach(() => {
  calls = [];
});
test.afterAll(() => server.close());

/** Creates a developer's client, and returns the code on its page. */
async function printed(
  kind: Kind,
  redirectUri = REDIRECTS[kind],
): Promise<{ client: Client; code: Map<string, string> }> {
  const client = await makeClient({ kind, apis: [api.id], redirectUris: [redirectUri] });
  await giveClient(client.clientId, developer);
  const visitor = new Browser(door, await consoleJar(door, developer));
  const query = new URLSearchParams({ api: api.id, method: 'pw', for: 'all' });
  const page = await visitor.get(`${door.url}/developer/clients/${client.clientId}/code?${query}`);
  expect(page.status).toBe(200);
  return { client, code: codeOn(page) };
}
/**
 * Code that installs the package and protects the API. testing/verify, delivery/packages.test.ts and
 * frameworks.spec.ts run this code.
 */
const PROTECTION = [
  ...['Node: gatehouse-verify with Express', 'Python: gatehouse_verify.py with FastAPI'].flatMap(withInstall),
  ...['Go: gatehouse.go with net/http', 'PHP: gatehouse.php'].flatMap(withInstall),
  'nginx: forward auth',
];
function withInstall(label: string): string[] {
  return [`$ ${label}`, label];
}
const SIGN_IN = 'JavaScript, openid-client 6: read the signed-in user';
const AUTH_JS = 'JavaScript, Auth.js 5: read the signed-in user';
const EXPRESS = 'Express, openid-client 6';
const FRAMEWORKS = {
  confidential: [
    ...[AUTH_JS, EXPRESS],
    ...['Java, Spring Security: application.yml', '.NET, ASP.NET Core: Program.cs'],
  ],
  browser: ['React, oidc-client-ts 3', 'Vue, oidc-client-ts 3', 'Angular, oidc-client-ts 3'],
  native: ['Swift, AppAuth', 'Kotlin, AppAuth'],
};
const secretOf = ({ secret }: Client) => (secret === undefined ? {} : { CLIENT_SECRET: secret });

test('the snippet of an API page ends with an authenticated call', async () => {
  const client = await makeClient({ apis: [api.id] });
  const code = codeOn(await new Browser(door).get(`${door.url}/apis/${api.id}`));
  expect(new Set(code.keys())).toEqual(
    new Set(['JavaScript, openid-client 6', ...PROTECTION, 'The 401 of the API']),
  );
  const snippet = replaceIn(code.get('JavaScript, openid-client 6') ?? '', {
    CLIENT_ID: client.clientId,
    YOUR_REDIRECT_ADDRESS: client.redirectUri,
  });
  const { tokens, renewed } = await runJavaScript(browser, snippet, secretOf(client));
  expect(calls).toEqual([`Bearer ${tokens['access_token']}`]);
  expect(renewed?.['access_token']).not.toBe(tokens['access_token']);
});

for (const kind of KINDS) {
  test(`the code page of a ${kind} client shows exactly the snippets that this test runs or reads`, async () => {
    const { code } = await printed(kind);
    const everywhere = ['JavaScript, oauth4webapi 3', 'curl', ...PROTECTION];
    const elsewhere = ['JavaScript, openid-client 6', SIGN_IN, 'Python, Authlib', 'Go, golang.org/x/oauth2'];
    const expected = [...everywhere, ...(kind === 'browser' ? [] : elsewhere), ...FRAMEWORKS[kind]];
    expect(new Set(code.keys())).toEqual(new Set(expected));
  });

  test(`JavaScript of a ${kind} client gets a token and calls the API with it`, async () => {
    const { client, code } = await printed(kind);
    for (const [label, snippet] of code) {
      if (!label.startsWith('JavaScript') || label.endsWith('read the signed-in user')) continue;
      calls = [];
      const { tokens, renewed } = await runJavaScript(browser, snippet, secretOf(client));
      expect(calls, label).toEqual([`Bearer ${tokens['access_token']}`]);
      expect(renewed === undefined, label).toBe(kind === 'browser');
    }
  });

  test(`curl commands of a ${kind} client get a token, call the API and renew`, async () => {
    const { client, code } = await printed(kind);
    const { tokens, called, renewed } = await runCurl(browser, code.get('curl') ?? '', {}, client.secret);
    expect(called).toBe('{"orders":[]}');
    expect(calls).toEqual([`Bearer ${tokens['access_token']}`]);
    if (kind === 'browser') expect(renewed).toBeNull();
    else expect(renewed).toHaveProperty('access_token');
  });
}

for (const kind of ['confidential', 'native'] as const) {
  test(`JavaScript of a ${kind} client reads the signed-in user`, async () => {
    const { client, code } = await printed(kind);
    const { person } = await runJavaScript(browser, code.get(SIGN_IN) ?? '', secretOf(client));
    expect(person).toMatchObject({ email: alice.email, name: alice.name });
  });

  test(`Python of a ${kind} client gets a token and calls the API with it`, async () => {
    test.skip(!hasAuthlib, 'Authlib and requests are not installed');
    const { client, code } = await printed(kind);
    const env = { ...secretOf(client), AUTHLIB_INSECURE_TRANSPORT: '1' };
    const token = await runPython(browser, PYTHON, code.get('Python, Authlib') ?? '', env);
    expect(calls).toEqual([`Bearer ${token['access_token']}`]);
  });
}

test('the Express application of a server signs a user in and calls the API with the user’s token', async () => {
  const port = String(await freePort());
  const origin = `http://localhost:${port}`;
  const { client, code } = await printed('confidential', `${origin}/callback`);
  const application = await startModule(code.get(EXPRESS) ?? '', { ...secretOf(client), PORT: port }, origin);
  const jar = new CookieJar();
  const begun = await send(`${origin}/login`, { jar });
  const back = await cameBack(browser, begun.location);
  const answer = await send(back.href, { jar });
  await application.stop();
  expect(answer.text).toBe('The API answered 200');
  expect(calls).toEqual([expect.stringMatching(/^Bearer /)]);
});

test('docs/how-to/connect-a-client.md: the commands for curl work, from discovery to a call', async () => {
  const client = await makeClient({ apis: [api.id], trusted: true });
  const [issuer = '', commands = ''] = codeIn('docs/how-to/connect-a-client.md', 'sh');
  const own = replaceIn(issuer, {
    'http://localhost:3000/auth/local/api/orders': issuerOf(door, 'pw', api.id),
  });
  const [address] = await sql<{ url: string }>('select url from apis where id = $1', [api.id]);
  const person = fixturePerson('alice');
  const words = {
    CLIENT_ID: client.clientId,
    CLIENT_SECRET: client.secret,
    REDIRECT_URI: client.redirectUri,
    API_URL: address?.url,
    E_MAIL: person.email,
    'password=PASSWORD': `password=${person.password}`,
  };
  const [discovery = '', begin = '', ...rest] = paragraphsOf(commands);
  expect(JSON.parse(await runShell(`${own}\n${discovery}`))).toMatchObject({
    issuer: issuerOf(door, 'pw', api.id),
  });
  const whole = [`${own}${begin.slice(0, begin.indexOf('\necho '))}`, begin, ...rest].join('\n\n');
  const { tokens, renewed } = await runCurl(browser, whole, words);
  expect(calls).toEqual([`Bearer ${tokens['access_token']}`]);
  expect(renewed).toHaveProperty('refresh_token');
  const password = replaceIn(rest.find((step) => step.includes('password')) ?? '', {
    CLIENT_ID: client.clientId,
    CLIENT_SECRET: client.secret ?? '',
    E_MAIL: person.email,
    'password=PASSWORD': `password=${person.password}`,
  });
  expect(JSON.parse(await runShell(`${own}\n${password}`))).toHaveProperty('access_token');
});

test('docs/how-to/connect-a-client.md: openid-client works for a confidential client, and oauth4webapi for a browser client', async () => {
  const [confidential = '', single = ''] = codeIn('docs/how-to/connect-a-client.md', 'js');
  const web = await makeClient({ apis: [api.id] });
  const words = {
    "'shop-web'": `'${web.clientId}'`,
    'https://shop.example/callback': web.redirectUri,
    'orders:read': 'read',
    '// execute: [client.allowInsecureRequests], //': 'execute: [client.allowInsecureRequests], //',
  };
  const env = { ...secretOf(web), ISSUER: issuerOf(door, 'pw', api.id) };
  const first = await runJavaScript(browser, replaceIn(confidential, words), env);
  expect(first.renewed).toHaveProperty('refresh_token');

  const spa = await makeClient({ kind: 'browser', apis: [api.id] });
  const second = await runJavaScript(
    browser,
    replaceIn(single, {
      'https://auth.example/auth/local/api/orders': issuerOf(door, 'pw', api.id),
      "'shop-spa'": `'${spa.clientId}'`,
      'https://spa.shop.example/callback': spa.redirectUri,
      'new URL(location.href)': 'currentUrl',
      // the library rejects http without an explicit option
      "{ algorithm: 'oauth2' }": "{ algorithm: 'oauth2', [oauth.allowInsecureRequests]: true }",
      '  verifier,\n)': '  verifier,\n  { [oauth.allowInsecureRequests]: true },\n)',
    }),
  );
  expect(second.tokens).toHaveProperty('access_token');
});
