// Runs the commands of docs/start/spa.md and web-app.md, and compares their output with the output on the pages.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blockIn } from '#testing/code/doc-snippets.ts';

const main = path.resolve(import.meta.dirname, 'main.ts');
const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-tutorials-'));
afterAll(() => rmSync(folder, { recursive: true }));

const QUICKSTART = `auth_methods: [{ id: local, type: local }]
apis: [{ id: orders, url: "http://localhost:4603/orders", auth_methods: [local], scopes: [{ name: "orders:read" }] }]
users: [{ email: admin@example.com, name: Ada, roles: [administrator] }]`;

const run = (command: string) =>
  spawnSync(process.execPath, [main, ...command.split(' ')], { encoding: 'utf8', cwd: folder });

/** Returns the Gatehouse commands on the page, each with the last line of its output. */
const stepsOf = (guide: string) =>
  [
    ...readFileSync(guide, 'utf8').matchAll(
      /^npm run -s gatehouse -- (.+)\n```\n[\s\S]*?^```text\n(.+)\n```$/gm,
    ),
  ].map(([, command = '', output = '']) => ({ command, output }));

/**
 * Runs the commands of the page in order, and expects the output on the page, in which `…` stands for any text.
 * `files`: the files for each `apply`.
 */
function follow(guide: string, ...files: string[]): void {
  for (const { command, output } of stepsOf(guide)) {
    if (command.startsWith('apply ')) writeFileSync(path.join(folder, command.slice(6)), files.shift() ?? '');
    const { status, stdout, stderr } = run(command);
    expect({ status, stderr }, command).toEqual({ status: 0, stderr: '' });
    const expected = output.split('…').map((text) => RegExp.escape(text));
    expect(stdout.trim().split('\n').at(-1), command).toMatch(new RegExp(`^${expected.join('.+')}$`));
  }
  expect(files).toEqual([]);
}

beforeAll(() => {
  writeFileSync(path.join(folder, 'quickstart.yaml'), QUICKSTART);
  expect(run('apply quickstart.yaml')).toMatchObject({ status: 0 });
});

it('docs/start/spa.md: the commands register the client, subscribe it, and turn DPoP off', () => {
  const file = blockIn('docs/start/spa.md', 'yaml');
  const withoutDpop = file.replace(/^ *dpop_bound_access_tokens: .*\n/m, '');
  expect(withoutDpop).not.toBe(file);
  follow('docs/start/spa.md', file, withoutDpop);
});

it('docs/start/web-app.md: the commands register the client, subscribe it, and print its secret', () => {
  follow('docs/start/web-app.md', blockIn('docs/start/web-app.md', 'yaml'));
});
