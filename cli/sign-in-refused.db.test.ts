// Sign-ins of the command line that fail, and requests of other programs to its port. Each failure prints one line.

import { readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { decideSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { ensureManagementApi, MANAGEMENT_API } from '#lib/management/built-in.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { givenPerson, sql } from '#testing/data/registry.ts';
import { answerOf, givenCommandLine, openService } from '#testing/in-process/command-line.ts';
import { listen } from '#testing/net/listen.ts';
import { bearer, send } from './service.ts';
import { CLIENT_ID, type SignInAsked, signIn } from './sign-in.ts';
import { credentialsOf, keep, readKept } from './sign-in-kept.ts';
import { CommandFailed } from './typed.ts';

let service: Awaited<ReturnType<typeof openService>>;
beforeAll(async () => {
  service = await openService();
  await givenPerson('admin', 'administrator');
  await givenCommandLine();
});
afterAll(() => service.close());
afterEach(() => rm(path.join(service.folder, 'gatehouse'), { recursive: true, force: true }));

type Going = { ended: Promise<string>; address: string; strangers: () => number };

/** `ended`: the error line; empty after success. */
async function start(over: Partial<SignInAsked> = {}): Promise<Going> {
  let strangers = 0;
  const { promise: address, resolve } = Promise.withResolvers<string>();
  const asked = { server: service.url, clientId: CLIENT_ID, port: 0, patienceMs: 60_000, ...over };
  const ended = signIn({
    ...asked,
    onAddress: resolve,
    onStranger() {
      strangers += 1;
    },
  }).then(
    () => '',
    ({ message }: Error) => message,
  );
  return { ended, address: await Promise.race([address, ended]), strangers: () => strangers };
}

/** Returns the error line of a sign-in that fails before the browser opens. */
const refused = async (over: Partial<SignInAsked>) => (await start(over)).ended;

it('a denied sign-in prints one line, and the browser page shows the denial', async () => {
  const { ended, address } = await start();
  const page = await fetch(await answerOf(address, { decision: 'deny' }), {
    headers: { 'accept-language': 'fr' },
  });
  expect(await page.text()).toContain('Votre terminal en indique la raison.');
  expect(await ended).toBe('the sign-in was denied');
  expect(await readKept(service.url)).toBeNull();
  await expect(fetch(page.url)).rejects.toThrow('fetch failed');
});

it('RFC 9207 §2.4: a response with a wrong or missing issuer ends the sign-in', async () => {
  for (const iss of ['https://other.example', null]) {
    const { ended, address } = await start();
    const answer = await answerOf(address);
    if (iss === null) answer.searchParams.delete('iss');
    else answer.searchParams.set('iss', iss);
    expect((await fetch(answer)).status).toBe(200);
    expect(await ended).toMatch(/^http:\S+ returned no token: .*"iss" \(issuer\)/);
  }
  expect(await readKept(service.url)).toBeNull();
});

it('RFC 8252 §8.10: foreign requests to the port of the command are rejected, and the sign-in continues', async () => {
  const { ended, address, strangers } = await start();
  const answer = await answerOf(address);
  const others: [change: (url: URL) => unknown, status: number][] = [
    [(url) => Object.assign(url, { pathname: '/favicon.ico' }), 404],
    [(url) => Object.assign(url, { hostname: 'localhost' }), 404],
    [(url) => url.searchParams.set('state', 'guessed'), 400],
    [(url) => url.searchParams.delete('state'), 400],
    [(url) => url.searchParams.append('state', 'twice'), 400],
    [(url) => Object.assign(url, { search: '' }), 400],
  ];
  for (const [change, status] of others) {
    const other = new URL(answer);
    change(other);
    expect((await fetch(other)).status, other.href).toBe(status);
  }
  expect((await fetch(answer, { method: 'POST' })).status).toBe(404);
  expect(strangers()).toBe(4);
  expect((await fetch(answer)).status).toBe(200);
  expect(await ended).toBe('');
});

it('a repeated redirect to the command returns 400, and the sign-in succeeds once', async () => {
  const { ended, address } = await start();
  const answer = await answerOf(address);
  const send = () => fetch(answer).catch(() => ({ status: 400 }));
  const statuses = await Promise.all([send(), send()]);
  expect(statuses.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  expect(await ended).toBe('');
});

it('parallel sign-ins accept only their own responses, the later sign-in is stored, and the earlier one is revoked', async () => {
  await sql('update token_families set revoked_at = now() where revoked_at is null');
  const [one, other] = await Promise.all([start(), start()]);
  const [first, second] = [await answerOf(one.address), await answerOf(other.address)];
  const mixed = new URL(first);
  mixed.port = second.port;
  expect((await fetch(mixed)).status).toBe(400);
  await fetch(second);
  expect(await other.ended).toBe('');
  const kept = await readKept(service.url);
  await fetch(first);
  expect(await one.ended).toBe('');
  expect((await readKept(service.url))?.refresh_token).not.toBe(kept?.refresh_token);
  expect(await readdir(path.join(service.folder, 'gatehouse'))).toHaveLength(1);
  expect(await sql('select 1 from token_families where revoked_at is null')).toHaveLength(1);
});

it('without a response from the browser, the sign-in fails after the timeout and the port closes', async () => {
  const { ended, address } = await start({ patienceMs: 20 });
  expect(await ended).toBe('no one signed in within 0 minutes');
  const redirect = new URL(address).searchParams.get('redirect_uri') ?? '';
  await expect(fetch(redirect)).rejects.toThrow('fetch failed');
});

it('a used port, an unreachable server or a wrong server prints one error line', async () => {
  const { port } = new URL(service.url);
  expect(await refused({ port: Number(port) })).toBe(
    `port ${port} of 127.0.0.1 cannot be opened (EADDRINUSE): choose another one, or omit --port`,
  );
  expect(await refused({ server: 'http://127.0.0.1:1' })).toMatch(
    /^http:\/\/127\.0\.0\.1:1 is not reachable: bad port$/,
  );
  const server = service.url.replace('127.0.0.1', 'localhost');
  expect(await refused({ server })).toContain(
    `is about ${service.url}/api/v1, and not about ${server}/api/v1`,
  );
  const page = await listen(createServer((_, outgoing) => void outgoing.end('<!doctype html>')));
  expect(await refused({ server: page.url })).toContain('returns no metadata of its sign-in');
  await page.close();
  expect(await refused({ method: 'staff' })).toBe(
    `${service.url} has no sign-in method staff: choose one with --method local`,
  );
});

/** Starts a server that returns the metadata that the test chooses. */
async function hostile(says: (url: string) => object) {
  const server = await listen(
    createServer((_, outgoing) => void outgoing.end(JSON.stringify(says(server.url)))),
  );
  return server;
}

it('RFC 8707 §2: a server that names another server’s issuer receives no token, new or renewed', async () => {
  const issuer = `${service.url}/auth/local/api/management`;
  const other = await hostile((url) => ({ resource: `${url}/api/v1`, authorization_servers: [issuer] }));
  expect(await refused({ server: other.url })).toMatch(
    /^http:\S+\/management rejects the sign-in: invalid_target: resource must be /,
  );
  const { ended, address } = await start();
  expect(new URL(address).searchParams.get('resource')).toBe(`${service.url}/api/v1`);
  await fetch(await answerOf(address));
  expect(await ended).toBe('');
  const kept = await readKept(service.url);
  if (!kept) throw new Error('no sign-in is kept');
  await keep({ ...kept, server: other.url, expires_at: '2020-01-01T00:00:00.000Z' });
  const credentials = await credentialsOf(other.url, null);
  await expect(credentials.headersFor({ method: 'GET', url: other.url })).rejects.toThrow(
    /returned no new token: invalid_target: /,
  );
  await other.close();
});

it('text from the server: the terminal shows no control characters, and suggested commands contain only plain words', async () => {
  const said = 'no\u001b[2J\n\u009bthing\u202e!';
  const shown = 'no [2J thing !';
  const about = await hostile(() => ({ resource: said }));
  expect(await refused({ server: about.url })).toContain(` is about ${shown}, and not about `);
  await about.close();
  const at = await hostile((url) => ({
    resource: `${url}/api/v1`,
    authorization_servers: [`https://${said}`],
  }));
  expect(await refused({ server: at.url })).toMatch(
    / has the issuer https:\/\/no \[2J thing !, which is not /,
  );
  await at.close();
  let acr = '$(reboot)';
  const api = await listen(
    createServer((_, outgoing) => {
      const challenge = `Bearer error="insufficient_user_authentication", acr_values="${acr}"`;
      outgoing.writeHead(401, { 'www-authenticate': challenge }).end(JSON.stringify({ detail: said }));
    }),
  );
  const credentials = { ...bearer('token'), again: 'login' };
  const call = () => send({ server: api.url, credentials }, 'GET', '/me');
  await expect(call()).rejects.toThrow(new CommandFailed(`${shown} Sign in again: login`));
  acr = 'urn:gatehouse:acr:mfa';
  await expect(call()).rejects.toThrow(new CommandFailed(`${shown} Sign in again: login --acr ${acr}`));
  await api.close();
});

it('RFC 6749 §4.1.2.1: an immediate issuer error is printed before a browser opens', async () => {
  expect(await refused({ clientId: 'unknown' })).toMatch(
    / has no client unknown with the redirect address http:\/\/127\.0\.0\.1\/callback: /,
  );
  expect(await refused({ scope: 'people:read nonsense' })).toMatch(
    / rejects the sign-in: invalid_scope: .*nonsense/,
  );
  const pair = { clientId: CLIENT_ID, api: MANAGEMENT_API };
  await decideSubscription(OPERATOR, { ...pair, action: 'suspend' });
  expect(await refused({})).toMatch(/ rejects the sign-in: unauthorized_client: /);
  await decideSubscription(OPERATOR, { ...pair, action: 'resume' });
});

it('if the subscription has fewer scopes, the sign-in succeeds with those scopes', async () => {
  await sql(`update subscriptions set scopes = '{account:read}' where client_id = $1`, [CLIENT_ID]);
  const { ended, address } = await start();
  expect(new URL(address).searchParams.has('scope')).toBe(false);
  await fetch(await answerOf(address));
  expect(await ended).toBe('');
  expect(await readKept(service.url)).toMatchObject({ scope: 'account:read' });
  await sql(`update subscriptions set scopes = '{}' where client_id = $1`, [CLIENT_ID]);
});

it('with several sign-in methods, --method chooses one by name', async () => {
  await sql(`insert into auth_methods (id, type, name) values ('staff', 'local', 'Staff')`);
  await ensureManagementApi();
  expect(await refused({})).toMatch(/ has several sign-in methods: choose one with --method local, staff$/);
  const { ended, address } = await start({ method: 'staff' });
  expect(address).toContain('/auth/staff/api/management/authorize?');
  await fetch(await answerOf(address, { decision: 'deny' }));
  expect(await ended).toBe('the sign-in was denied');
  await expect(credentialsOf(service.url, null)).rejects.toThrow('no one is signed in');
});
