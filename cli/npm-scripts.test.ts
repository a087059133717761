// Errors at the start of `npm run quickstart` and `npm run dev`.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseSettings } from '#lib/settings/settings.ts';

const scripts = path.resolve(import.meta.dirname, '../scripts');
const server = createServer();
let taken: number;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  taken = (server.address() as { port: number }).port;
});
afterAll(() => server.close());

it.each<Record<string, string>>([
  {},
  { HOST: '' },
  { HOST: '0.0.0.0' },
  { BASE_URL: 'http://localhost:3000' },
  { BASE_URL: 'http://login.localhost:3000' },
  { BASE_URL: 'http://127.9.9.9:3000' },
  { BASE_URL: 'http://[::1]:3000' },
  { BASE_URL: 'http://192.0.2.1:3000' },
  { BASE_URL: 'https://localhost.example' },
  { BASE_URL: 'https://127.0.0.1.example' },
  { AUTH_URL: 'https://login.example' },
  { BASE_URL: 'https://login.example', AUTH_URL: 'http://localhost:3000' },
])('npm scripts test the port on the host where the service will listen, with %o', async (env) => {
  const { hostToServe } = await import(path.join(scripts, 'running.mjs'));
  const needed = { DATABASE_URL: 'postgres://x/y', GATEHOUSE_SECRET: 'x'.repeat(43) };
  expect(hostToServe(env)).toBe(parseSettings({ ...needed, ...env }).host);
});

it('npm run build sends no telemetry: every script that runs Next disables it', async () => {
  const { environment } = await import(path.join(scripts, 'running.mjs'));
  expect(environment.NEXT_TELEMETRY_DISABLED).toBe('1');
  const { scripts: commands } = JSON.parse(
    readFileSync(path.resolve(scripts, '../package.json'), 'utf8'),
  ) as { scripts: Record<string, string> };
  const ran = Object.values(commands).flatMap(
    (command) => command.match(/\S* ?next (build|dev|start)/g) ?? [],
  );
  expect(ran).toEqual(['NEXT_TELEMETRY_DISABLED=1 next build']);
});

describe.each(['quickstart', 'dev'])('npm run %s', (name) => {
  const run = (PORT: string) =>
    new Promise<{ status: number | null; stderr: string }>((resolve) => {
      const script = path.join(scripts, `${name}.mjs`);
      const env = { ...process.env, PORT, HOST: '' };
      const child = spawn(process.execPath, [script], { env, timeout: 100_000 });
      let stderr = '';
      child.stderr.on('data', (chunk) => (stderr += chunk));
      child.on('close', (status) => resolve({ status, stderr }));
    });

  it('npm start: if the port is in use, one line names the port and its variable', async () => {
    expect(await run(String(taken))).toEqual({
      status: 1,
      stderr: `port ${taken} is taken; set PORT to another one, for example: PORT=3001 npm run ${name}\n`,
    });
  });

  it('npm start: an invalid port causes one error line that names it', async () => {
    expect(await run('abc')).toEqual({ status: 1, stderr: 'PORT must be a port from 1 to 65535\n' });
  });
});
