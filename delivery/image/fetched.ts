// Downloads the files in base.json, once per digest, and rejects a file with a different digest.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { EnvHttpProxyAgent, fetch } from 'undici';
import { type Architecture, type BaseRecord, type Deb, nodePackage } from './record.ts';
import { type Entry, entriesOf } from './tar.ts';

/** Uses the operator's mirror, if one is set. The mirror need not be trusted, because digests are verified. */
export type Sources = { mirror: string; snapshots: string; cache: string };

export const sources = (env: Readonly<Record<string, string | undefined>> = process.env): Sources => ({
  mirror: env['GATEHOUSE_DEBIAN_MIRROR'] || 'http://deb.debian.org',
  snapshots: 'http://snapshot.debian.org/archive',
  cache: path.resolve(import.meta.dirname, '../../node_modules/.cache/gatehouse-image'),
});

/** Reads the files and the control data of a Debian package. */
export async function readDeb(
  deb: Deb,
  at: string,
  from: Sources,
): Promise<{ files: Entry[]; control: string }> {
  const file = path.join(from.cache, `${deb.sha256}.deb`);
  if (!existsSync(file)) keep(file, await download(deb, at, from));
  const [files, control] = ['--fsys-tarfile', '--ctrl-tarfile'].map((part) =>
    entriesOf(unpackDeb(part, file)),
  );
  const text = control?.find(({ path: name }) => name === 'control');
  return { files: files ?? [], control: text?.kind === 'file' ? text.data.toString() : '' };
}

function unpackDeb(part: string, file: string): Buffer {
  try {
    return execFileSync('dpkg-deb', [part, file], { maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('the program dpkg-deb is missing: install the package dpkg of this system');
  }
}

async function download(deb: Deb, at: string, { mirror, snapshots }: Sources): Promise<Buffer> {
  const [archive, ...rest] = deb.path.split('/');
  const addresses = [`${mirror}/${deb.path}`, `${snapshots}/${archive}/${at}/${rest.join('/')}`];
  const reasons: string[] = [];
  for (const address of addresses) {
    try {
      const answer = await fetch(address, { dispatcher: new EnvHttpProxyAgent() });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (answer.ok && sha256(bytes) === deb.sha256) return bytes;
      reasons.push(`${address}: ${answer.ok ? 'other bytes than recorded' : answer.status}`);
    } catch (error) {
      reasons.push(
        `${address}: ${error instanceof Error ? ((error.cause as Error)?.message ?? error.message) : error}`,
      );
    }
  }
  throw new DebIsGone(
    `${deb.name} ${deb.version} cannot be had (${reasons.join('; ')}): ` +
      '`npm run image -- --renew` records the versions that Debian has now',
  );
}

export class DebIsGone extends Error {}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function keep(file: string, bytes: Buffer): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, bytes);
  renameSync(unfinished, file);
}

/** Reads the files of the npm package that contains the program `node`. */
export function readNode(architecture: Architecture, { node }: BaseRecord, { cache }: Sources): Entry[] {
  const integrity = node.integrity[architecture];
  const name = `${nodePackage(architecture)}@${node.version}`;
  const file = path.join(cache, `${name}.tgz`);
  if (!existsSync(file)) keep(file, packNpmPackage(name));
  const bytes = readFileSync(file);
  const found = integrityOf(bytes);
  if (found !== integrity) throw new Error(`${name} is not what base.json records: ${found}`);
  return entriesOf(gunzipSync(bytes));
}

export const integrityOf = (bytes: Buffer) => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

/** Downloads the tarball of a package from the npm registry. */
export function packNpmPackage(name: string): Buffer {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-npm-'));
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, name], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [file = ''] = readdirSync(folder);
    return readFileSync(path.join(folder, file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
