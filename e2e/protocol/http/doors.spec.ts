// Both servers give the same responses, header by header, except for the date, framing and connection headers, Next's
// own Vary, and ids, tokens and times that are new in each response.
import { expect, test } from '@playwright/test';
import { fixtureApi, fixtureClient } from '#testing/data/fixtures.ts';
import { type Door, issuerOf } from '#testing/net/door.ts';
import { proofKey, proofOf } from '#testing/net/dpop.ts';
import { send } from '#testing/net/http.ts';
import type { Answer, Sent } from '#testing/net/sent.ts';
import {
  authorizeParams,
  authorizeUrl,
  Browser,
  hiddenFields,
  isConsentPage,
  signIn,
} from '#testing/service/browser.ts';
import { basic, redemptionOf, refresh, token, tokensOf, tokenUrl } from '#testing/service/token.ts';
import { EXCHANGE, TYPE } from '../../support/clients/exchange.ts';
import { makeClient, makePerson } from '../../support/service/database.ts';
import { nextDoor, nodeDoor } from '../../support/service/doors.ts';

const FRAMING = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'];
const NEXT_VARY = /^(rsc|next-router-.*|next-url|accept-encoding)$/i;

/**
 * Replaces server URL, ids, tokens and times with placeholders. The management API uses the URL of the server that
 * started first, in the shared database.
 */
function settled(text: string, door: Door): string {
  return text
    .replaceAll(door.url, 'DOOR')
    .replaceAll(encodeURIComponent(door.url), 'DOOR')
    .replace(/"resource":"[^"]*\/api\/v1"/, '"resource":"MANAGEMENT"')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replace(/gh[crsa]_[\w-]{43}/g, 'TOKEN')
    .replace(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'JWT')
    .replace(/v1\.[\w-]+\.[\w-]+\.[\w-]+/g, 'SEALED')
    .replace(/(transaction=)[\w-]{43}/g, '$1VALUE')
    .replace(/ID\.[\w-]{16}/g, 'JTI')
    .replace(/\b(confidential|person)-[0-9a-f]{12}\b/g, '$1-ID')
    .replace(/Fe26\.2[\w*~.-]+/g, 'SEALED')
    .replace(/\btile-\d\b/g, 'tile-N')
    .replace(/nonce-[0-9a-f]{32}/g, 'nonce')
    .replace(/"(iat|exp|auth_time)":\d+/g, '"$1":0');
}

function comparable(answer: Answer, door: Door) {
  const headers = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] => {
    if (FRAMING.includes(name) || value === undefined) return [];
    const text = settled(String(value), door);
    if (name !== 'vary') return [[name, text]];
    const own = text.split(/, */).filter((one) => !NEXT_VARY.test(one));
    return own.length === 0 ? [] : [[name, own.join(', ')]];
  });
  return {
    status: answer.status,
    headers: Object.fromEntries(headers.sort()),
    body: settled(answer.text, door),
  };
}

type Ask = { path: string; sent?: Sent };

async function expectSame(asks: Record<string, (door: Door) => Ask | Promise<Ask>>): Promise<void> {
  for (const [name, ask] of Object.entries(asks)) {
    const [node, next] = await Promise.all(
      [nodeDoor, nextDoor].map(async (door) => {
        const { path, sent = {} } = await ask(door);
        const answer = await send(path.startsWith('/') ? `${door.url}${path}` : path, sent);
        return comparable(answer, door);
      }),
    );
    expect.soft(next, name).toEqual(node);
  }
}

/** Random values of pages and cookies, and every other word of twenty characters with a digit or a capital letter. */
const RANDOM = /\b(?=[\w-]*[A-Z\d])[\w-]{20,}/g;
/** Seconds that are left of an hour, which began a moment ago. */
const LEFT_OF_AN_HOUR = /(?<=expires_in\W+)(?:3600|35\d\d)\b/g;

/** Runs the same steps at both servers at the same time. Compares the answers to each step. */
async function expectSameSteps(steps: (door: Door) => AsyncIterable<[step: string, answer: Answer]>) {
  const [node = [], next = []] = await Promise.all(
    [nodeDoor, nextDoor].map((door) =>
      Array.fromAsync(steps(door), ([step, answer]) => ({
        step,
        answer: JSON.stringify(comparable(answer, door), null, 1)
          .replace(RANDOM, 'VALUE')
          .replace(LEFT_OF_AN_HOUR, 'VALUE'),
      })),
    ),
  );
  for (const [at, expected] of node.entries()) expect.soft(next[at], expected.step).toEqual(expected);
  expect(next).toHaveLength(node.length);
}

const conf = fixtureClient('conf');
const issuer = '/auth/pw/api/orders';
const credentials = { client_id: conf.clientId, client_secret: conf.secret ?? '' };
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];

test('the Node server and the Next server give equal responses to every method of every address', async () => {
  const paths = [
    `${issuer}/authorize`,
    `${issuer}/par`,
    `${issuer}/token`,
    `${issuer}/revoke`,
    `${issuer}/introspect`,
    `${issuer}/device_authorization`,
    `${issuer}/userinfo`,
    `${issuer}/logout`,
    `${issuer}/register`,
    `${issuer}/jwks`,
    `${issuer}/.well-known/oauth-authorization-server`,
    `${issuer}/.well-known/openid-configuration`,
    `/.well-known/oauth-authorization-server${issuer}`,
    `/.well-known/openid-configuration${issuer}`,
    '/.well-known/oauth-protected-resource/apis/orders',
    '/.well-known/oauth-protected-resource/api/v1',
    '/auth/token',
    '/auth/callback/broker',
    '/auth/callback/broker/a-code?state=x',
    '/auth/callback/brk',
    '/auth/callback/brk?code=c&state=x',
    '/auth/callback/none?code=c&state=x',
    '/health',
    '/ready',
    '/continue',
    '/client-logo?of=x&by=y',
    '/logo/none',
    '/.well-known/webauthn',
    '/.well-known/change-password',
    '/.well-known/passkey-endpoints',
    '/robots.txt',
    '/favicon.ico',
    '/verify/orders?scope=read',
    '/verify/orders?acr=x',
    '/verify/nothing',
    '/login/submit',
    '/login/passkey',
    '/new-password/submit',
    '/confirm/submit',
    '/set-up/submit',
    '/consent/submit',
    '/register/submit',
    '/device/submit',
    '/logout/submit',
    '/auth/callback/api/orders/token',
    '/auth/token/api/orders/jwks',
  ];
  for (const path of paths) {
    await expectSame(
      Object.fromEntries(METHODS.map((method) => [`${method} ${path}`, () => ({ path, sent: { method } })])),
    );
  }
});

/**
 * Spellings that Next may resolve to the route file of an address, although the address is another one. Next itself
 * answers a doubled slash, a dot segment and a malformed escape.
 */
const SPELLINGS: [name: string, respell: (path: string) => string][] = [
  ['a slash at the end', (path) => `${path}/`],
  ['upper case', (path) => path.toUpperCase()],
  ['an escaped letter', (path) => path.replace(/[a-z](?=[a-z.]*$)/, escaped)],
  ['an escaped letter of the first folder', (path) => path.replace(/(?<=^\/\.?)[a-z]/, escaped)],
  ['an escaped letter of an id', (path) => path.replace('orders', '%6frders')],
  ['an escaped slash', (path) => path.replace(/(?<=.)\/(?=[^/]*$)/, '%2F')],
  ['an escaped slash in an id', (path) => path.replace('orders', 'or%2Fders')],
  ['an escaped slash at the end', (path) => `${path}%2F`],
  ['a NUL', (path) => `${path}%00`],
  ['a suffix of a router', (path) => `${path}.rsc`],
  ['a suffix of segments', (path) => `${path}.segments/x.segment.rsc`],
  ['a suffix', (path) => `${path}.json`],
  ['one segment more', (path) => `${path}/x`],
  ['a matrix parameter', (path) => `${path};x=1`],
  ['a space at the end', (path) => `${path}%20`],
];
const escaped = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;

test('the Node server and the Next server give equal responses to other spellings of an address', async () => {
  const paths = [
    `${issuer}/token`,
    `${issuer}/jwks`,
    `/.well-known/openid-configuration${issuer}`,
    '/.well-known/webauthn',
    '/auth/callback/broker',
    '/auth/callback/broker/code',
    '/auth/callback/brk',
    '/auth/token',
    '/verify/orders',
    '/logo/none',
    '/robots.txt',
    '/favicon.ico',
    '/health',
    '/login/submit',
    '/continue',
  ];
  for (const [name, respell] of SPELLINGS)
    for (const path of paths)
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS'])
        await expectSame({
          [`${name}: ${method} ${respell(path)}`]: () => ({ path: respell(path), sent: { method } }),
        });
});

test('the Node server and the Next server give equal responses to headers of Next’s own requests', async () => {
  const headers = { 'next-router-prefetch': '1', 'next-action': 'x', 'x-matched-path': '/health' };
  for (const path of [
    `${issuer}/token`,
    `${issuer}/jwks`,
    '/health',
    '/verify/orders',
    '/continue',
    '/login/submit',
  ])
    for (const [name, value] of Object.entries(headers))
      for (const method of ['GET', 'POST'])
        await expectSame({
          [`${name}: ${method} ${path}`]: () => ({ path, sent: { method, headers: { [name]: value } } }),
        });
});

test('the Node server and the Next server give equal responses to two Authorization headers', async () => {
  const authorization = ['Bearer a', 'Bearer b'];
  await expectSame({
    verify: () => ({ path: '/verify/orders', sent: { headers: { authorization } } }),
  });
});

test('the Node server and the Next server give equal responses to unknown paths below known prefixes', async () => {
  const paths = [
    '/auth/pw/api/nothing/token',
    '/auth/nothing/api/orders/jwks',
    '/auth/pw/api/nothing/authorize',
  ];
  for (const accept of ['application/json', 'text/html'])
    for (const path of paths)
      await expectSame({ [`${accept} ${path}`]: () => ({ path, sent: { headers: { accept } } }) });
});

test('the Node server and the Next server give equal rejections at the token endpoint', async () => {
  const token =
    (form: Record<string, string>, headers = {}) =>
    () => ({
      path: `${issuer}/token`,
      sent: { form, headers },
    });
  await expectSame({
    nothing: token({}),
    'no grant': token(credentials),
    'unknown grant': token({ ...credentials, grant_type: 'x' }),
    'wrong secret': token({ ...credentials, client_secret: 'x', grant_type: 'refresh_token' }),
    'wrong Basic': token(
      { grant_type: 'refresh_token' },
      { authorization: `Basic ${Buffer.from('nobody:x').toString('base64')}` },
    ),
    'unknown code': token({ ...credentials, grant_type: 'authorization_code', code: 'x' }),
    'a type of its own': () => ({
      path: `${issuer}/token`,
      sent: { body: 'x', headers: { 'content-type': 'text/plain' } },
    }),
    'broken JSON': () => ({
      path: `${issuer}/token`,
      sent: { body: '{', headers: { 'content-type': 'application/json' } },
    }),
    'too large': () => ({
      path: `${issuer}/token`,
      sent: { form: { ...credentials, code: 'x'.repeat(70_000) } },
    }),
    'from a stranger’s origin': token(credentials, { origin: 'https://evil.example' }),
    'from its own origin': token(credentials, { origin: 'https://conf.example' }),
    preflight: () => ({
      path: `${issuer}/token`,
      sent: {
        method: 'OPTIONS',
        headers: { origin: 'https://spa.example', 'access-control-request-method': 'POST' },
      },
    }),
  });
});

test('a sign-in works at the Node server and the Next server: page, code, tokens, introspection, revocation', async () => {
  const client = await makeClient({ trusted: true });
  const browsers = new Map<string, Awaited<ReturnType<typeof signIn>>>();
  for (const door of [nodeDoor, nextDoor])
    browsers.set(door.url, await signIn(door, await makePerson(), client));
  const own = { client_id: client.clientId, client_secret: client.secret ?? '' };
  const query = new URLSearchParams({ ...authorizeParams(client), state: 'a state' });
  const locations = new Map<string, string>();
  const tokens = new Map<string, { access_token: string; refresh_token: string }>();

  await expectSame({
    'signed out': () => ({ path: `${issuer}/authorize?${query}` }),
    'signed out, silently': () => ({ path: `${issuer}/authorize?${query}&prompt=none` }),
    'an error page': () => ({ path: `${issuer}/authorize?client_id=nobody` }),
  });
  await expectSame({
    'signed in': (door) => ({
      path: `${issuer}/authorize?${query}`,
      sent: { jar: (browsers.get(door.url) as NonNullable<ReturnType<typeof browsers.get>>).jar },
    }),
  });
  for (const door of [nodeDoor, nextDoor]) {
    const { jar } = browsers.get(door.url) as NonNullable<ReturnType<typeof browsers.get>>;
    const { location } = await send(`${issuerOf(door)}/authorize?${query}`, { jar });
    locations.set(door.url, location);
    const code = new URL(location).searchParams.get('code') ?? '';
    const form = { ...own, grant_type: 'authorization_code', code };
    tokens.set(door.url, (await send(`${issuerOf(door)}/token`, { form })).json() as never);
  }
  const tokenOf = (door: Door, kind: 'access_token' | 'refresh_token') => tokens.get(door.url)?.[kind] ?? '';
  const api = Buffer.from(`orders:${fixtureApi('orders').secret}`).toString('base64');
  await expectSame({
    introspection: (door) => ({
      path: `${issuer}/introspect`,
      sent: { form: { token: tokenOf(door, 'access_token') }, headers: { authorization: `Basic ${api}` } },
    }),
    refresh: (door) => ({
      path: `${issuer}/token`,
      sent: { form: { ...own, grant_type: 'refresh_token', refresh_token: tokenOf(door, 'refresh_token') } },
    }),
    reuse: (door) => ({
      path: `${issuer}/token`,
      sent: { form: { ...own, grant_type: 'refresh_token', refresh_token: tokenOf(door, 'refresh_token') } },
    }),
    revocation: (door) => ({
      path: `${issuer}/revoke`,
      sent: { form: { ...own, token: tokenOf(door, 'refresh_token') } },
    }),
    'introspection of what is revoked': (door) => ({
      path: `${issuer}/introspect`,
      sent: { form: { token: tokenOf(door, 'access_token') }, headers: { authorization: `Basic ${api}` } },
    }),
  });
});

test('the Node server and the Next server give equal pages, cookies and redirects from sign-in to sign-out', async () => {
  const person = await makePerson();
  await expectSameSteps(async function* (door) {
    const client = await makeClient();
    const browser = new Browser(door);
    const request = await browser.ask(client);
    yield ['authorization request', request];
    const page = await browser.onward(request);
    yield ['sign-in page', page];
    yield ['prefetch', await browser.get(`${door.url}/login`, { headers: { 'sec-purpose': 'prefetch' } })];
    yield ['no field', await browser.submit('/login/submit', {})];
    const fields = { ...hiddenFields(page), username: person.email, password: person.password };
    const foreign = { origin: 'https://evil.example' };
    yield ['form of another origin', await browser.submit('/login/submit', fields, foreign)];
    yield ['form without cookies', await new Browser(door).submit('/login/submit', fields)];
    yield ['wrong password', await browser.signInOn(page, { ...person, password: 'wrong' })];
    const signedIn = await browser.signInOn(page, person);
    yield ['sign-in', signedIn];
    const consent = await browser.onward(signedIn);
    expect(isConsentPage(consent)).toBe(true);
    yield ['consent page', consent];
    const decided = await browser.decideOn(consent, 'allow');
    yield ['consent', decided];
    const back = await browser.onward(decided);
    expect(back.location).toContain('code=');
    yield ['redirect to the client', back];
    yield ['form_post', await browser.ask(client, { response_mode: 'form_post' })];
    yield ['silent request', await browser.ask(client, { prompt: 'none' })];
    const farewell = await browser.get(`${door.url}/logout`);
    yield ['sign-out page', farewell];
    yield ['sign-out', await browser.submit('/logout/submit', hiddenFields(farewell))];
    yield ['silent request, signed out', await browser.ask(client, { prompt: 'none' })];
  });
});

test('the Node server and the Next server give equal responses to signed proofs and pushed requests, JSON and HTTP Basic', async () => {
  const person = await makePerson();
  const key = await proofKey();
  await expectSameSteps(async function* (door) {
    const client = await makeClient({ trusted: true, apis: ['orders', 'billing'] });
    const browser = await signIn(door, person, client);
    const headers = basic(client.clientId, client.secret ?? '');
    const { client_id: _, ...form } = authorizeParams(client) as Record<string, string>;
    const pushed = await send(`${issuerOf(door)}/par`, { form, headers });
    yield ['pushed request', pushed];
    const reference = { client_id: client.clientId, request_uri: String(pushed.json()['request_uri']) };
    yield ['pushed request by its reference', await browser.get(authorizeUrl(door, reference))];
    const wrong = await proofOf(key, { address: `${door.url}/token` });
    const refused = redemptionOf(client, await browser.codeFor(client));
    yield ['proof for another address', await token(door, refused, { headers: { dpop: wrong } })];
    const redemption = redemptionOf(client, await browser.codeFor(client));
    const dpop = await proofOf(key, { address: tokenUrl(door) });
    const bound = await token(door, redemption, { headers: { dpop } });
    yield ['proof', bound];
    yield ['two proofs', await token(door, redemption, { headers: { dpop: [dpop, dpop] } })];
    yield ['refresh without a proof', await refresh(door, client, tokensOf(bound).refreshToken)];
    const { accessToken } = tokensOf(await token(door, redemptionOf(client, await browser.codeFor(client))));
    const exchange = {
      grant_type: EXCHANGE,
      subject_token: accessToken,
      subject_token_type: `${TYPE}access_token`,
      audience: 'billing',
    };
    const exchanged = await send(`${door.url}/auth/token`, { json: exchange, headers });
    expect(exchanged.status).toBe(200);
    yield ['exchange in JSON', exchanged];
    const registration = { redirect_uris: ['https://a.example/cb'], client_name: 'A' };
    yield ['registration', await send(`${issuerOf(door)}/register`, { json: registration })];
    const authorization = `Bearer ${accessToken}`;
    yield ['userinfo', await send(`${issuerOf(door)}/userinfo`, { headers: { authorization } })];
  });
});

test('the Node server and the Next server serve the pages of Next', async () => {
  for (const path of [
    '/',
    '/apis',
    '/apis/orders',
    '/apis/nothing',
    '/documentation',
    '/openapi.json',
    '/nothing',
  ])
    await expectSame({
      [path]: () => ({ path, sent: { method: 'HEAD', headers: { accept: 'text/html' } } }),
    });
});
