// Every row of the table *Forward auth* in contract section 9, at the Node server and at the Next route.
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { currentKey } from '#lib/keys/keys.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { ACCESS_TOKEN_TYPE } from '#lib/tokens/access-token.ts';
import { sql } from '#testing/data/registry.ts';
import { exchangeAs, letAct } from '#testing/in-process/delegations.ts';
import {
  bearer,
  type Gateway,
  type GatewayWorld,
  givenGateway,
  nextGateway,
  nodeGateway,
} from '#testing/in-process/forward-auth.ts';
import { ask } from '#testing/in-process/in-process.ts';
import { giveFormat } from '#testing/in-process/machines.ts';
import { ACR, claimsOf, TRU, tokensAs } from '#testing/in-process/step-up.ts';

let world: GatewayWorld;
beforeAll(async () => {
  setLogLevel('silent');
  world = await givenGateway();
});
afterAll(() => world.door.close());

const DOCUMENT = /^https?:\/\/[^"]+\/\.well-known\/oauth-protected-resource\/apis\/orders$/;
/** Returns the parameters of the challenge in the response. The header must contain exactly one challenge. */
function challengeOf({ headers }: { headers: Record<string, string> }): Record<string, string> {
  const [, parameters = ''] = /^(?:Bearer|DPoP) (.*)$/.exec(headers['www-authenticate'] ?? '') ?? [];
  const found = Object.fromEntries([...parameters.matchAll(/(\w+)="([^"]*)"/g)].map((one) => one.slice(1)));
  const { resource_metadata: document = '', error_description: _, algs: __, ...rest } = found;
  expect(document).toMatch(DOCUMENT);
  return rest;
}

/** Signs a JWT with Gatehouse's key. `over` replaces claims of a valid token. */
async function signed(over: Record<string, unknown>, typ = ACCESS_TOKEN_TYPE): Promise<string> {
  const key = await currentKey('ES256', await currentSnapshot());
  return new SignJWT({ ...claimsOf(world.token), ...over })
    .setProtectedHeader({ alg: 'ES256', typ, kid: key.kid })
    .sign(key.privateKey);
}

const inSeconds = (seconds: number) => nowSeconds() + seconds;

describe.each<[string, () => Gateway]>([
  ['Node', () => nodeGateway(world.door)],
  ['Next', () => nextGateway],
])('at the %s server', (_, door) => {
  test('200 without a body is returned for a valid token, and the headers identify the caller in visible ASCII', async () => {
    const answer = await door()('', { headers: bearer(world.token) });
    expect(answer).toMatchObject({ status: 200, body: '' });
    const told = Object.entries(answer.headers).filter(([name]) => name.startsWith('x-auth-'));
    expect(Object.fromEntries(told)).toEqual({
      'x-auth-sub': world.alice.personId,
      'x-auth-client-id': 'tru',
      'x-auth-scope': 'read',
      'x-auth-issuer': claimsOf(world.token).iss,
      'x-auth-kind': 'person',
    });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  test('200 is returned for a token of a machine client, without user headers', async () => {
    const { headers } = await door()('scope=read', {
      headers: bearer(await world.machineToken({ scope: 'read' })),
    });
    expect(headers).toMatchObject({
      'x-auth-kind': 'machine',
      'x-auth-sub': 'bot',
      'x-auth-client-id': 'bot',
      'x-auth-scope': 'read',
    });
  });

  test('200 is returned for opaque tokens of users and machine clients', async () => {
    await giveFormat('opaque');
    const { access_token: opaque = '' } = await tokensAs(world.alice.cookie, { scope: 'read' });
    const machine = await world.machineToken({ scope: 'read' });
    await giveFormat('jwt');
    expect([opaque.slice(0, 4), machine.slice(0, 5)]).toEqual(['gha_', 'ghma_']);
    for (const [token, kind] of [
      [opaque, 'person'],
      [machine, 'machine'],
    ] as const)
      expect((await door()('scope=read', { headers: bearer(token) })).headers['x-auth-kind']).toBe(kind);
  });

  test('200 is returned for the token of an agent, with the agent’s name next to the user’s id', async () => {
    await letAct(world.alice, 'orders', ['read']);
    const { access_token: token = '' } = await exchangeAs(world.alice, { audience: 'orders' });
    expect((await door()('', { headers: bearer(token) })).headers).toMatchObject({
      'x-auth-sub': world.alice.personId,
      'x-auth-act': 'conf',
    });
  });

  test.each<[string, Record<string, string> | undefined]>([
    ['no header', undefined],
    ['another scheme', { authorization: 'Basic eDp5' }],
    ['a scheme alone', { authorization: 'Bearer' }],
  ])('401 without an error code is returned for %s', async (_what, headers) => {
    const answer = await door()('scope=read', headers && { headers });
    expect(answer).toMatchObject({ status: 401, body: '' });
    expect(challengeOf(answer)).toEqual({});
  });

  test.each<[string, () => string | Promise<string>]>([
    ['malformed', () => 'Bearer a b'],
    ['a character that no token has', () => 'Bearer a"b'],
    ['unknown', () => `Bearer gha_${'x'.repeat(43)}`],
    ['signed by no key of ours', () => `Bearer ${world.token.slice(0, -8)}AAAAAAAA`],
    ['expired', async () => `Bearer ${await signed({ exp: inSeconds(-5) })}`],
    ['of another type', async () => `Bearer ${await signed({}, 'JWT')}`],
    ['bound, as Bearer', async () => `Bearer ${await signed({ cnf: { jkt: 'x' } })}`],
    ['with a proof', () => `DPoP ${world.token}`],
    ['a refresh token', () => `Bearer ghr_${'x'.repeat(43)}`],
  ])('401 invalid_token is returned for a token that is %s', async (_what, header) => {
    const answer = await door()('scope=read', { headers: { authorization: await header() } });
    expect(answer.status).toBe(401);
    expect(challengeOf(answer)).toEqual({ error: 'invalid_token' });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-auth-'))).toEqual([]);
  });

  test('401 invalid_token is returned for a valid token of another API', async () => {
    const answer = await door()('', { headers: bearer(world.token) }, 'billing');
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/error="invalid_token".*\/apis\/billing"/);
  });

  test('401 invalid_token is returned for two Authorization headers that a proxy joined into a list', async () => {
    const headers = { authorization: `Bearer ${world.token}, Bearer ${world.token}` };
    const answer = await door()('', { headers });
    expect([answer.status, challengeOf(answer)]).toEqual([401, { error: 'invalid_token' }]);
  });

  test.each([
    ['a weaker sign-in', `acr=${ACR('mfa')}`, { acr_values: ACR('mfa') }],
    ['an older one', 'max_age=0', { max_age: '0' }],
    ['both', `acr=${ACR('mfa')}&max_age=0`, { acr_values: ACR('mfa'), max_age: '0' }],
  ])('401 insufficient_user_authentication is returned for %s', async (_what, query, asked) => {
    await sql("update token_families set auth_time = now() - interval '1 minute' where id = $1", [
      claimsOf(world.token).jti?.split('.')[0],
    ]);
    const answer = await door()(query, { headers: bearer(world.token) });
    expect(answer.status).toBe(401);
    expect(challengeOf(answer)).toEqual({ error: 'insufficient_user_authentication', ...asked });
  });

  test('a strong, recent sign-in meets acr and max_age, and a machine token never does', async () => {
    const machine = bearer(await world.machineToken({ scope: 'read' }));
    for (const query of [`acr=${ACR('password')}`, `acr=${ACR('mfa')}`, 'max_age=3600']) {
      expect((await door()(query, { headers: bearer(world.strong) })).status, query).toBe(200);
      const refused = await door()(query, { headers: machine });
      expect([refused.status, challengeOf(refused)['error']], query).toEqual([
        401,
        'insufficient_user_authentication',
      ]);
    }
    expect((await door()(`acr=${ACR('password')}`, { headers: bearer(world.token) })).status).toBe(200);
  });

  test.each([
    ['scope=write', 'write'],
    ['scope=read%20write', 'read write'],
    ['scope=read&scope=write', 'read write'],
    ['scope=read+none', 'read none'],
  ])('403 insufficient_scope is returned for the query ?%s', async (query, scope) => {
    const answer = await door()(query, { headers: bearer(world.token) });
    expect(answer.status).toBe(403);
    expect(challengeOf(answer)).toEqual({ error: 'insufficient_scope', scope });
  });

  test.each([
    'acr=silver',
    'acr=',
    `acr=${ACR('mfa')}&acr=${ACR('password')}`,
    `acr=${ACR('mfa')}%20${ACR('password')}`,
    'max_age=-1',
    'max_age=1.5',
    'max_age=soon',
    'max_age=',
    'max_age=1&max_age=2',
    'scope=%22',
    'scope=%0d%0a',
    'scope=%',
    'preflight=yes',
  ])('400 is returned for the query ?%s, whatever the token', async (query) => {
    for (const headers of [bearer(world.token), {}])
      expect((await door()(query, { headers })).status).toBe(400);
  });

  test('404 is returned for an unknown API, even if the request has no token', async () => {
    for (const headers of [bearer(world.token), {}])
      expect((await door()('', { headers }, 'nothing')).status).toBe(404);
  });

  test('requests of every method receive the same check, and no body is read', async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const body = ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) && { body: 'scope=write&{' };
      const good = await door()('scope=read', { method, headers: bearer(world.token), ...body });
      expect([good.status, good.headers['x-auth-client-id']], method).toEqual([200, 'tru']);
      expect((await door()('scope=read', { method, ...body })).status, method).toBe(401);
    }
    const prefetch = { ...bearer(world.token), 'sec-purpose': 'prefetch' };
    expect((await door()('', { headers: prefetch })).status).toBe(200);
  });

  test.each(['jwt', 'opaque'])('a revoked token is rejected at the next request: %s', async (format) => {
    await giveFormat(format);
    const { access_token: token = '', refresh_token: refresh = '' } = await tokensAs(world.alice.cookie, {
      scope: 'read',
    });
    await giveFormat('jwt');
    const asked = { headers: bearer(token) };
    expect((await door()('', asked)).status).toBe(200);
    await ask('/auth/pw/api/orders/revoke', { form: { ...TRU, token: refresh } });
    const ended = await door()('', asked);
    expect([ended.status, challengeOf(ended)]).toEqual([401, { error: 'invalid_token' }]);
  });
});

test('the Node server rejects two Authorization headers, even if one token is valid', async () => {
  const gateway = nodeGateway(world.door);
  const lines = [
    [`Bearer ${world.token}`, 'Bearer x'],
    ['Basic eDp5', `Bearer ${world.token}`],
  ];
  for (const authorization of lines) {
    const headers = { authorization } as unknown as Record<string, string>;
    const answer = await gateway('', { headers });
    expect([answer.status, challengeOf(answer)]).toEqual([401, { error: 'invalid_token' }]);
  }
});
