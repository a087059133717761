// `npm run verify-runtimes`: tests the README examples for Web `Request` and Next with an issuer from the package's
// test kit. Uses Bun, Deno and workerd from npm, plus a production build of Next. Installs runtimes in a temporary
// folder. Responses must equal the example's responses in this process.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { rolldown } from 'rolldown';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import { Program } from '#testing/net/program.ts';
import { exampleOf, installed } from '#testing/verify/installed.ts';
import { createIssuer } from '#verify/testing.ts';

const PACKAGES = {
  bun: '@oven/bun-linux-x64-baseline@1.4.5',
  deno: '@deno/linux-x64-glibc@2.9.6',
  workerd: '@cloudflare/workerd-linux-64@1.20261117.1',
};
const root = path.resolve(import.meta.dirname, '..');
const results = path.join(root, 'test-results');
mkdirSync(results, { recursive: true });
// the temporary folder is inside the repository, because Next looks for its packages in parent folders
process.env['TMPDIR'] = mkdtempSync(path.join(results, 'runtimes-'));
const temporary = process.env['TMPDIR'];

type Answer = { status: number; challenge: string | null; text: string };
type Ask = (authorization?: string) => Promise<Answer>;
type Runtime = { name: string; version: string; ask: Ask; stop: () => Promise<void> };

const issuer = await createIssuer({
  api: 'https://api.example/orders',
  scopes: ['orders:read', 'orders:write'],
});
const { folder } = installed([]);
const runtimes = path.join(temporary, 'fetched');
const program = (name: string) => path.join(runtimes, 'node_modules', name);

/** Writes the README example for this issuer. */
function example(file: string, target: string): void {
  writeFileSync(target, exampleOf(file).replace(/'https:\/\/auth\.example\/[^']*'/, `'${issuer.url}'`));
}

function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout.trim();
}

async function start(
  name: string,
  version: string,
  at: { command: string[]; cwd?: string; env?: Record<string, string>; port: number; path?: string },
): Promise<Runtime> {
  const url = `http://127.0.0.1:${at.port}${at.path ?? '/orders'}`;
  const started = new Program({
    command: at.command,
    cwd: at.cwd ?? folder,
    env: { NODE_ENV: 'production', PATH: process.env['PATH'] ?? '', HOME: temporary, ...at.env },
    log: path.join(temporary, `${name}.log`),
    answers: () =>
      send(url).then(
        ({ status }) => status > 0,
        () => false,
      ),
  });
  await started.start();
  const ask: Ask = async (authorization) => {
    const { status, headers, text } = await send(url, {
      headers: authorization === undefined ? {} : { authorization },
    });
    return { status, challenge: headers['www-authenticate'] ?? null, text };
  };
  return { name, version, ask, stop: () => started.stop() };
}

async function startBun(): Promise<Runtime> {
  const [bun, port] = [program('@oven/bun-linux-x64-baseline/bin/bun'), await freePort()];
  const env = { PORT: String(port), BUN_PORT: String(port) };
  return start('Bun', run(bun, ['--version'], folder), { command: [bun, 'worker.mjs'], env, port });
}

async function startDeno(): Promise<Runtime> {
  const [deno, port] = [program('@deno/linux-x64-glibc/deno'), await freePort()];
  const serve = ['serve', '--host', '127.0.0.1', '--port', String(port), '--node-modules-dir=manual'];
  return start('Deno', run(deno, ['eval', 'console.log(Deno.version.deno)'], folder), {
    command: [deno, ...serve, '--allow-net', '--allow-read', '--allow-env', 'worker.mjs'],
    port,
  });
}

async function startWorkerd(): Promise<Runtime> {
  const [workerd, port] = [program('@cloudflare/workerd-linux-64/bin/workerd'), await freePort()];
  const bundle = await rolldown({
    input: path.join(folder, 'worker.mjs'),
    resolve: { conditionNames: ['workerd', 'import', 'default'] },
  });
  await bundle.write({ format: 'esm', file: path.join(folder, 'bundled.mjs') });
  await bundle.close();
  writeFileSync(
    path.join(folder, 'worker.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "orders", worker = .orders), (name = "internet", network = (allow = ["public", "private"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "orders")]
);
const orders :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "bundled.mjs")],
  compatibilityDate = "2026-01-01"
);
`,
  );
  return start('workerd', run(workerd, ['--version'], folder).replace(/^workerd /, ''), {
    command: [workerd, 'serve', 'worker.capnp'],
    port,
  });
}

/** Starts Next with a route handler, and with another that proxy.js protects. */
async function startNext(): Promise<Runtime[]> {
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
  mkdirSync(path.join(folder, 'app/orders'), { recursive: true });
  example('route.js', path.join(folder, 'app/orders/route.js'));
  write(
    'app/layout.js',
    'export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n',
  );
  write(
    'app/proxied/route.js',
    "export const GET = (request) => Response.json({ sub: request.headers.get('x-sub') });\n",
  );
  write(
    'proxy.js',
    `import { gatehouse } from 'gatehouse-verify/next';
import { NextResponse } from 'next/server';
const api = gatehouse({ api: '${issuer.url}' });
export const proxy = api.require({ scope: 'orders:read' })((request) => {
  const headers = new Headers(request.headers);
  headers.set('x-sub', request.caller.sub);
  return NextResponse.next({ request: { headers } });
});
export const config = { matcher: '/proxied' };
`,
  );
  // without this file, Turbopack would use the service's file from a parent folder
  write('instrumentation.js', 'export function register() {}\n');
  write('next.config.mjs', `export default { turbopack: { root: ${JSON.stringify(root)} } };\n`);
  const next = path.join(root, 'node_modules/next/dist/bin/next');
  const { version } = createRequire(import.meta.url)('next/package.json') as { version: string };
  run(process.execPath, [next, 'build'], folder);
  const serve = async (name: string, at: string) => {
    const port = await freePort();
    const command = [process.execPath, next, 'start', '--port', String(port), '--hostname', '127.0.0.1'];
    return start(name, version, { command, port, path: at });
  };
  return [await serve('Next, a route handler', '/orders'), await serve('Next, proxy.js', '/proxied')];
}

/** Runs the example in this process, for comparison. */
async function here(): Promise<Ask> {
  const { default: worker } = (await import(path.join(folder, 'worker.mjs'))) as {
    default: { fetch: (request: Request) => Promise<Response> };
  };
  return async (authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await worker.fetch(new Request('https://api.example/orders', { headers }));
    return {
      status: answer.status,
      challenge: answer.headers.get('www-authenticate'),
      text: await answer.text(),
    };
  };
}

const bearer = async (...minted: Parameters<typeof issuer.token>) =>
  `Bearer ${await issuer.token(...minted)}`;

/** Yields requests and their expected status in every runtime. */
async function* cases(): AsyncGenerator<[what: string, status: number, authorization?: string]> {
  const good = await bearer({ sub: 'alice' });
  yield ['no token', 401];
  yield ['nonsense', 401, 'Bearer nonsense'];
  yield ['a good token', 200, good];
  yield ['a machine', 200, await bearer({ kind: 'machine', clientId: 'bot' })];
  // the keys rotate first, because a token of an unknown issuer uses up the only key fetch per thirty seconds
  await issuer.rotate();
  yield ['a key of a moment ago', 200, await bearer({ sub: 'alice' })];
  yield ['the key before', 200, good];
  yield ['a token that is over', 401, await bearer({ expiresIn: -60 })];
  yield ['another API', 401, await bearer({ claims: { aud: 'https://other.example' } })];
  yield ['another issuer', 401, await bearer({ claims: { iss: 'https://other.example' } })];
  yield ['another signature', 401, `${good.slice(0, -8)}AAAAAAAA`];
  yield ['a token that is bound to a key', 401, await bearer({ claims: { cnf: { jkt: 'x' } } })];
  yield ['another scope', 403, await bearer({ scope: 'orders:write' })];
  await issuer.close();
  yield ['the issuer is away', 200, good];
}

const started: Runtime[] = [];
const faults: string[] = [];
try {
  example('worker.mjs', path.join(folder, 'worker.mjs'));
  mkdirSync(runtimes);
  // without this file, npm would install in the repository folder
  writeFileSync(path.join(runtimes, 'package.json'), '{}');
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts'];
  run('npm', ['install', ...quiet, ...Object.values(PACKAGES)], runtimes);
  started.push(await startBun(), await startDeno(), await startWorkerd(), ...(await startNext()));
  const ask = await here();
  for await (const [what, status, authorization] of cases()) {
    const wanted = await ask(authorization);
    if (wanted.status !== status) faults.push(`Node: ${what}: ${JSON.stringify(wanted)}`);
    for (const one of started) {
      // the requests run concurrently, like those of real callers
      const answers = await Promise.all(Array.from({ length: 8 }, () => one.ask(authorization)));
      const other = answers.find((answer) => !isDeepStrictEqual(answer, wanted));
      if (other) faults.push(`${one.name}: ${what}: ${JSON.stringify(other)}, not ${JSON.stringify(wanted)}`);
    }
  }
  for (const { name, version } of started) process.stdout.write(`${name} ${version}\n`);
  process.stdout.write(faults.length === 0 ? 'each answers as Node does\n' : `${faults.join('\n')}\n`);
} catch (error) {
  faults.push(String(error));
  process.stdout.write(`${(error as Error).stack}\n`);
  for (const name of ['Bun', 'Deno', 'workerd', 'Next, a route handler'])
    try {
      process.stdout.write(
        `${name}: ${readFileSync(path.join(temporary, `${name}.log`), 'utf8').slice(-1_500)}\n`,
      );
    } catch {
      // a runtime that did not start cannot be stopped
    }
} finally {
  await Promise.all(started.map(({ stop }) => stop()));
  rmSync(temporary, { recursive: true, force: true });
}
process.exit(faults.length === 0 ? 0 : 1);
