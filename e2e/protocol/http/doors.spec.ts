// Both doors give the same answers, header by header, except for the date, framing and connection headers, Next's own
// Vary, and ids, tokens and times that are new in each answer.
import { expect, test } from '@playwright/test';
import { fixtureApi, fixtureClient } from '#testing/data/fixtures.ts';
import { type Door, issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import type { Answer, Sent } from '#testing/net/sent.ts';
import { authorizeParams, signIn } from '#testing/service/browser.ts';
import { makeClient, makePerson } from '../../support/service/database.ts';
import { nextDoor, nodeDoor } from '../../support/service/doors.ts';

const FRAMING = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'];
const NEXT_VARY = /^(rsc|next-router-.*|next-url|accept-encoding)$/i;

/**
 * The text with placeholders for the door's address and for ids, tokens and times. The management API has the address
 * of the door that started first, in the database that both have.
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

const conf = fixtureClient('conf');
const issuer = '/auth/pw/api/orders';
const credentials = { client_id: conf.clientId, client_secret: conf.secret ?? '' };
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];

test('every method of every address', async () => {
  const paths = [
    `${issuer}/authorize`,
    `${issuer}/par`,
    `${issuer}/token`,
    `${issuer}/revoke`,
    `${issuer}/introspect`,
    `${issuer}/jwks`,
    `${issuer}/.well-known/oauth-authorization-server`,
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
    '/confirm/submit',
    '/set-up/submit',
    '/consent/submit',
    '/logout/submit',
  ];
  for (const path of paths) {
    await expectSame(
      Object.fromEntries(METHODS.map((method) => [`${method} ${path}`, () => ({ path, sent: { method } })])),
    );
  }
});

test('two Authorization headers', async () => {
  const authorization = ['Bearer a', 'Bearer b'];
  await expectSame({
    verify: () => ({ path: '/verify/orders', sent: { headers: { authorization } } }),
  });
});

test('addresses that nobody has under ours', async () => {
  const paths = [
    '/auth/pw/api/nothing/token',
    '/auth/nothing/api/orders/jwks',
    '/auth/pw/api/nothing/authorize',
  ];
  for (const accept of ['application/json', 'text/html'])
    for (const path of paths)
      await expectSame({ [`${accept} ${path}`]: () => ({ path, sent: { headers: { accept } } }) });
});

test('refusals of the token address', async () => {
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

test('a sign-in’s whole way: page, code, tokens, introspection, revocation', async () => {
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

test('pages are Next’s behind either door', async () => {
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
