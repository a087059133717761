// The Debian package is reproducible, is written atomically, and can be read by dpkg.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Entry, entriesOf } from '../image/tar.ts';
import { writeDeb } from './deb.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-deb-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): Entry => ({
  path: name,
  kind: 'file',
  mode: 0o640,
  data: Buffer.from(text),
});
const LONG = `usr/${'folder-'.repeat(30)}/file`;
const control = [
  file('control', 'Package: one\nVersion: 1\nArchitecture: all\nMaintainer: A <a@b.c>\nDescription: it\n'),
];

const write = (name: string, text: string) =>
  writeDeb(path.join(folder, name), { control, files: [file(LONG, text)], time: 86_400 });

// archives with an odd and an even length
test.each(['', 'a', 'ab', 'abc', 'abcd'])(
  'dpkg reads the archive (%j), and a second build is identical',
  async (text) => {
    await write('one.deb', text);
    await write('two.deb', text);
    const [one, two] = ['one.deb', 'two.deb'].map((name) => readFileSync(path.join(folder, name)));
    expect(one).toEqual(two);
    const read = (...args: string[]) => execFileSync('dpkg-deb', [...args, path.join(folder, 'one.deb')]);
    expect(entriesOf(read('--fsys-tarfile')).filter(({ kind }) => kind === 'file')).toEqual([
      file(LONG, text),
    ]);
    expect(entriesOf(read('--ctrl-tarfile')).filter(({ kind }) => kind === 'file')).toEqual(control);
  },
);

test('if the package cannot be written completely, no file remains', async () => {
  // a file cannot replace a folder, so writing fails
  const place = path.join(folder, 'taken.deb');
  mkdirSync(path.join(place, 'inside'), { recursive: true });
  await expect(write('taken.deb', 'text')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  await expect(write('nowhere/one.deb', 'text')).rejects.toThrow('ENOENT');
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
});
