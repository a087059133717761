// A folder that appears as a whole: it is filled under another name, and renamed when all is there.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { SourceFault } from '../reading/source-file.ts';

const FILE_NAMES = ['registry.yaml', 'people.jsonl', 'tokens.jsonl', 'report.md', 'report.json'] as const;

/** An import of before may be in the place; anything else is not replaced. */
export async function fillFolder<Made>(folder: string, fill: (at: string) => Promise<Made>): Promise<Made> {
  const to = path.resolve(folder);
  const was = await filesIn(to);
  const other = was?.find((name) => !FILE_NAMES.some((own) => own === name));
  if (other !== undefined) throw new SourceFault(`${folder}: holds ${other}, name another folder`);
  await mkdir(path.dirname(to), { recursive: true });
  const beside = `${to}.${randomBytes(6).toString('hex')}`;
  // hashes of passwords are in it
  await mkdir(`${beside}.new`, { mode: 0o700 });
  try {
    const made = await fill(`${beside}.new`);
    if (was) await replace(to, beside);
    else await rename(`${beside}.new`, to);
    return made;
  } finally {
    await rm(`${beside}.new`, { recursive: true, force: true });
  }
}

/** The import of before is removed only when the new one has its place; where it fails it is back. */
async function replace(to: string, beside: string): Promise<void> {
  await rename(to, `${beside}.old`);
  try {
    await rename(`${beside}.new`, to);
  } catch (error) {
    await rename(`${beside}.old`, to);
    throw error;
  }
  await rm(`${beside}.old`, { recursive: true, force: true });
}

async function filesIn(folder: string): Promise<string[] | null> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new SourceFault(`${folder}: ${code === 'ENOTDIR' ? 'is no folder' : `cannot be read (${code})`}`);
  }
}
