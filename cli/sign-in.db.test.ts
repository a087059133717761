// A complete sign-in with processes of the command line. sign-in-kept.db.test.ts and sign-in-refused.db.test.ts test
// failures.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { givenPerson, sql } from '#testing/data/registry.ts';
import {
  answerOf,
  endAccessToken,
  givenCommandLine,
  openService,
  runCommandLine,
} from '#testing/in-process/command-line.ts';
import { fileOf } from './sign-in-kept.ts';

let service: Awaited<ReturnType<typeof openService>>;
beforeAll(async () => {
  service = await openService();
  await givenCommandLine();
});
afterAll(() => service.close());

const A_WHILE = 120_000;
const at = () => ['--server', service.url];

it('RFC 8252 §7.3: a sign-in in the browser lets commands act as the user, and logout ends the local and the remote sign-in', {
  timeout: A_WHILE,
}, async () => {
  await givenPerson('admin', 'administrator');
  const { promise: page, resolve } = Promise.withResolvers<string>();
  const login = await runCommandLine(['login', ...at()], {
    async onAddress(address) {
      const shown = await fetch(await answerOf(address), { headers: { 'accept-language': 'de' } });
      expect(shown.headers.get('cache-control')).toBe('no-store');
      resolve(await shown.text());
    },
  });
  expect(login).toMatchObject({
    status: 0,
    stdout: `signed in at ${service.url} as admin@example.com (administrator)\n`,
  });
  expect(await page).toContain('Sie sind angemeldet.');

  const file = fileOf(service.url);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
  const { access_token, refresh_token } = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;

  // both commands need a new access token, but the refresh token works only once
  await endAccessToken();
  const [who, list] = await Promise.all([
    runCommandLine(['whoami', '--json']),
    runCommandLine(['user', 'list', ...at()]),
  ]);
  expect(JSON.parse(who.stdout)).toMatchObject({
    server: service.url,
    email: 'admin@example.com',
    roles: ['administrator'],
    client_id: 'gatehouse-cli',
  });
  expect(list, list.stderr).toMatchObject({ status: 0 });
  expect(list.stdout).toContain('admin@example.com');
  expect(await sql('select 1 from token_families where revoked_at is null')).toHaveLength(1);

  const logout = await runCommandLine(['logout']);
  expect(logout).toMatchObject({ status: 0, stdout: `signed out of ${service.url}\n` });
  await expect(stat(file)).rejects.toThrow('ENOENT');
  const ended = await sql(
    `select 1 from token_families where client_id = 'gatehouse-cli' and revoked_at is null`,
  );
  expect(ended).toEqual([]);
  const said = [login, who, list, logout].map(({ stdout, stderr }) => stdout + stderr).join('\n');
  for (const secret of [access_token, refresh_token]) expect(said).not.toContain(secret);
});

it('Ctrl-C ends a sign-in with one line and status 130', { timeout: A_WHILE }, async () => {
  const cancelled = await runCommandLine(['login', '--no-browser', ...at()], {
    onAddress: (_, child) => child.kill('SIGINT'),
  });
  expect(cancelled).toMatchObject({ status: 130, stdout: '' });
  expect(cancelled.stderr).toMatch(/the sign-in was cancelled\n$/);
});
