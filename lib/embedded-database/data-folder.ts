// Files in the data folder are whole or not there, and what keeps them from being written is told in one line.
import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { ownValue } from '#lib/kit/own-value.ts';
import { SettingsError } from '#lib/settings/settings-error.ts';

const WHY: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left there',
  EDQUOT: 'the quota of this user is used up',
  EROFS: 'it is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EEXIST: 'it is not a folder',
  ENOTDIR: 'it is not a folder',
  ENOENT: 'it can not be made',
};

/** Runs what writes there. */
export async function inDataFolder<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const { code = '', syscall = '', stderr } = cause as NodeJS.ErrnoException & { stderr?: string };
    // a program that is not there is no fault of the folder
    const why = syscall.startsWith('spawn') ? undefined : ownValue(WHY, code);
    if (why !== undefined)
      throw new SettingsError(`GATEHOUSE_DATA_DIR ${dataDir} can not be used: ${why} (${code})`, { cause });
    if (stderr === undefined) throw cause;
    throw new SettingsError(
      `GATEHOUSE_DATA_DIR ${dataDir}: PostgreSQL can not be set up there: ${reasonIn(stderr)}`,
      { cause },
    );
  }
}

/** Of a PostgreSQL program: its first complaint. */
function reasonIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const complaint = lines.find((line) => /\b(?:FATAL|PANIC|error):/i.test(line));
  return (complaint ?? lines.at(-1) ?? 'it ended without a word').replace(
    /^.*\b(?:FATAL|PANIC|error):\s*/i,
    '',
  );
}

/** Readable by its owner only; in the place of the one before, if there is one. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const part = `${file}.${randomUUID()}`;
  try {
    await writeFile(part, text, { mode: 0o600, flag: 'wx' });
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
}

/** The same, unless it is there already. */
export async function writeOnce(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    // a full disk leaves an empty one behind
    await rm(file, { force: true });
    throw error;
  }
}
