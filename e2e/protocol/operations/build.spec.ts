// A build in the folder of a running service (docs/operate/upgrade.md). The services of all tests serve the build
// that such a build would replace.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { freePort } from '#testing/net/free-port.ts';
import { Program } from '#testing/net/program.ts';
import { startOwnService } from '#testing/service/service.ts';
import { servingProcess } from '../../../scripts/served.mjs';

test.skip(process.platform !== 'linux', 'Linux says what runs where');

/** Runs the first check of `npm run build`. */
function asked(distDir: string) {
  const env = { ...process.env, GATEHOUSE_DIST_DIR: distDir };
  const { status, stderr } = spawnSync(process.execPath, ['scripts/served.mjs'], { env, encoding: 'utf8' });
  return { status, stderr };
}

test('npm run build stops before any change while a service uses the build', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(scripts.build).toMatch(/^node scripts\/require-packages\.mjs && node scripts\/served\.mjs && /);
});

test('a build for a running service is rejected with one line that names the process, and changes nothing', () => {
  const dist = process.env['GATEHOUSE_DIST_DIR'] ?? '.next';
  const { status, stderr } = asked(dist);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^gatehouse: process \d+ serves .*: stop it first, or build the new version .*\n$/);
  const pid = /process (\d+) /.exec(stderr)?.[1];
  expect(readlinkSync(`/proc/${pid}/cwd`)).toBe(process.cwd());
});

/** Maximum bytes of code that the bundle of an address may contain for that address alone. */
const OWN_BYTES = 30_000;

test('cold start: protocol route files share code, and each file adds at most 30 KB', () => {
  const dist = process.env['GATEHOUSE_DIST_DIR'] ?? '.next';
  const isProtocol = (file: string) => readFileSync(`app/${file}`, 'utf8').includes('protocolRoute(');
  const bundles = globSync(['**/route.ts', '.well-known/**/route.ts'], { cwd: 'app' })
    .filter(isProtocol)
    .map((file) => {
      const text = readFileSync(path.join(dist, 'server/app', file.replace(/\.ts$/, '.js')), 'utf8');
      return { file, chunks: [...text.matchAll(/\bR\.c\("([^"]+)"\)/g)].map(([, chunk = '']) => chunk) };
    });
  const uses = Map.groupBy(
    bundles.flatMap(({ chunks }) => chunks),
    (chunk) => chunk,
  );
  const shared = (chunk: string) => uses.get(chunk)?.length === bundles.length;
  const bytes = (chunks: string[]) =>
    chunks.reduce((sum, chunk) => sum + statSync(path.join(dist, chunk)).size, 0);
  expect(bundles.length).toBeGreaterThan(30);
  const large = bundles.filter(({ chunks }) => bytes(chunks.filter((chunk) => !shared(chunk))) > OWN_BYTES);
  expect(large.map(({ file }) => file)).toEqual([]);
  // lib is outside of the chunks
  expect(bytes([...uses.keys()].filter(shared))).toBeGreaterThan(100_000);
});

test('the chunks of pages and route files contain no code of lib', () => {
  const dist = process.env['GATEHOUSE_DIST_DIR'] ?? '.next';
  const chunks = globSync('server/**/*.js', { cwd: dist }).map((file) => path.join(dist, file));
  // names of prepared statements, which only lib/store contains
  const bundled = chunks.filter((file) =>
    /['"`](?:registry-version|refresh-rotate)['"`]/.test(readFileSync(file, 'utf8')),
  );
  expect(chunks.length).toBeGreaterThan(100);
  expect(bundled).toEqual([]);
});

test('a process that serves protocol and pages loads one copy of lib/store', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-copies-'));
  const seen = path.join(folder, 'loaded');
  writeFileSync(
    path.join(folder, 'record.mjs'),
    `import { appendFileSync } from 'node:fs';
    import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) {
      const loaded = next(url, context);
      // the name of a prepared statement, which only lib/store contains
      if (process.argv[1]?.endsWith('server.ts') && Buffer.from(loaded.source ?? '').includes('refresh-rotate'))
        appendFileSync(${JSON.stringify(seen)}, url + '\\n');
      return loaded;
    } });`,
  );
  try {
    const own = await startOwnService({ NODE_OPTIONS: `--import ${path.join(folder, 'record.mjs')}` });
    try {
      const page = await fetch(`${own.url}/login`);
      expect(await page.text()).toContain('<html');
      expect((await fetch(`${own.url}/developer`)).status).toBeLessThan(500);
    } finally {
      await own.stop();
    }
    const loaded = readFileSync(seen, 'utf8').trim().split('\n');
    expect(loaded).toEqual([expect.stringMatching(/\/node_modules\/gatehouse-lib\/chunks\/core\.js$/)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a server with a build that is older than lib does not start, and names the command', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-outdated-'));
  try {
    for (const file of [...globSync('*.{ts,mjs,json}'), 'lib', 'scripts/core-sources.mjs', 'prisma'])
      cpSync(file, path.join(folder, file), { recursive: true, preserveTimestamps: true });
    // the core and the pages of the tests
    const dist = process.env['GATEHOUSE_DIST_DIR'] ?? '.next';
    for (const [target, name] of [
      ['node_modules', 'node_modules'],
      [dist, '.next'],
    ] as const)
      symlinkSync(path.resolve(target), path.join(folder, name));
    appendFileSync(path.join(folder, 'lib/kit/clock.ts'), '\n');
    for (const command of [['server.ts'], ['node_modules/next/dist/bin/next', 'start', '-p', '0']]) {
      const { status, stdout, stderr } = spawnSync(process.execPath, command, {
        cwd: folder,
        env: { ...process.env, GATEHOUSE_DIST_DIR: '', GATEHOUSE_WORKERS: '1', PORT: '0' },
        encoding: 'utf8',
        timeout: 60_000,
      });
      expect.soft(status, command[0]).toBe(1);
      expect.soft(stdout + stderr, command[0]).toContain('run `npm run build` first');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a build continues in a separate folder, or after the service stopped', async () => {
  expect(asked('.next-of-another-folder')).toEqual({ status: 0, stderr: '' });
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-build-'));
  try {
    // a process of another program with the same file name, which must not block the build
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
