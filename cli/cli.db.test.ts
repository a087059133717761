import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';

const main = path.resolve(import.meta.dirname, 'main.ts');
const run = (args: string[], input = '') => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    input,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

it('exit 2 and where to look for wrong usage; 0 for help on every verb', () => {
  expect(run([])).toMatchObject({ status: 2 });
  expect(run(['bogus'])).toMatchObject({ status: 2 });
  expect(run(['apply'])).toMatchObject({ status: 2 });
  expect(run(['apply', 'x', '--bogus']).stderr).toContain('--help');
  expect(run(['subscription', 'approve', '--help'])).toMatchObject({ status: 0, stderr: '' });
});

it('exit 1 and one line, no stack, for what is refused', () => {
  const missing = run(['apply', '/nowhere.yaml']);
  expect(missing).toEqual({ status: 1, stdout: '', stderr: '/nowhere.yaml: there is no such file\n' });
  const weak = run(['user', 'create', 'weak@example.com'], 'password1\n');
  expect(weak).toEqual({ status: 1, stdout: '', stderr: 'this password is too easy to guess\n' });
});

it('exit 1 and every fault for a faulty file; exit 0 and `nothing to change` for a second run', () => {
  const file = path.join(tmpdir(), `gatehouse-cli-${process.pid}.yaml`);
  writeFileSync(file, 'apis:\n  - { id: cli-a, url: nowhere, access_token_ttl: 0 }\n');
  const faulty = run(['apply', file]);
  expect(faulty.status).toBe(1);
  expect(faulty.stderr.trim().split('\n')).toHaveLength(2);
  writeFileSync(file, 'apis:\n  - { id: cli-a, url: "https://cli-a.example" }\n');
  expect(run(['apply', file]).status).toBe(0);
  expect(run(['apply', file])).toEqual({ status: 0, stdout: 'nothing to change\n', stderr: '' });
});

it('a person is created without a password piped in, also where a program holds standard input open', async () => {
  const child = spawn(process.execPath, [main, 'user', 'create', 'silent@example.com'], { stdio: 'pipe' });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const status = await new Promise((resolve) => child.once('exit', resolve));
  expect({ status, said }).toEqual({
    status: 0,
    said: expect.stringMatching(/^created silent@example\.com\npassword: \S{24}\n$/),
  });
});

it('a line is a password, also where the pipe stays open after it', async () => {
  const child = spawn(process.execPath, [main, 'user', 'set-password', 'silent@example.com'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.write('a good long password\n');
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
});
