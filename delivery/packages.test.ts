// The packages that the service serves: they are reproducible, can be installed by URL, and work.
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Listening, listen } from '#testing/net/listen.ts';
import { writeServedPackages } from './packages.ts';

const root = path.resolve(import.meta.dirname, '..');
const run = promisify(execFile);
let work: string;
let server: Listening;
const dirs = () => [path.join(work, 'one'), path.join(work, 'two')] as const;

beforeAll(async () => {
  work = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-served-'));
  const [one, two] = dirs();
  await writeServedPackages(one);
  await writeServedPackages(two);
  server = await listen(
    http.createServer((request, response) => {
      const name = /^\/packages\/([\w-]+\.\w+)$/.exec(request.url ?? '')?.[1];
      if (name) return response.end(readFileSync(path.join(one, name)));
      response.setHeader('content-type', 'application/json');
      // this test server answers as a management API, from which the command line lists clients
      if (request.url?.startsWith('/api/v1/clients') && request.headers.authorization === 'Bearer of-a-test')
        return response.end(
          JSON.stringify({ rows: [{ client_id: 'shop', client_name: 'Shop' }], next: null }),
        );
      response.writeHead(404).end('{}');
    }),
  );
}, 240_000);
afterAll(async () => {
  await server?.close();
  rmSync(work, { recursive: true, force: true });
});

/** Installs a package by its URL in an empty folder, with no other network access. */
async function installedFrom(name: string, ...more: string[]): Promise<string> {
  const folder = mkdtempSync(path.join(work, 'application-'));
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  const options = ['--silent', '--no-audit', '--no-fund', '--cache', path.join(work, 'cache')];
  await run('npm', ['install', ...options, `${server.url}/packages/${name}`, ...more], { cwd: folder });
  return folder;
}

test('contract 10: five packages are built, and equal sources produce equal bytes', () => {
  const digests = dirs().map((dir) =>
    readdirSync(dir).map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(path.join(dir, name)))
        .digest('hex'),
    ]),
  );
  expect(digests[0]?.map(([name]) => name)).toEqual([
    'gatehouse-cli.tgz',
    'gatehouse-verify.tgz',
    'gatehouse.go',
    'gatehouse.php',
    'gatehouse_verify.py',
  ]);
  expect(digests[0]).toEqual(digests[1]);
});

test('a package that `npm install` loads from its address protects an Express API', async () => {
  const jose = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', work], {
    cwd: path.join(root, 'node_modules/jose'),
    encoding: 'utf8',
  }).trim();
  const folder = await installedFrom('gatehouse-verify.tgz', path.join(work, jose));
  mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
  symlinkSync(path.join(root, 'node_modules/express'), path.join(folder, 'node_modules/express'));
  writeFileSync(
    path.join(folder, 'api.js'),
    `import { gatehouse } from 'gatehouse-verify/express';
import { createIssuer } from 'gatehouse-verify/testing';
import express from 'express';

const issuer = await createIssuer({ api: 'http://127.0.0.1/orders', scopes: ['orders:read'] });
const api = gatehouse({ api: issuer.url });
const server = express()
  .get('/orders', api.require({ scope: 'orders:read' }), ({ caller }, response) => response.json({ sub: caller.sub }))
  .listen(0, '127.0.0.1', async () => {
    const url = 'http://127.0.0.1:' + server.address().port + '/orders';
    const token = await issuer.token({ sub: 'alice', scope: 'orders:read' });
    const good = await fetch(url, { headers: { authorization: 'Bearer ' + token } });
    const none = await fetch(url);
    console.log(JSON.stringify([good.status, await good.json(), none.status]));
    process.exit(0);
  });
`,
  );
  const { stdout } = await run(process.execPath, ['api.js'], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual([200, { sub: 'alice' }, 401]);
}, 120_000);

test('the package of the command line installs from its address, without dependencies, and manages a remote service', async () => {
  const folder = await installedFrom('gatehouse-cli.tgz');
  expect(readdirSync(path.join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'gatehouse-cli',
  ]);
  const command = path.join(folder, 'node_modules/.bin/gatehouse');
  const env = {
    ...process.env,
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH']}`,
    HOME: folder,
  };
  const elsewhere = ['--server', server.url, '--token', 'of-a-test'];
  const { stdout } = await run(command, ['client', 'list', ...elsewhere], { env });
  expect(stdout).toMatch(/shop/);
  await expect(run(command, ['client', 'list'], { env })).rejects.toMatchObject({
    code: 1,
    stderr: 'this package contains no service: set --server URL or GATEHOUSE_SERVER\n',
  });
  const help = await run(command, ['login', '--help'], { env });
  expect(help.stdout).toMatch(/^gatehouse login/);
}, 120_000);
