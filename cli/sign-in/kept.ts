// The sign-ins that this machine keeps: a file for each server in $XDG_CONFIG_HOME/gatehouse, for its owner only.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { parseAs } from '#lib/kit/seal.ts';
import { environment } from '#lib/settings/environment.ts';
import { PROGRAM } from '../program.ts';
import { CommandFailed } from '../typed.ts';
import { keptKey } from './key.ts';

const kept = z.object({
  server: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  access_token: z.string(),
  expires_at: z.iso.datetime(),
  /** null: the server gave none, so the sign-in ends with its access token */
  refresh_token: z.string().nullable(),
  scope: z.string(),
  /** null: the tokens are good without a proof */
  dpop_key: keptKey.nullable().default(null),
});
export type KeptSignIn = z.output<typeof kept>;

/** XDG Base Directory Specification: a relative one is ignored. */
function folder(): string {
  const { XDG_CONFIG_HOME: configured = '' } = environment();
  const base = path.isAbsolute(configured) ? configured : path.join(homedir(), '.config');
  return path.join(base, 'gatehouse');
}

const SUFFIX = '.sign-in.json';

export function fileOf(server: string): string {
  const { protocol, host } = new URL(server);
  return path.join(folder(), `${protocol.slice(0, -1)}_${host.replaceAll(/[^\w.-]/g, '_')}${SUFFIX}`);
}

/** Null: none is kept. Refused where others may read it, or it is damaged. */
export async function readKept(server: string): Promise<KeptSignIn | null> {
  const found = await readFileOf(server);
  if (found === null) return null;
  const { file, mode, isOwn } = found;
  const instead = `sign in again: ${signInCommand(server)}`;
  if (!isOwn) throw new CommandFailed(`${file} is no file of your own: delete it, and ${instead}`);
  if ((mode & 0o077) !== 0)
    throw new CommandFailed(
      `${file} is open to others (mode ${mode.toString(8)}), so it is not used: ${instead}`,
    );
  if (found.kept?.server !== server) throw new CommandFailed(`${file} is damaged: ${instead}`);
  return found.kept;
}

/** What there is to revoke, however it was kept. */
export async function readAnyKept(server: string): Promise<KeptSignIn | null> {
  const found = await readFileOf(server).catch(() => null);
  return found?.kept ?? null;
}

async function readFileOf(server: string) {
  const file = fileOf(server);
  const opened = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new CommandFailed(`${file} can not be read (${code})`);
  });
  if (opened === null) return null;
  try {
    const { mode, uid } = await opened.stat();
    const isOwn = process.getuid === undefined || uid === process.getuid();
    return { file, mode: mode & 0o777, isOwn, kept: parseAs(kept, await opened.readFile('utf8')) };
  } finally {
    await opened.close();
  }
}

/** The folder is made, and closed to others. */
export async function ensureFolder(): Promise<void> {
  try {
    await makeFolder(folder());
    await chmod(folder(), 0o700);
  } catch (error) {
    throw new CommandFailed(`${folder()} can not be made (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Each folder of the path by itself: Node's `recursive` never ends where a file system has none to make, as /proc. */
async function makeFolder(whole: string): Promise<void> {
  const isThere = await stat(whole).catch(() => null);
  if (isThere?.isDirectory()) return;
  const parent = path.dirname(whole);
  if (parent !== whole) await makeFolder(parent);
  await mkdir(whole, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** All of it or nothing, under the lock of the file. */
export async function keep(signIn: KeptSignIn): Promise<void> {
  const file = fileOf(signIn.server);
  const part = `${file}.${randomUUID()}`;
  try {
    const opened = await open(part, 'wx', 0o600);
    try {
      await opened.writeFile(`${JSON.stringify(signIn, null, 2)}\n`);
      await opened.sync();
    } finally {
      await opened.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw new CommandFailed(`${file} can not be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

export const forget = (server: string): Promise<void> => rm(fileOf(server), { force: true });

/** The servers that this machine keeps a sign-in for. */
export async function keptServers(): Promise<string[]> {
  const names = await readdir(folder()).catch(() => []);
  const files = names.filter((name) => name.endsWith(SUFFIX)).map((name) => path.join(folder(), name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.flatMap((text) => parseAs(kept, text)?.server ?? []).toSorted();
}

/** As it is typed. */
export const signInCommand = (server: string): string => `${PROGRAM} login --server ${server}`;
