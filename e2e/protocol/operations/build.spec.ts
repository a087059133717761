// A build where the service runs (docs/operations.md): the services of all tests serve the build that it would replace.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { freePort } from '#testing/net/free-port.ts';
import { Program } from '#testing/net/program.ts';
import { servingProcess } from '../../../scripts/served.mjs';

test.skip(process.platform !== 'linux', 'Linux says what runs where');

/** What `npm run build` asks before everything else. */
function asked(distDir: string) {
  const env = { ...process.env, GATEHOUSE_DIST_DIR: distDir };
  const { status, stderr } = spawnSync(process.execPath, ['scripts/served.mjs'], { env, encoding: 'utf8' });
  return { status, stderr };
}

test('npm run build stops before any change while a service uses the build', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(scripts.build).toMatch(/^node scripts\/require-packages\.mjs && node scripts\/served\.mjs && /);
});

test('a build under a running service is refused by one line that names the process, before anything is changed', () => {
  const dist = process.env['GATEHOUSE_DIST_DIR'] ?? '.next';
  const { status, stderr } = asked(dist);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^gatehouse: process \d+ serves .*: stop it first, or build the new version .*\n$/);
  const pid = /process (\d+) /.exec(stderr)?.[1];
  expect(readlinkSync(`/proc/${pid}/cwd`)).toBe(process.cwd());
});

test('a build in another folder goes on, and one of a service that has ended', async () => {
  expect(asked('.next-of-another-folder')).toEqual({ status: 0, stderr: '' });
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-build-'));
  try {
    // a program of that name serves in a folder of its own
    writeFileSync(path.join(folder, 'server.ts'), 'setInterval(() => {}, 1_000);\n');
    const service = new Program({
      command: [process.execPath, 'server.ts'],
      env: { ...process.env, GATEHOUSE_DIST_DIR: '', PORT: String(await freePort()) },
      cwd: folder,
      log: path.join(folder, 'log'),
    });
    await service.start();
    await expect.poll(() => servingProcess(folder, '.next')).toBe(service.pid);
    expect(servingProcess(folder, '.next-test')).toBe(null);
    await service.kill();
    expect(servingProcess(folder, '.next')).toBe(null);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
