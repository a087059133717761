// A stored sign-in: what ends it, and that parallel commands never lose a renewed token.
import { chmod, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { revokeRole } from '#lib/catalogue/people/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { givenPerson, type Person, sql } from '#testing/data/registry.ts';
import { withClient } from '#testing/data/sql.ts';
import {
  answerOf,
  changeKept,
  endAccessToken,
  givenCommandLine,
  openService,
} from '#testing/in-process/command-line.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';
import { hostService, send } from './service.ts';
import { CLIENT_ID, signIn } from './sign-in.ts';
import { credentialsOf, fileOf, readAnyKept, readKept, withFileLock } from './sign-in-kept.ts';

let service: Awaited<ReturnType<typeof openService>>;
let admin: Person;
beforeAll(async () => {
  service = await openService();
  admin = await givenPerson('admin', 'administrator');
  await givenPerson('chief', 'administrator');
  await givenCommandLine();
});
afterAll(() => service.close());
beforeEach(async () => {
  await sql('update token_families set revoked_at = now() where revoked_at is null');
  await rm(fileOf(service.url), { force: true });
  await signInAgain();
});

const signInAgain = () =>
  signIn({
    server: service.url,
    clientId: CLIENT_ID,
    port: 0,
    patienceMs: 60_000,
    onAddress: async (address) => void (await fetch(await answerOf(address))),
    onStranger: () => {},
  });

/** Calls the API as a command does. */
async function call(method = 'GET', path = '/people', body?: object) {
  const credentials = await credentialsOf(service.url, null);
  return send({ server: service.url, credentials }, method, path, body);
}
const line = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => '',
    ({ message }: Error) => message,
  );
const again = () => `sign in again: npm run -s gatehouse -- login --server ${service.url}`;
const LOCK_WAITS =
  "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
const livingFamilies = async () =>
  (await sql('select 1 from token_families where revoked_at is null')).length;

it('RFC 6749 §6: parallel commands redeem a refresh token once and all use its successor', async () => {
  const before = await endAccessToken();
  const answers = await Promise.all(Array.from({ length: 8 }, () => line(call())));
  expect(answers).toEqual(Array(8).fill(''));
  const kept = await readKept(service.url);
  expect(kept?.refresh_token).not.toBe(before['refresh_token']);
  expect(await sql('select 1 from refresh_tokens')).toHaveLength(2);
  expect(await livingFamilies()).toBe(1);
});

it('an access token that the server revoked early is renewed, and the request is sent again', async () => {
  await changeKept({ access_token: 'ended' });
  expect(await call()).toMatchObject({ rows: expect.arrayContaining([expect.anything()]) });
  expect((await readKept(service.url))?.access_token).not.toBe('ended');
});

it('--token overrides the stored sign-in, and if both are missing, an error explains how to sign in', async () => {
  const credentials = await credentialsOf(service.url, 'given');
  const call = { method: 'GET', url: service.url };
  expect(await credentials.headersFor(call)).toEqual({ authorization: 'Bearer given' });
  expect(await line(send({ server: service.url, credentials }, 'GET', '/people'))).toBe(
    'The token is malformed, expired, revoked, or not for this API.',
  );
  const other = service.url.replace('127.0.0.1', 'localhost');
  expect(await line(credentialsOf(other, null))).toMatch(
    /^no one is signed in at \S+: run .+, or use --token TOKEN/,
  );
});

it('a command takes over an abandoned lock of the sign-in file, and waits for a lock that another command uses', async () => {
  const file = fileOf(service.url);
  await writeFile(`${file}.lock`, 'of a process that was killed');
  await utimes(`${file}.lock`, 0, 0);
  const order: number[] = [];
  await Promise.all(
    [1, 2, 3].map((number) =>
      withFileLock(file, async () => {
        order.push(number);
        await sql('select 1');
        order.push(number);
      }),
    ),
  );
  expect(order).toHaveLength(6);
  for (const at of [0, 2, 4]) expect(order[at]).toBe(order[at + 1]);
});

it('a suspended command that lost its lock does not overwrite the tokens of another command', async () => {
  await endAccessToken();
  const { headersFor } = await credentialsOf(service.url, null);
  const its = { access_token: 'its', refresh_token: 'its', expires_at: '2099-01-01T00:00:00.000Z' };
  await withClient(process.env['DATABASE_URL'] ?? '', async (other) => {
    await other.query('begin');
    await other.query('select from refresh_tokens for update');
    const headers = headersFor({ method: 'GET', url: `${service.url}/api/v1/me` });
    // the database shows that the request of the command has reached the service and waits for a lock
    await expect.poll(() => sql(LOCK_WAITS), { timeout: 10_000 }).toHaveLength(1);
    await changeKept(its);
    await other.query('commit');
    expect(await headers).toMatchObject({ authorization: 'DPoP its' });
  });
  expect(await readKept(service.url)).toMatchObject(its);
});

it('an expired or revoked refresh token: the command deletes the file, and the error explains how to sign in', async () => {
  await sql('update token_families set revoked_at = now() where revoked_at is null');
  await endAccessToken();
  expect(await line(call())).toBe(`the sign-in at ${service.url} has ended: ${again()}`);
  expect(await line(call())).toContain('no one is signed in');

  await signInAgain();
  await sql(`update refresh_tokens set expires_at = now() - interval '1 hour'`);
  await endAccessToken();
  expect(await line(call())).toBe(`the sign-in at ${service.url} has ended: ${again()}`);

  await signInAgain();
  await changeKept({ refresh_token: null });
  await endAccessToken();
  expect(await line(call())).toBe(`the sign-in at ${service.url} has ended: ${again()}`);
});

it('RFC 9728 §3.3: the refresh token is sent only to issuers in the server’s metadata', async () => {
  const issuer = 'http://127.0.0.1:9/auth/local/api/management';
  await changeKept({ issuer });
  await endAccessToken();
  expect(await line(call())).toBe(`${service.url} no longer names the issuer ${issuer}: ${again()}`);
  expect(await readKept(service.url)).not.toBeNull();
});

it('sign-in files are rejected if they are readable by others, symlinks, damaged or for another server', async () => {
  const file = fileOf(service.url);
  await chmod(file, 0o644);
  expect(await line(call())).toBe(`${file} can be read by others (mode 644), so it is not used: ${again()}`);
  await chmod(file, 0o600);
  await changeKept({ server: 'https://other.example' });
  expect(await line(call())).toBe(`${file} is damaged: ${again()}`);
  for (const text of ['', '{', '{"server":1}', '[]', '\u0000\u0001', 'x'.repeat(100_000)]) {
    await writeFile(file, text);
    expect(await line(call())).toBe(`${file} is damaged: ${again()}`);
    expect(await readAnyKept(service.url)).toBeNull();
  }
  await signInAgain();
  expect(await line(call())).toBe('');
  await rm(file);
  await symlink('/etc/hostname', file);
  expect(await line(call())).toBe(`${file} cannot be read (ELOOP)`);
  await signInAgain();
  expect(await line(call())).toBe('');
});

it('logout with a failing issuer deletes the local sign-in and prints a message', async () => {
  await changeKept({ issuer: 'http://127.0.0.1:9/auth/local/api/management' });
  const logout = COMMANDS.find(({ name }) => name === 'logout') as Command;
  const elsewhere = { server: service.url, token: null };
  const typed = { args: [], text: () => undefined, texts: () => [], flag: () => false };
  const run = () => line(logout.run({ ...typed, service: hostService(), elsewhere }));
  expect(await run()).toMatch(
    /^the stored sign-in is deleted, but the tokens were not revoked and remain valid until they expire: the issuer \S+ cannot be used: /,
  );
  expect(await readAnyKept(service.url)).toBeNull();
  expect(await run()).toBe('');
});

it('the user’s current roles apply: the error for a forbidden action names the required role', async () => {
  expect(await line(call())).toBe('');
  await revokeRole(OPERATOR, { id: admin.id, role: 'administrator' });
  expect(await line(call())).toContain('administrator');
  expect(await line(call('GET', '/me'))).toBe('');
});

it('RFC 9470 §3: if the sign-in is too old or too weak, the error contains the sign-in command', async () => {
  await sql(`update people set roles = '{administrator}' where id = $1`, [admin.id]);
  await sql(`update token_families set auth_time = auth_time - interval '1 hour'`);
  const person = { email: 'new@example.com', name: 'New', roles: [], password: 'long-enough-1' };
  const how = ` Sign in again: npm run -s gatehouse -- login --server ${service.url}`;
  expect((await line(call('POST', '/people', person))).endsWith(how)).toBe(true);
  loadSettings({ ...process.env, BASE_URL: service.url, CONSOLE_SECOND_FACTOR: 'required' });
  expect((await line(call())).endsWith(`${how} --acr urn:gatehouse:acr:mfa`)).toBe(true);
  loadSettings({ ...process.env, BASE_URL: service.url });
});
