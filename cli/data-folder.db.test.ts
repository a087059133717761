// A data folder that cannot be written: the command prints one line, and leaves no partial files that would break the
// next start.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-data-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs `gatehouse migrate`, which starts the embedded database like `npm start`. `before`: shell commands to run first. */
function start(dataDir: string, before: string[] = []) {
  const env = { ...process.env, DATABASE_URL: '', DIRECT_URL: '', GATEHOUSE_DATA_DIR: dataDir };
  const command = [...before, 'exec "$0" cli/main.ts migrate'].join(' && ');
  const script = ['sh', '-c', command, process.execPath];
  const [program = '', ...args] = before.length > 0 ? ['unshare', '--mount', ...script] : script;
  const { status, stderr } = spawnSync(program, args, { cwd: root, env, encoding: 'utf8', timeout: 60_000 });
  return { status, stderr };
}

const mountable =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

describe.runIf(mountable)('a data folder on a separate disk', () => {
  const disk = (options: string) => [`mount -t tmpfs -o ${options} tmpfs '${folder}'`];
  const list = 'echo $(ls "$GATEHOUSE_DATA_DIR") >&2';

  it.each([
    [
      'has no room for a file',
      'size=4k',
      /^GATEHOUSE_DATA_DIR \S+ can not be used: no space is left there \(ENOSPC\)$/,
    ],
    [
      'is full before all is made',
      'size=100k',
      /^GATEHOUSE_DATA_DIR \S+: PostgreSQL can not be set up there: .*No space left on device$/,
    ],
  ])(
    'if the data folder is on a disk that %s, the start prints one line and exits with status 1',
    (_, options, line) => {
      const first = '! "$0" cli/main.ts migrate';
      const { status, stderr } = start(path.join(folder, 'data'), [...disk(options), first, list]);
      const [said, left, again, ...more] = stderr.trimEnd().split('\n');
      expect({ status, left, more }).toEqual({ status: 1, left: 'postgres postgres.json', more: [] });
      expect(said).toMatch(line);
      // files that a failed first start left behind must not block the second start
      expect(again).toMatch(line);
    },
  );

  it('if the data folder is on a read-only disk, the start prints one line', () => {
    const readOnly = [
      `mkdir '${folder}/data'`,
      `mount --bind '${folder}' '${folder}'`,
      `mount -o remount,bind,ro '${folder}'`,
    ];
    const { status, stderr } = start(path.join(folder, 'data'), readOnly);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^GATEHOUSE_DATA_DIR \S+ can not be used: it is read-only \(EROFS\)\n$/),
    ]);
  });
});

it('if the data folder is a file, the start prints one line and keeps the file', () => {
  const file = path.join(folder, 'data');
  writeFileSync(file, '');
  const { status, stderr } = start(file);
  expect([status, stderr]).toEqual([
    1,
    `GATEHOUSE_DATA_DIR ${file} can not be used: it is not a folder (EEXIST)\n`,
  ]);
  expect(readdirSync(folder)).toEqual(['data']);
});
