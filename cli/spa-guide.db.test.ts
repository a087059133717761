// Runs the commands of docs/start/spa.md and compares their output with the guide's.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { blockIn } from '#testing/code/doc-snippets.ts';

const main = path.resolve(import.meta.dirname, 'main.ts');
const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-spa-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (args: string[]) =>
  spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', cwd: folder });
const apply = (text: string) => {
  writeFileSync(path.join(folder, 'my-spa.yaml'), text);
  return run(['apply', 'my-spa.yaml']);
};

const QUICKSTART = `auth_methods: [{ id: local, type: local }]
apis: [{ id: orders, url: "http://localhost:4603/orders", auth_methods: [local], scopes: [{ name: "orders:read" }] }]
users: [{ email: admin@example.com, name: Ada, roles: [administrator] }]`;

it('docs/start/spa.md: the commands register the client, subscribe it, and turn DPoP off', () => {
  expect(apply(QUICKSTART)).toMatchObject({ status: 0 });
  const guide = readFileSync('docs/start/spa.md', 'utf8');
  const steps = [...guide.matchAll(/^npm run -s gatehouse -- (.+)\n```\n[\s\S]*?^```text\n(.+)\n```$/gm)];
  expect(steps.map(([, command]) => command?.split(' ')[0])).toEqual(['apply', 'subscription', 'apply']);
  const file = blockIn('docs/start/spa.md', 'yaml');
  const withoutDpop = file.replace(/^ *dpop_bound_access_tokens: .*\n/m, '');
  expect(withoutDpop).not.toBe(file);
  for (const [n, text] of [file, file, withoutDpop].entries()) {
    const [, command = '', output] = steps[n] ?? [];
    writeFileSync(path.join(folder, 'my-spa.yaml'), text);
    const { status, stdout, stderr } = run(command.split(' '));
    expect({ status, stderr }, command).toEqual({ status: 0, stderr: '' });
    expect(stdout.trim().split('\n').at(-1)).toBe(output);
  }
});
