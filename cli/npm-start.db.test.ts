// Rejected starts of `npm start`, as a single process and under a supervisor with two workers. Each start prints one
// line with the remedy, and exits with status 1.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

describe.each(['1', '2'])('GATEHOUSE_WORKERS=%s', (workers) => {
  const settings = { NODE_ENV: 'production' as const, PORT: '0', DIRECT_URL: '', GATEHOUSE_WORKERS: workers };

  it.each([
    [
      'a database that is not there',
      { DATABASE_URL: 'postgresql://x@127.0.0.1:1/y' },
      'the database is not reachable: connect ECONNREFUSED 127.0.0.1:1',
    ],
    [
      'an address of another machine',
      { HOST: '192.0.2.1' },
      'HOST 192.0.2.1 is not an address of this machine',
    ],
    [
      'pages that nobody built',
      { GATEHOUSE_DIST_DIR: '.next-nosuch' },
      'the pages are not built: run `npm run build` first',
    ],
    [
      'a number of workers that is none',
      { GATEHOUSE_WORKERS: 'many' },
      'GATEHOUSE_WORKERS must be a whole number from 1 to 64',
    ],
  ])('%s: the start prints one line and exits', (_, wrong, line) => {
    const env = { ...process.env, ...settings, ...wrong };
    const args = [path.join(root, 'server.ts')];
    const { status, stderr } = spawnSync(process.execPath, args, {
      cwd: root,
      env,
      encoding: 'utf8',
      timeout: 100_000,
    });
    expect({ status, stderr: stderr.trim().split('\n').at(-1) }).toEqual({
      status: 1,
      stderr: `gatehouse: ${line}`,
    });
  });

  it('a start that fails leaves no embedded database behind', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-start-'));
    try {
      const none = { DATABASE_URL: '', DIRECT_URL: '', GATEHOUSE_DATA_DIR: folder };
      const env = { ...process.env, ...settings, ...none, GATEHOUSE_DIST_DIR: '.next-nosuch' };
      const args = [path.join(root, 'server.ts')];
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
      expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('not built') });
      expect(existsSync(path.join(folder, 'postgres', 'PG_VERSION'))).toBe(true);
      expect(existsSync(path.join(folder, 'postgres', 'postmaster.pid'))).toBe(false);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
