// Runs the code of tab Code for pushed requests (RFC 9126) and DPoP-bound tokens (RFC 9449), including API call and
// token renewal.
import http from 'node:http';
import { expect, test } from '@playwright/test';
import { exportJWK } from 'jose';
import { makePair, setOf } from '#testing/clients/client-keys.ts';
import type { Person } from '#testing/data/world.ts';
import { type Listening, listen } from '#testing/net/listen.ts';
import { Browser, signIn } from '#testing/service/browser.ts';
import { consoleJar, giveClient } from '../../support/console/console.ts';
import { codeOn, runCurl, runJavaScript } from '../../support/pages/printed-code.ts';
import { makeApi, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

type Kind = 'confidential' | 'browser' | 'native';

let server: Listening;
/** Authorization headers received by the API */
let calls: (string | undefined)[];
let developer: Person;
let visitor: Browser;
let alice: Person;
let browser: Browser;

test.beforeAll(async () => {
  server = await listen(
    http.createServer((request, response) => {
      calls.push(request.headers.authorization);
      response.end('{"orders":[]}');
    }),
  );
  developer = await makePerson('developer');
  visitor = new Browser(door, await consoleJar(door, developer));
  alice = await makePerson();
  browser = await signIn(door, alice, await makeClient({ apis: ['orders'], trusted: true }));
});
test.afterAll(() => server.close());

const PUSHES = 'require_pushed_authorization_requests = true';
const BINDS = 'dpop_bound_access_tokens = true';
const ASKING: [what: string, kind: Kind, ofClient: string, ofApi: Record<string, string>, scheme: string][] =
  [
    ['a server that pushes its requests', 'confidential', PUSHES, {}, 'Bearer'],
    [
      'a server whose API wants a key and its nonce',
      'confidential',
      BINDS,
      { dpop_nonce: 'required' },
      'DPoP',
    ],
    ['a page that does both', 'browser', `${PUSHES}, ${BINDS}`, { dpop_nonce: 'required' }, 'DPoP'],
    ['an application that does both', 'native', PUSHES, { dpop: 'required' }, 'DPoP'],
    ['a server with keys at FAPI 2.0', 'confidential', 'jwks', { profile: 'fapi-2.0' }, 'DPoP'],
  ];

for (const [what, kind, ofClient, ofApi, scheme] of ASKING)
  test(`the code of ${what} gets a token, calls the API and renews`, async () => {
    const own = await makeApi({ url: `${server.url}/${encodeURIComponent(what)}`, ...ofApi });
    const redirectUris = [kind === 'native' ? 'com.example.shop:/callback' : 'https://shop.example/callback'];
    const client = await makeClient({ kind, apis: [own.id], redirectUris });
    const pair = await makePair();
    const keyed = ofClient === 'jwks';
    await sql(
      `update clients set ${keyed ? `token_endpoint_auth_method = 'private_key_jwt', jwks = $2` : `${ofClient}, name = coalesce($2, name)`} where client_id = $1`,
      [client.clientId, keyed ? JSON.stringify(setOf(pair)) : null],
    );
    if (keyed) await sql('delete from client_secrets where client_id = $1', [client.clientId]);
    await giveClient(client.clientId, developer);
    const query = new URLSearchParams({ api: own.id, method: 'pw', for: 'all' });
    const address = `${door.url}/developer/clients/${client.clientId}/code?${query}`;
    const code = codeOn(await visitor.get(address));
    const PRIVATE_KEY = JSON.stringify({ ...(await exportJWK(pair.privateKey)), kid: pair.kid });
    const env = { CLIENT_SECRET: client.secret, PRIVATE_KEY };
    const scripts = [...code].filter(([label]) => label.startsWith('JavaScript'));
    expect(scripts.length).toBeGreaterThan(0);
    for (const [label, snippet] of scripts) {
      if (label.includes('Auth.js')) continue;
      calls = [];
      const { tokens, renewed, person } = await runJavaScript(browser, snippet, env);
      const isSignIn = label.endsWith('read the signed-in user');
      if (isSignIn) expect(person, label).toMatchObject({ email: alice.email });
      else expect(calls, label).toEqual([`${scheme} ${tokens['access_token']}`]);
      if (!isSignIn) expect(renewed, label).toHaveProperty('access_token');
    }
    const curl = code.get('curl');
    expect(curl === undefined).toBe(scheme === 'DPoP');
    if (curl === undefined) return;
    calls = [];
    const { tokens } = await runCurl(browser, curl, {}, client.secret);
    expect(calls).toEqual([`${scheme} ${tokens['access_token']}`]);
  });
