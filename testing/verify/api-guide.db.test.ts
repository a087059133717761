// Follows docs/start/api.md: its commands, its Express program with the packed package, and its calls with curl.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeIn, replaceIn } from '#testing/code/doc-snippets.ts';
import { openDoor } from '#testing/in-process/in-process-door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import type { Listening } from '#testing/net/listen.ts';
import { Program } from '#testing/net/program.ts';
import { until } from '#testing/net/until.ts';
import { installed } from './installed.ts';

const GUIDE = 'docs/start/api.md';
/** The part of the quickstart's configuration that the page uses. */
const QUICKSTART = `auth_methods: [{ id: local, type: local }]
apis: [{ id: orders, url: "http://localhost:4603/orders", auth_methods: [local], scopes: [{ name: "orders:read" }] }]
users:
  - { email: admin@example.com, name: Ada, roles: [administrator] }
  - { email: approver@example.com, name: Abe, roles: [approver] }
`;

let door: Listening;
let folder: string;
let words: Record<string, string>;
let url: string;
let program: Program | undefined;

beforeAll(async () => {
  door = await openDoor();
  const port = await freePort();
  url = `http://localhost:${port}/stock`;
  words = { 'http://localhost:3000': door.url, 8081: String(port), 'npm run -s gatehouse --': './gatehouse' };
  folder = installed(['express']).folder;
  const cli = path.resolve(import.meta.dirname, '../../cli/main.ts');
  writeFileSync(path.join(folder, 'gatehouse'), `#!/bin/sh\nexec ${process.execPath} ${cli} "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(path.join(folder, 'quickstart.yaml'), QUICKSTART);
  await shell('./gatehouse apply quickstart.yaml');
});
afterAll(async () => {
  await program?.stop();
  await door.close();
  await rm(path.dirname(folder), { recursive: true, force: true });
});

/** Returns code of the page with the addresses of this test. */
function own(code: string): string {
  return replaceIn(code, Object.fromEntries(Object.entries(words).filter(([word]) => code.includes(word))));
}

function shell(script: string): Promise<string> {
  const env = { ...process.env, BASE_URL: door.url };
  return new Promise((resolve, reject) => {
    execFile('bash', ['-euc', script], { cwd: folder, env }, (error, stdout, stderr) =>
      error ? reject(new Error(stdout + stderr)) : resolve(stdout),
    );
  });
}

/** Code blocks of the page: each `sh` block with the `text` block that follows it, keyed by its first words. */
const blocks = [
  ...readFileSync(GUIDE, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```$)?/gm),
].map(([, code = '', output = '']) => ({ code, output }));

/** Runs the next block that starts with `words`, after `setUp`, and expects the page's output. `…` stands for any text. */
async function follow(start: string, setUp = ''): Promise<string> {
  const at = blocks.findIndex(({ code }) => code.startsWith(start));
  const [block] = at < 0 ? [] : blocks.splice(at, 1);
  if (!block) throw new Error(`${GUIDE} has no more "${start}"`);
  const printed = await shell(`${setUp}\n${own(block.code)}`);
  const parts = own(block.output)
    .trim()
    .split('…')
    .map((part) => RegExp.escape(part.trim()));
  // `apply` prints each change above its sum
  expect(printed.trim().replaceAll('\r', ''), start).toMatch(new RegExp(`${parts.join('[\\s\\S]*')}$`));
  return printed;
}

/** Writes and starts `server.mjs`. Returns its log. */
async function serve(text: string, env: Record<string, string> = {}): Promise<() => string> {
  await program?.stop();
  writeFileSync(path.join(folder, 'server.mjs'), own(text));
  const log = path.join(folder, 'server.log');
  program = new Program({
    command: [process.execPath, 'server.mjs'],
    cwd: folder,
    env: { ...process.env, ...env },
    log,
    answers: () =>
      send(url).then(
        () => true,
        () => false,
      ),
  });
  await program.start();
  return () => readFileSync(log, 'utf8');
}

test(`${GUIDE}: the steps publish and protect an API, subscribe a client and call the API, with JWT and opaque tokens`, async () => {
  const [inventory = '', report = '', opaque = ''] = codeIn(GUIDE, 'yaml');
  const [server = '', withSecret = ''] = codeIn(GUIDE, 'js');
  const gatehouse = (verb: string) => `npm run -s gatehouse -- ${verb}`;
  const file = path.join(folder, 'gatehouse.yaml');

  await follow(gatehouse('export'));
  writeFileSync(file, replaceIn(readFileSync(file, 'utf8'), { '\napis:\n': `\n${own(inventory)}` }));
  writeFileSync(path.join(folder, 'alone.yaml'), own(inventory));
  await expect(shell('./gatehouse apply alone.yaml')).rejects.toThrow(
    'auth_methods[0]: the authentication method local is not in this file',
  );
  await follow(gatehouse('apply gatehouse.yaml'));
  const log = await serve(server);
  await follow('curl -si http://localhost:8081/stock');

  writeFileSync(path.join(folder, 'stock-report.yaml'), report);
  const registered = await follow(gatehouse('apply stock-report.yaml'));
  const secret = /^client_secret: (.+)$/m.exec(registered)?.[1] ?? '';
  const token = replaceIn(blocks.find(({ code }) => code.startsWith('CLIENT_SECRET='))?.code ?? '', {
    'ghcs_…': secret,
  });
  const withToken = own(token);
  await follow(gatehouse('subscription request'));
  const refused = shell('./gatehouse subscription approve stock-report inventory --by admin@example.com');
  await expect(refused).rejects.toThrow(
    'admin@example.com asked for this subscription: another person must approve it',
  );
  await follow(gatehouse('subscription approve'));
  await follow('curl -s http://localhost:8081/stock', withToken);
  await follow('curl -si -X PUT', withToken);
  expect(log()).toContain('refused: the token lacks the scope stock:write: it has "stock:read"');

  const INVENTORY_SECRET = '0123456789abcdef0123456789abcdef';
  const [, , ...lines] = opaque.split('\n');
  const changed = { '    access_token_format: jwt\n': lines.join('\n') };
  const [before = '', after = ''] = readFileSync(file, 'utf8').split(/(?= {2}- id: orders\n)/);
  writeFileSync(file, replaceIn(before, changed) + after);
  await follow(gatehouse('apply gatehouse.yaml'), `export INVENTORY_SECRET=${INVENTORY_SECRET}`);
  const access = (await shell(`${withToken}echo "$TOKEN"`)).trim();
  const call = async () => (await send(url, { headers: { authorization: `Bearer ${access}` } })).status;
  expect(await call()).toBe(401);
  expect(log()).toContain('refused: the token is not a JWT, but this API uses JWTs');
  const lacking = await serve(server);
  expect(await call()).toBe(503);
  expect(lacking()).toContain('the tokens of this API are opaque: its introspection secret is not set');

  const [statement = ''] = /^const api = [\s\S]*?^\}\);\n/m.exec(server) ?? [];
  await serve(replaceIn(server, { [statement]: withSecret }), { INVENTORY_SECRET });
  expect(await call()).toBe(200);
  await follow(gatehouse('subscription suspend'));
  expect(await until(async () => (await call()) === 401)).toBe(true);
  // the remaining blocks are for the reader's machine: secrets, installation and start
  expect(blocks.map(({ code }) => code.split(/[ =]/)[0])).toEqual([
    'mkdir',
    'node',
    'CLIENT_SECRET',
    'export',
    'INVENTORY_SECRET',
  ]);
}, 300_000);
