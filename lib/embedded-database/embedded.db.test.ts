// Privileges of the embedded PostgreSQL, as the kernel reports them, if root or another user starts it.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { withClient } from '#testing/data/sql.ts';
import { ensureEmbeddedDatabase } from './embedded.ts';
import { postmasterPid } from './postgres-process.ts';

const onLinux = process.platform === 'linux';
const asRoot = process.getuid?.() === 0;
const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function running(mode: number) {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-rights-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  await chmod(folder, mode);
  const database = await ensureEmbeddedDatabase(folder);
  ends.push(database.stop);
  return { folder, ...database, pid: (await postmasterPid(path.join(folder, 'postgres'))) ?? 0 };
}

/** The process ids of the PostgreSQL server and its child processes. */
function processesOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean);
  return [pid, ...children.map(Number)];
}

function statusOf(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n');
  return Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2) as [string, string]));
}

/** Skips processes that have ended since the list was read. */
function living<T>(look: () => T): T[] {
  try {
    return [look()];
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

const NOTHING = '0000000000000000';
/** CAP_DAC_READ_SEARCH (capabilities(7)): permits entering and reading folders that only root can enter */
const SEARCH = '0000000000000004';

describe.runIf(onLinux && asRoot)('as root', () => {
  it.each([
    ['where everybody may enter the data folder, none', 0o755, NOTHING],
    ['where only root may, the one to enter and read', 0o700, SEARCH],
  ])('the embedded PostgreSQL of a root service lacks root’s capabilities: %s', async (_, mode, rights) => {
    const { pid } = await running(mode);
    const processes = processesOf(pid).flatMap((each) => living(() => statusOf(each)));
    expect(processes.length).toBeGreaterThan(2);
    for (const status of processes) {
      expect(status['Uid']?.split('\t')).not.toContain('0');
      expect(status['Gid']?.split('\t')).not.toContain('0');
      expect(status['Groups']?.trim()).toBe('');
      const sets = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((name) => status[name]);
      expect(sets).toEqual(Array(5).fill(rights));
      expect(status['NoNewPrivs']).toBe('1');
    }
  });

  it('the user of the embedded PostgreSQL cannot write root’s files and cannot run programs as root', async () => {
    const { databaseUrl, folder } = await running(0o755);
    await withClient(databaseUrl, async (client) => {
      const target = path.join(folder, 'written');
      await expect(client.query(`copy (select 1) to '${target}'`)).rejects.toThrow(/Permission denied/);
      await expect(client.query(`select pg_read_file('${folder}/postgres.json')`)).rejects.toThrow(
        /Permission denied/,
      );
      await client.query('create table said (line text)');
      await client.query("copy said from program 'id -u; id -G'");
      const { rows } = await client.query<{ line: string }>('select line from said');
      expect(rows.flatMap(({ line }) => line.split(' '))).not.toContain('0');
    });
  });
});

describe.runIf(onLinux)('if Gatehouse runs as any user', () => {
  it('the embedded PostgreSQL inherits only PATH from Gatehouse’s environment, and no open file', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-rights-'));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const ours = openSync(path.join(folder, 'ours'), 'w');
    ends.push(() => closeSync(ours));
    const program = `
      const { ensureEmbeddedDatabase } = await import(${JSON.stringify(path.resolve('lib/embedded-database/embedded.ts'))});
      const { stop } = await ensureEmbeddedDatabase(${JSON.stringify(folder)});
      process.stdout.write('ready');
      process.stdin.once('data', async () => { await stop(); process.exit(0); });
    `;
    const secrets = {
      DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x',
      GATEHOUSE_SECRET: 'hunter2',
      SMTP_URL: 'smtp://u:hunter2@mail.example',
      AWS_SECRET_ACCESS_KEY: 'hunter2',
      LD_LIBRARY_PATH: '/nosuch/hunter2',
    };
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...process.env, ...secrets },
      stdio: ['pipe', 'pipe', 'inherit', ours],
    }) as ChildProcessByStdio<Writable, Readable, null>;
    await once(child.stdout, 'data');
    try {
      const pid = (await postmasterPid(path.join(folder, 'postgres'))) ?? 0;
      const seen = processesOf(pid).flatMap((each) =>
        living(() => ({
          environment: readFileSync(`/proc/${each}/environ`, 'utf8'),
          open: readdirSync(`/proc/${each}/fd`).flatMap((fd) =>
            living(() => readlinkSync(`/proc/${each}/fd/${fd}`)),
          ),
        })),
      );
      expect(seen.length).toBeGreaterThan(2);
      for (const { environment, open } of seen) {
        expect(environment).not.toContain('hunter2');
        const names = environment
          .split('\0')
          .filter(Boolean)
          .map((entry) => entry.split('=')[0]);
        // PG…: PostgreSQL sets these variables itself, for its child processes
        const own = names.filter((name) => !/^(?:PG\w+|PATH|LC_\w+|TZ)$/.test(name ?? ''));
        expect(own).toEqual([]);
        expect(open.length).toBeGreaterThan(2);
        expect(open).not.toContain(path.join(folder, 'ours'));
      }
    } finally {
      child.stdin.end('stop');
      await once(child, 'exit');
    }
  });
});
