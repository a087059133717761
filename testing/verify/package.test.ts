// The packed verification package: its size, dependencies, exports and test kit.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exampleOf, installed } from './installed.ts';

const ADAPTERS = ['express', 'fastify', 'hono', 'next', 'node', 'fetch'];
const MOST_BYTES = 15_000;

let folder: string;
let unpacked: string;
let packed: string;
beforeAll(() => {
  ({ folder, unpacked, packed } = installed(['fastify', 'hono', '@types/node', 'undici-types']));
}, 120_000);
afterAll(() => rm(path.dirname(folder), { recursive: true, force: true }));

const run = (code: string) =>
  execFileSync(process.execPath, ['--input-type=module', '--eval', code], { cwd: folder, encoding: 'utf8' });

test(`all adapters together are under ${MOST_BYTES} bytes, minified and without jose`, async () => {
  const input = ADAPTERS.map((name) => path.join(unpacked, `dist/${name}.js`));
  const bundle = await rolldown({ input, external: [/^jose/, /^node:/] });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const code = output.map((part) => (part.type === 'chunk' ? part.code : '')).join('');
  expect(code).not.toContain('node:');
  expect(Buffer.byteLength(code)).toBeLessThan(MOST_BYTES);
});

test('jose is the only dependency, and each entry point exports its documented names', () => {
  const { dependencies, peerDependencies, exports } = JSON.parse(
    readFileSync(path.join(unpacked, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, unknown>>;
  expect([Object.keys(dependencies ?? {}), peerDependencies]).toEqual([['jose'], undefined]);
  expect(Object.keys(exports ?? {})).toEqual([...ADAPTERS, 'testing'].map((name) => `./${name}`));
  const given = [...ADAPTERS, 'testing'].map(
    (name) => `...Object.keys(await import('gatehouse-verify/${name}'))`,
  );
  const names = JSON.parse(run(`console.log(JSON.stringify([${given.join(', ')}]))`)) as string[];
  expect(names).toEqual([...ADAPTERS.map(() => 'gatehouse'), 'createIssuer']);
});

test('publint in strict mode reports no problem of the package', async () => {
  const { buffer } = new Uint8Array(readFileSync(packed));
  const { messages } = await publint({ pack: { tarball: buffer }, strict: true });
  expect(messages).toEqual([]);
});

test('the tool "Are the types wrong?" reports no problem for ESM imports of any entry point', async () => {
  const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(packed))));
  if (checked.types === false) throw new Error('it has no types');
  expect(Object.keys(checked.entrypoints)).toEqual([...ADAPTERS, 'testing'].map((name) => `./${name}`));
  // resolution modes that must fail: the package contains only ES modules, and Node before 12.7 ignores `exports`
  const left = ['node10', 'node16-cjs'];
  expect(
    checked.problems.filter((one) => !('resolutionKind' in one && left.includes(one.resolutionKind))),
  ).toEqual([]);
});

test('the README’s API test passes unmodified', () => {
  expect(run(exampleOf('orders.test.mjs'))).toBe('');
});

test('the test kit mints opaque, key-bound, machine and delegated tokens, and verification follows a key rotation', () => {
  const said = run(`
    import { createIssuer } from 'gatehouse-verify/testing';
    import { gatehouse } from 'gatehouse-verify/fetch';
    const said = [];
    for (const format of ['jwt', 'opaque']) {
      const issuer = await createIssuer({ api: 'https://api.example', scopes: ['read'], format });
      const secret = format === 'opaque' ? { introspectionSecret: issuer.introspectionSecret } : {};
      const handler = gatehouse({ api: issuer.url, ...secret }).require({ scope: 'read' })(({ caller }) =>
        Response.json([caller.sub, caller.kind, caller.act]));
      const url = 'http://localhost/orders';
      const call = async (token, headers = { authorization: 'Bearer ' + token }) => {
        const answer = await handler(new Request(url, { headers }));
        said.push(answer.status === 200 ? await answer.json() : answer.status);
      };
      await call(await issuer.token({ sub: 'alice', act: { sub: 'agent' } }));
      await call(await issuer.token({ kind: 'machine', clientId: 'bot' }));
      const key = await issuer.key();
      const bound = await issuer.token({ jkt: key.jkt });
      await call(bound, { authorization: 'DPoP ' + bound, dpop: await key.proof({ url, token: bound }) });
      await call(bound);
      await issuer.rotate();
      const last = await issuer.token();
      await call(last);
      const over = await issuer.token();
      issuer.revoke(over);
      await call(over);
      said.push(await issuer.token({ scope: 'typo' }).catch(({ message }) => message));
      await issuer.close();
    }
    console.log(JSON.stringify(said));`);
  const people = [
    ['alice', 'person', { sub: 'agent' }],
    ['bot', 'machine', null],
    // the results for a bound token: with its proof, and without a proof
    ['person', 'person', null],
    401,
    ['person', 'person', null],
  ];
  const typo = 'the API has no scope typo';
  // JWTs are valid until expiry
  expect(JSON.parse(said)).toEqual([...people, ['person', 'person', null], typo, ...people, 401, typo]);
});

test('the framework types accept the result of require(), and unknown names cause type errors', () => {
  const file = path.join(folder, 'application.ts');
  writeFileSync(file, APPLICATION);
  for (const resolution of ['nodenext', 'bundler']) {
    const module = resolution === 'bundler' ? 'esnext' : resolution;
    const options = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--skipLibCheck',
      '--types',
      'node',
    ];
    const tsc = path.resolve('node_modules/.bin/tsc');
    const { status, stdout } = spawnSync(
      tsc,
      [...options, '--target', 'es2022', '--module', module, '--moduleResolution', resolution, file],
      { cwd: folder, encoding: 'utf8' },
    );
    expect([status, stdout], resolution).toEqual([0, '']);
  }
});

const APPLICATION = `
import { createServer } from 'node:http';
import { gatehouse as express } from 'gatehouse-verify/express';
import { gatehouse as fastify } from 'gatehouse-verify/fastify';
import { gatehouse as web } from 'gatehouse-verify/fetch';
import { type Caller, gatehouse as hono } from 'gatehouse-verify/hono';
import { gatehouse as next } from 'gatehouse-verify/next';
import { gatehouse as node } from 'gatehouse-verify/node';
import { createIssuer } from 'gatehouse-verify/testing';
import Fastify from 'fastify';
import { Hono } from 'hono';

declare module 'fastify' { interface FastifyRequest { caller: Caller } }
const told = { api: 'https://auth.example/apis/orders', introspectionSecret: process.env['SECRET'] };
Fastify().get('/', { onRequest: fastify(told).require({ scope: 'a' }) }, async ({ caller }) => caller.sub);
new Hono<{ Variables: { caller: Caller } }>().get('/', hono(told).require(), (c) => c.json(c.get('caller').claims));
new Hono().use(hono(told).require({ maxAge: 60 }));
export const GET = next(told).require()(async ({ caller }, { params }: { params: Promise<{ id: string }> }) =>
  Response.json([caller.act, (await params).id]));
export default { fetch: web(told).require()(({ caller }, env: { A: string }) => new Response(caller.sub + env.A)) };
const guard = node({ ...told, publicUrl: process.env['PUBLIC_URL'] }).require({ kind: 'machine', dpop: true });
createServer(async (request, response) => {
  const caller = await guard(request, response);
  if (caller) response.end(request.caller?.sub ?? caller.sub);
});
const middleware: (request: any, response: any, next: () => void) => void = express(told).require({ acr: 'x' });
async function minted(): Promise<[string, string]> {
  const issuer = await createIssuer({ api: 'x', scopes: [] });
  const key = await issuer.key();
  const token = await issuer.token({ kind: 'machine', jkt: key.jkt });
  return [token, await key.proof({ url: 'https://api.example', token })];
}
export { middleware, minted };
// @ts-expect-error scope is what is meant
web(told).require({ scopes: 'read' });
`;
