// Issuers with their own hosts move to a second installation with its own PostgreSQL, by the steps of
// docs/operate/scale.md ("Splitting issuers off").
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { parse, stringify } from 'yaml';
import { FIXTURES, fixtureApi, fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { withClient } from '#testing/data/sql.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import { gatehouse, startDoor, startOwnDatabase } from '#testing/service/service.ts';
import { basic, claimsOf, credentialsOf, passwordGrant, refresh, tokensOf } from '#testing/service/token.ts';

const HOSTS = { orders: 'login-orders.example', billing: 'login-billing.example' };
type Id = keyof typeof HOSTS;
const IDS = ['orders', 'billing'] as const;
const client = fixtureClient('tru');
const alice = fixturePerson('alice');

/** Writes a configuration in which the client `tru` gets tokens for both APIs, and issuers have hosts or not. */
function configuration(file: string, hosts: boolean): string {
  const { apis, subscriptions, ...rest } = parse(readFileSync(FIXTURES, 'utf8')) as {
    apis: { id: string }[];
    subscriptions: object[];
  };
  const host = (id: string) =>
    hosts && id in HOSTS ? { issuer_hosts: { pw: `https://${HOSTS[id as Id]}` } } : {};
  const more = { client_id: 'tru', api: 'billing', trusted: true, approved_by: 'admin@example.com' };
  const text = {
    ...rest,
    apis: apis.map((api) => ({ ...api, ...host(api.id) })),
    subscriptions: [...subscriptions, more],
  };
  writeFileSync(file, stringify(text));
  return file;
}

/** Returns helpers for one installation. Requests reach it by the hosts of its issuers. */
function installation(url: string) {
  const at = (id: Id, target: string, form?: Record<string, string>, headers = {}) =>
    send(`${url}${target}`, { ...(form && { form }), headers: { host: HOSTS[id], ...headers } });
  const grant = (id: Id, form: Record<string, string>) =>
    at(id, '/token', { ...credentialsOf(client), ...form });
  return {
    url,
    at,
    signIn: (id: Id) =>
      grant(id, { grant_type: 'password', username: alice.email, password: alice.password }),
    refresh: (id: Id, token: string) => grant(id, { grant_type: 'refresh_token', refresh_token: token }),
    introspect: (id: Id, token: string) => at(id, '/introspect', { token }, basic(id, fixtureApi(id).secret)),
    /** excludes the documentation URL */
    metadata: async (id: Id) => {
      const { service_documentation: _, ...rest } = (
        await at(id, '/.well-known/openid-configuration')
      ).json();
      return rest;
    },
    keys: async (id: Id) => (await at(id, '/jwks')).json() as unknown as JSONWebKeySet,
  };
}

test('issuers moved to a second installation keep tokens, refresh tokens and iss, and the first installation issues no more tokens', async () => {
  // the test starts the service three times, and the command line three times
  test.setTimeout(240_000);
  const ports = [await freePort(), await freePort()] as const;
  const [first, second] = ports.map((port) => installation(`http://localhost:${port}`));
  if (!first || !second) throw new Error('two ports');
  const own = await startOwnDatabase({ BASE_URL: first.url });
  const file = (name: string, hosts: boolean) => configuration(path.join(own.folder, name), hosts);
  const running: { stop: () => Promise<void> }[] = [];
  const start = async (port: number, env = own.env) => {
    const server = await startDoor('node', port, { env, folder: own.folder });
    running.push(server);
    return server;
  };
  try {
    const server = await start(ports[0]);
    gatehouse(own.env, 'apply', file('before.yaml', true));
    await expect.poll(async () => (await first.at('orders', '/jwks')).status).toBe(200);
    const given = {
      orders: tokensOf(await first.signIn('orders')),
      billing: tokensOf(await first.signIn('billing')),
    };
    const used = tokensOf(await first.signIn('orders'));
    const successor = tokensOf(await first.refresh('orders', used.refreshToken));
    const atThePath = tokensOf(await passwordGrant(first, client, alice));
    const before = { metadata: await first.metadata('orders'), keys: await first.keys('orders') };
    expect(claimsOf(given.orders.accessToken)['iss']).toBe(`https://${HOSTS.orders}`);

    // 1. the first installation removes the hosts
    gatehouse(own.env, 'apply', file('first.yaml', false));
    await expect.poll(async () => (await first.at('orders', '/jwks')).status).toBe(404);
    for (const id of IDS) {
      expect((await first.refresh(id, given[id].refreshToken)).status).toBe(404);
      expect((await first.signIn(id)).status).toBe(404);
    }

    // 2. its database is copied while no process of it runs
    await server.stop();
    const databaseUrl = own.databaseUrl.replace(/\/gatehouse$/, '/cell');
    await withClient(own.databaseUrl.replace(/\/gatehouse$/, '/postgres'), (admin) =>
      admin.query('create database cell template gatehouse'),
    );
    await start(ports[0]);

    // 3. the second installation receives the hosts and starts: the same secret, another address
    const env = { ...own.env, DATABASE_URL: databaseUrl, BASE_URL: second.url };
    gatehouse(env, 'apply', file('second.yaml', true));
    await start(ports[1], env);

    // 4. the DNS names of the hosts now point to the second installation
    expect(await second.metadata('orders')).toEqual(before.metadata);
    expect(await second.keys('orders')).toEqual(before.keys);
    const issuer = `https://${HOSTS.orders}`;
    await jwtVerify(given.orders.accessToken, createLocalJWKSet(await second.keys('orders')), { issuer });
    for (const id of IDS) {
      const iss = `https://${HOSTS[id]}`;
      const looked = await second.introspect(id, given[id].accessToken);
      expect(looked.json()).toMatchObject({ active: true, iss });
      const renewed = tokensOf(await second.refresh(id, given[id].refreshToken));
      expect((await second.introspect(id, renewed.accessToken)).json()).toMatchObject({ active: true, iss });
      expect((await second.signIn(id)).status).toBe(200);
      // the first installation rejects tokens issued by the second
      expect((await first.refresh(id, renewed.refreshToken)).status).toBe(404);
      const atPath = await refresh(first, client, renewed.refreshToken, {}, { api: id });
      expect([atPath.status, atPath.json()['error']]).toEqual([400, 'invalid_grant']);
      given[id] = renewed;
    }
    const { sub, aud } = claimsOf(given.orders.accessToken);
    expect(claimsOf(successor.accessToken)).toMatchObject({ sub, aud, iss: issuer });
    expect((await second.refresh('orders', successor.refreshToken)).status).toBe(200);
    const [page = ''] = (await second.at('orders', '/authorize?client_id=tru')).location.split('?');
    expect(page).toBe(`${second.url}/auth/pw/api/orders/authorize`);

    // the first installation rejects tokens of the hosts at every URL; issuers without a host continue to
    // work
    for (const tokens of [used, successor, given.orders]) {
      const answer = await refresh(first, client, tokens.refreshToken);
      expect([answer.status, answer.json()['error']]).toEqual([400, 'invalid_grant']);
      const asked = { token: tokens.accessToken };
      const looked = await send(`${first.url}/auth/pw/api/orders/introspect`, {
        form: asked,
        headers: basic('orders', fixtureApi('orders').secret),
      });
      expect(looked.json()).toEqual({ active: false });
    }
    expect((await refresh(first, client, atThePath.refreshToken)).status).toBe(200);
  } finally {
    await Promise.all(running.map((server) => server.stop()));
    await own.stop();
  }
});
