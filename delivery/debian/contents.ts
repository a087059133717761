// Contents of the package: its files and its metadata for dpkg.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { nodeEntries } from '../image/base.ts';
import type { About } from '../image/config.ts';
import type { Sources } from '../image/fetched.ts';
import type { Architecture, BaseRecord } from '../image/record.ts';
import type { Entry } from '../image/tar.ts';
import { copyrightOf, isLicence } from './copyright.ts';
import { manualOf } from './manual.ts';

const HOME = 'usr/lib/gatehouse';
const DOC = 'usr/share/doc/gatehouse';
const MAINTAINER = 'Gatehouse maintainers <maintainers@gatehouse.invalid>';
/**
 * The service displays these files, so they are part of the program; the documentation folder contains links to them
 * (Debian Policy 12.3).
 */
const TEXTS = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'GLOSSARY.md', 'docs'];

export type Wanted = {
  architecture: Architecture;
  /** folder that contains the runnable tree */
  tree: string;
  about: About;
  record: BaseRecord;
  from: Sources;
};

export function filesOf({ architecture, tree, about, record, from }: Wanted): Entry[] {
  const [node, licence] = nodeEntries(architecture, record, from);
  if (node?.kind !== 'file' || licence?.kind !== 'file')
    throw new Error('the package of Node has no program');
  return [
    ...programOf(tree),
    { ...node, path: `${HOME}/bin/node` },
    text(`${DOC}/copyright`, copyrightOf(tree, licence.data.toString())),
    ...TEXTS.map(
      (name): Entry => ({ path: `${DOC}/${name}`, kind: 'link', target: `../../../lib/gatehouse/${name}` }),
    ),
    ...ownFiles(about),
  ];
}

function programOf(tree: string): Entry[] {
  return readdirSync(tree, { recursive: true, encoding: 'utf8' }).flatMap((name): Entry[] => {
    const from = path.join(tree, name);
    const state = lstatSync(from);
    if (state.isDirectory() || isLicence(name)) return [];
    if (state.isSymbolicLink())
      return [{ path: `${HOME}/${name}`, kind: 'link', target: readlinkSync(from) }];
    return [{ path: `${HOME}/${name}`, kind: 'file', mode: 0o644, data: readFileSync(from) }];
  });
}

function ownFiles(about: About): Entry[] {
  const unit = (name: string) =>
    text(
      `usr/lib/systemd/system/${name}`,
      fillFile(name, { SANDBOX: fillFile('sandbox').trim(), FLAGS: about.flags.join(' ') }),
    );
  return [
    text('usr/bin/gatehouse', fillFile('gatehouse.sh'), 0o755),
    ...['host.mjs', 'settings-file.mjs'].map((name) =>
      text(`${HOME}/bin/${name}`, readFileSync(path.join(import.meta.dirname, name), 'utf8')),
    ),
    unit('gatehouse.service'),
    unit('gatehouse-migrate.service'),
    text('etc/gatehouse/env', fillFile('env'), 0o640),
    { path: 'etc/gatehouse/credentials', kind: 'folder', mode: 0o700 },
    text(`${DOC}/examples/gatehouse.yaml`, fillFile('gatehouse.yaml')),
    gzipEntry(`${DOC}/changelog.gz`, changelogOf(about)),
    gzipEntry('usr/share/man/man1/gatehouse.1.gz', manualOf(about)),
    text('usr/share/lintian/overrides/gatehouse', fillFile('lintian-overrides')),
  ];
}

/** Returns the size of all files in bytes. */
export const sizeOf = (files: readonly Entry[]) =>
  files.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.data.length : 0), 0);

/** Returns the control file for dpkg. */
export function controlOf(
  files: readonly Entry[],
  { architecture, about }: Pick<Wanted, 'architecture' | 'about'>,
): Entry[] {
  const fields = [
    ['Package', 'gatehouse'],
    ['Version', about.version],
    ['Architecture', architecture],
    ['Maintainer', MAINTAINER],
    ['Installed-Size', String(Math.ceil(sizeOf(files) / 1024))],
    ['Depends', 'libatomic1 (>= 4.8), libc6 (>= 2.28), libgcc-s1 (>= 3.3), libstdc++6 (>= 5.2)'],
    ['Suggests', 'nginx | caddy, postgresql'],
    ['Section', 'net'],
    ['Priority', 'optional'],
    ['Description', DESCRIPTION],
  ];
  const script = (name: string) => text(name, fillFile(name, { VERSION: about.version }), 0o755);
  return [
    text('control', fields.map(([name, value]) => `${name}: ${value}\n`).join('')),
    text('conffiles', '/etc/gatehouse/env\n'),
    text('md5sums', sumsOf(files)),
    ...['postinst', 'prerm', 'postrm'].map(script),
  ];
}

const DESCRIPTION = `OAuth 2.0 authorization server and OpenID Provider
 One service signs people in to many APIs, by passwords, passkeys or other
 identity providers, and gives their applications tokens. It has hosted
 sign-in pages, a console for developers and administrators, and a
 management API.
 .
 It keeps everything in a PostgreSQL database, which is not part of this
 package, and brings the Node that it runs on.`;

/** Returns the file md5sums for dpkg. Configuration files are omitted, because dpkg records them itself. */
function sumsOf(files: readonly Entry[]): string {
  return files
    .flatMap((entry) => (entry.kind === 'file' && !entry.path.startsWith('etc/') ? [entry] : []))
    .sort((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)))
    .map(({ path: name, data }) => `${createHash('md5').update(data).digest('hex')}  ${name}\n`)
    .join('');
}

function changelogOf({ version, commit, time }: About): string {
  const date = new Date(time * 1_000).toUTCString().replace('GMT', '+0000');
  return [
    `gatehouse (${version}) unstable; urgency=medium`,
    `  * Made from the commit ${commit}.\n    CHANGELOG.md in this folder says what has changed.`,
    ` -- ${MAINTAINER}  ${date}\n`,
  ].join('\n\n');
}

/** Returns a file of `files/`, in which the placeholders `@NAME@` are replaced. */
function fillFile(name: string, values: Record<string, string> = {}): string {
  const written = readFileSync(path.join(import.meta.dirname, 'files', name), 'utf8');
  return Object.entries(values).reduce((so, [key, value]) => so.replaceAll(`@${key}@`, () => value), written);
}

const text = (place: string, written: string, mode = 0o644): Entry => ({
  path: place,
  kind: 'file',
  mode,
  data: Buffer.from(written),
});

function gzipEntry(place: string, written: string): Entry {
  const data = gzipSync(written, { level: 9 });
  // OS byte of the gzip header: 255 (unknown), instead of the system that compressed the file
  data[9] = 255;
  return { path: place, kind: 'file', mode: 0o644, data };
}
