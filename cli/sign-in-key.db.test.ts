// Tokens of the command line are bound to a stored key (DPoP). Its authorization request is pushed if required (PAR).
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { givenPerson, sql } from '#testing/data/registry.ts';
import {
  answerOf,
  changeKept,
  endAccessToken,
  givenCommandLine,
  openService,
} from '#testing/in-process/command-line.ts';
import { bearer, type Credentials, send } from './service.ts';
import { CLIENT_ID, signIn } from './sign-in.ts';
import { credentialsOf, fileOf, readKept } from './sign-in-kept.ts';

let service: Awaited<ReturnType<typeof openService>>;
beforeAll(async () => {
  service = await openService();
  await givenPerson('admin', 'administrator');
  await givenCommandLine();
});
afterAll(() => service.close());
beforeEach(() => rm(fileOf(service.url), { force: true }));

/** Returns the URL that the command opened in the browser. */
async function signInHere(): Promise<URL> {
  let sentTo = '';
  await signIn({
    server: service.url,
    clientId: CLIENT_ID,
    port: 0,
    patienceMs: 60_000,
    async onAddress(address) {
      sentTo = address;
      await fetch(await answerOf(address));
    },
    onStranger: () => {},
  });
  return new URL(sentTo);
}

const me = async (credentials?: Credentials) =>
  send(
    { server: service.url, credentials: credentials ?? (await credentialsOf(service.url, null)) },
    'GET',
    '/me?of=query',
  );

it('RFC 9449 §5, §7.1: the code and the tokens are bound to a new key, and a stolen token without the key is rejected', async () => {
  const address = await signInHere();
  const [family] = await sql<{ jkt: string }>(
    `select rtrim(translate(encode(dpop_jkt, 'base64'), '+/', '-_'), '=') as jkt from token_families`,
  );
  expect(address.searchParams.get('dpop_jkt')).toBe(family?.jkt);
  expect(await me()).toMatchObject({ email: 'admin@example.com' });
  const first = await readKept(service.url);
  expect(first?.dpop_key).toMatchObject({ kty: 'EC', crv: 'P-256' });
  await expect(me(bearer(first?.access_token ?? ''))).rejects.toThrow('bound to a key');

  await endAccessToken();
  expect(await me()).toMatchObject({ email: 'admin@example.com' });
  const renewed = await readKept(service.url);
  expect(renewed?.refresh_token).not.toBe(first?.refresh_token);
  expect(renewed?.dpop_key).toEqual(first?.dpop_key);
  await signInHere();
  expect((await readKept(service.url))?.dpop_key).not.toEqual(first?.dpop_key);
});

it('a stored sign-in without a key: renewal works without DPoP, and key-bound tokens are rejected', async () => {
  await signInHere();
  const { dpop_key: _, ...before } = { ...(await readKept(service.url)) };
  await changeKept({ dpop_key: undefined });
  expect(await readKept(service.url)).toEqual({ ...before, dpop_key: null });
  await endAccessToken();
  await expect(me()).rejects.toThrow('has ended');
});

it('RFC 9449 §8, §9: if the issuer or the server requires a nonce, the command retries requests and renews tokens with it', async () => {
  await sql(`update apis set dpop = 'required', dpop_nonce = 'required' where id = 'management'`);
  await signInHere();
  const credentials = await credentialsOf(service.url, null);
  expect(await me(credentials)).toMatchObject({ email: 'admin@example.com' });
  expect(await me(credentials)).toMatchObject({ email: 'admin@example.com' });
  await changeKept({ access_token: 'ended' });
  expect(await me()).toMatchObject({ email: 'admin@example.com' });
  await sql(`update apis set dpop = 'optional', dpop_nonce = 'off' where id = 'management'`);
});

it('RFC 9126: the command pushes its authorization request if required, and prints the issuer’s error', async () => {
  await sql(`update clients set require_pushed_authorization_requests = true where client_id = $1`, [
    CLIENT_ID,
  ]);
  const address = await signInHere();
  expect([...address.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri']);
  expect(await me()).toMatchObject({ email: 'admin@example.com' });
  await sql(`update subscriptions set scopes = '{account:read}' where client_id = $1`, [CLIENT_ID]);
  await signInHere();
  expect(await readKept(service.url)).toMatchObject({ scope: 'account:read' });
  const asked = { server: service.url, clientId: CLIENT_ID, port: 0, patienceMs: 1_000, scope: 'nonsense' };
  const refused = signIn({ ...asked, onAddress: () => {}, onStranger: () => {} });
  await expect(refused).rejects.toThrow(/ rejects the sign-in: invalid_scope: /);
});

it('if the folder for the sign-in cannot be created, the command reports this immediately', async () => {
  const before = process.env['XDG_CONFIG_HOME'];
  process.env['XDG_CONFIG_HOME'] = '/proc/nothing/of/this';
  try {
    await expect(signInHere()).rejects.toThrow('/proc/nothing/of/this/gatehouse cannot be created (ENOENT)');
  } finally {
    process.env['XDG_CONFIG_HOME'] = before;
  }
});
