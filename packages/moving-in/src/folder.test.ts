import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { fillFolder } from './output.ts';

it('the import folder appears atomically and replaces only a previous import folder', async () => {
  const base = await mkdtemp(path.join(tmpdir(), 'fill-'));
  const to = path.join(base, 'below', 'out');
  const fill = (text: string) => (at: string) => writeFile(path.join(at, 'report.md'), text);
  await fillFolder(to, fill('one'));
  await fillFolder(to, fill('two'));
  const failing = fillFolder(to, async (at) => {
    await fill('three')(at);
    throw new Error('it fails');
  });
  await expect(failing).rejects.toThrow('it fails');
  // `fill` deletes the temporary folder, so the renaming that follows fails
  await expect(fillFolder(to, (at) => rm(at, { recursive: true }))).rejects.toThrow('ENOENT');
  expect(await readdir(path.join(base, 'below'))).toEqual(['out']);
  expect(await readFile(path.join(to, 'report.md'), 'utf8')).toBe('two');
  expect(await readdir(to)).toEqual(['report.md']);
  await writeFile(path.join(to, 'mine.txt'), '');
  await expect(fillFolder(to, fill('four'))).rejects.toThrow('contains mine.txt, choose another folder');
  await expect(fillFolder(path.join(to, 'mine.txt'), fill('five'))).rejects.toThrow('is not a folder');
  await rm(base, { recursive: true });
});
