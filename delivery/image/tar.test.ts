// Archives: other programs can read the archives that this code writes, and this code can read archives of other
// programs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blobFile, writeLayer } from './layer.ts';
import { type Entry, entriesOf, tarOf } from './tar.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-tar-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const LONG = `${'folder-'.repeat(20)}/${'näme-'.repeat(30)}.js`;
const file = (name: string, text: string, mode = 0o644): Entry => ({
  path: name,
  kind: 'file',
  mode,
  data: Buffer.from(text),
});
const ENTRIES: Entry[] = [
  file('b/program', 'x'.repeat(1_000), 0o755),
  file('a', ''),
  file(LONG, 'far away'),
  { path: 'link', kind: 'link', target: LONG },
  { path: 'tmp', kind: 'folder', mode: 0o1777 },
];

test.each(['pax', 'gnu'] as const)(
  'tar reads the archive that the build wrote (%s): names, modes, links, contents, one time, root as the owner',
  (longNames) => {
    const archive = path.join(folder, 'ours.tar');
    writeFileSync(archive, Buffer.concat([...tarOf(ENTRIES, 86_400, longNames)]));
    const list = execFileSync(
      'tar',
      ['--list', '--verbose', '--utc', '--quoting-style=literal', '-f', archive],
      {
        encoding: 'utf8',
      },
    );
    const lines = list.trim().split('\n');
    const shape = /^(\S+) 0\/0 +\d+ 1970-01-02 00:00 (.*)$/;
    const read = lines.map((line) => shape.exec(line)?.slice(1).join(' '));
    expect(read).toEqual([
      '-rw-r--r-- a',
      'drwxr-xr-x b/',
      '-rwxr-xr-x b/program',
      `drwxr-xr-x ${path.posix.dirname(LONG)}/`,
      `-rw-r--r-- ${LONG}`,
      `lrwxrwxrwx link -> ${LONG}`,
      'drwxrwxrwt tmp/',
    ]);
    const content = execFileSync('tar', ['--extract', '--to-stdout', '-f', archive, LONG], {
      encoding: 'utf8',
    });
    expect(content).toBe('far away');
  },
);

test('the reader accepts tar archives of GNU tar and POSIX tar', () => {
  const source = path.join(folder, 'source');
  mkdirSync(path.join(source, path.posix.dirname(LONG)), { recursive: true });
  writeFileSync(path.join(source, LONG), 'far away');
  writeFileSync(path.join(source, 'program'), 'x', { mode: 0o755 });
  symlinkSync(LONG, path.join(source, 'link'));
  for (const format of ['gnu', 'posix', 'ustar']) {
    const names = format === 'ustar' ? ['program'] : ['.'];
    const archive = execFileSync('tar', ['--create', `--format=${format}`, '-C', source, ...names]);
    const entries = entriesOf(archive).filter(({ kind }) => kind !== 'folder');
    const wanted = ENTRIES.filter(({ path: name }) => name === LONG || name === 'link');
    expect(new Set(entries), format).toEqual(
      new Set([...(format === 'ustar' ? [] : wanted), file('program', 'x', 0o755)]),
    );
  }
});

test('image layer bytes are independent of entry order, time and system', async () => {
  const about = { time: 86_400, madeBy: 'a test' };
  const [one, other] = await Promise.all([
    writeLayer(path.join(folder, 'one'), ENTRIES, about),
    writeLayer(path.join(folder, 'other'), ENTRIES.toReversed(), about),
  ]);
  expect(other).toEqual(one);
  const bytes = readFileSync(blobFile(path.join(folder, 'one'), one.digest));
  expect(bytes.length).toBe(one.size);
  // RFC 1952: deflate, no flags, no time; the last byte (255) is an unknown system
  expect([...bytes.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
  expect(new Set(entriesOf(gunzipSync(bytes)).filter(({ kind }) => kind === 'file'))).toEqual(
    new Set(ENTRIES.filter(({ kind }) => kind === 'file')),
  );
});
