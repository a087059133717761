// The files of docs/deploy-node.md, held against the programs that read them. nginx and Caddy run with theirs in
// e2e/protocol/http/behind-a-proxy.spec.ts.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';

const guide = readFileSync('docs/deploy-node.md', 'utf8');
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  );

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test.skipIf(!hasSystemd)('the unit’s exposure is 2.5 at most, as systemd-analyze counts it', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-unit-'));
  try {
    const file = path.join(folder, 'gatehouse.service');
    const [unit = ''] = blocks('ini');
    writeFileSync(file, unit);
    const { status, stdout, stderr } = spawnSync(
      'systemd-analyze',
      ['security', '--offline=true', '--threshold=25', '--no-pager', file],
      { encoding: 'utf8' },
    );
    expect(stderr).not.toMatch(/unknown|ignoring/i);
    expect(status, stdout.split('\n').at(-2)).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('every shell block is one that a shell can read', () => {
  const scripts = blocks('sh').filter((text) => !/^NODE_ENV=/.test(text));
  expect(scripts.length).toBeGreaterThan(8);
  for (const script of scripts) execFileSync('sh', ['-n'], { input: script });
});

test('every verb of the command line that the guide types is there, with its options', () => {
  const typed = [...guide.matchAll(/^gatehouse ([a-z][^#\n`]*)/gm)].map(([, line = '']) =>
    line.trim().split(/\s+/),
  );
  expect(typed.length).toBeGreaterThan(5);
  for (const words of typed) {
    const command = COMMANDS.find(({ name }) => name.split(' ').every((word, at) => words[at] === word));
    const line = `gatehouse ${words.join(' ')}`;
    expect(command, line).toBeDefined();
    const options = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
    for (const option of options) expect(Object.keys(command?.options ?? {}), line).toContain(option);
  }
});

test('the guide goes from the packages to a rollback', () => {
  for (const step of [
    'createuser',
    'createdb',
    'useradd',
    'systemctl enable --now',
    'user create',
    'pg_dump',
    'pg_restore',
    'invalidate --before now',
    'ln -sfn /srv/gatehouse/0.3.0',
  ])
    expect(guide).toContain(step);
});
