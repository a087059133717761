// Checks the files of docs/operate/deploy-node.md with the programs that read them. The files of nginx and Caddy are
// tested in e2e/protocol/http/behind-a-proxy.spec.ts.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';

const guide = readFileSync('docs/operate/deploy-node.md', 'utf8');
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  );

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test.skipIf(!hasSystemd)('systemd-analyze rates the guide unit’s exposure at most 2.5', () => {
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

test('a shell can parse every shell block of the guide', () => {
  const scripts = blocks('sh').filter((text) => !/^NODE_ENV=/.test(text));
  expect(scripts.length).toBeGreaterThan(8);
  for (const script of scripts) execFileSync('sh', ['-n'], { input: script });
});

test('the commands and options in the deployment guide exist', () => {
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

/** Runs a script of the guide after text replacements. */
function runScript(word: string, changes: Record<string, string>, env: Record<string, string> = {}) {
  const script = blocks('sh').find((text) => text.startsWith('#!/bin/sh') && text.includes(word)) ?? '';
  const changed = Object.entries(changes).reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replaceAll(from, to);
  }, script);
  const options = {
    encoding: 'utf8',
    input: changed,
    env: { PATH: process.env['PATH'], NODE_ENV: process.env.NODE_ENV, ...env },
  } as const;
  return spawnSync('sh', ['-s'], options);
}

test('the command of step 5 loads the settings, and variables of its caller override them', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-guide-'));
  try {
    const file = path.join(folder, 'env');
    writeFileSync(file, "DATABASE_URL=postgresql://service@db/gatehouse\nSERVICE_NAME='Our login'\n");
    const changes = {
      '/etc/gatehouse.env': file,
      '/srv/gatehouse/current': folder,
      'exec runuser -u gatehouse -- npm run -s gatehouse -- "$@"':
        'printf "%s|%s" "$DATABASE_URL" "$SERVICE_NAME"',
    };
    const read = (env?: Record<string, string>) => runScript('gatehouse --', changes, env).stdout;
    expect(read()).toBe('postgresql://service@db/gatehouse|Our login');
    const owner = "postgresql://owner:a'b c@db/gatehouse";
    expect(read({ DATABASE_URL: owner })).toBe(`${owner}|Our login`);
    const help = {
      ...changes,
      '/srv/gatehouse/current': process.cwd(),
      'exec runuser -u gatehouse -- npm run -s gatehouse -- "$@"': `exec '${process.execPath}' cli/main.ts --help`,
    };
    expect(runScript('gatehouse --', help).stdout).toMatch(/^gatehouse VERB …/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a failed backup keeps the previous backup and leaves no partial file, and a successful backup deletes old ones', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-guide-'));
  try {
    writeFileSync(path.join(folder, 'settings'), 'A=b\n');
    const backup = (dump: string) =>
      runScript('pg_dump', {
        '/var/backups': folder,
        '/etc/gatehouse.env': path.join(folder, 'settings'),
        'runuser -u postgres -- pg_dump --format=custom gatehouse': dump,
      });
    const old = path.join(folder, 'gatehouse-20260101T000000.dump');
    writeFileSync(old, 'old');
    utimesSync(old, 0, 0);
    expect(backup('echo half; false').status).not.toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['gatehouse-20260101T000000.dump', 'settings']);
    expect(backup('echo whole').status).toBe(0);
    const files = readdirSync(folder).sort();
    expect(files).toEqual([
      expect.stringMatching(/^gatehouse-\d{8}T\d{6}\.dump$/),
      'gatehouse.dump',
      'gatehouse.env',
      'settings',
    ]);
    expect(readFileSync(path.join(folder, 'gatehouse.dump'), 'utf8')).toBe('whole\n');
    expect(statSync(path.join(folder, 'gatehouse.dump')).mode & 0o077).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the guide covers every step from packages to rollback', () => {
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
