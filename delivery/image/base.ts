// The lowest layers of the image: the Debian files that a program needs at runtime, and Node. There is no shell and
// no package manager, and building runs no script.
import { readDeb, readNode, type Sources } from './fetched.ts';
import type { Architecture, BaseRecord, Deb } from './record.ts';
import type { Entry } from './tar.ts';

/** A user id that hosts do not use. Besides root, the image contains only this user. */
export const USER = 65_532;

/** Files that nothing in the image reads or runs. */
const LEFT_OUT = [
  /^usr\/share\/(?:man|locale|info|lintian|bug|gcc|gdb|base-files|zoneinfo-icu)\//,
  /^usr\/share\/doc\/[^/]+\/(?!copyright$)/,
  // programs, which nothing can start because the image has no shell
  /^(?:usr\/)?s?bin\//,
  // character set conversions of glibc, which only programs that call iconv need
  /^usr\/lib\/[^/]+\/gconv\//,
  /^(?:var|home|root|proc|sys|dev|run|boot|media|mnt|srv|opt|tmp)(?:\/|$)/,
  /^etc\/(?:default|update-motd\.d|profile\.d|ca-certificates|skel|ld\.so\.conf\.d|dpkg)(?:\/|$)/,
  /^etc\/(?:motd|issue|issue\.net|host\.conf)$/,
];
const CERTIFICATE = /^usr\/share\/ca-certificates\/.*\.crt$/;

export async function debianEntries(
  architecture: Architecture,
  record: BaseRecord,
  from: Sources,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const deb of debsOf(architecture, record)) {
    const { files, control } = await readDeb(deb, record.at, from);
    entries.push(
      ...files.filter(({ kind, path }) => kind !== 'folder' && !LEFT_OUT.some((one) => one.test(path))),
    );
    // scanners look for packages in this folder if there is no dpkg
    entries.push(file(`var/lib/dpkg/status.d/${deb.name}`, control));
  }
  return [...entries.filter(({ path }) => !CERTIFICATE.test(path)), bundleOf(entries), ...ownEntries()];
}

export const debsOf = (architecture: Architecture, { debs }: BaseRecord): Deb[] =>
  debs.filter((deb) => deb.architecture === architecture || deb.architecture === 'all');

/** Returns the certificate bundle, in the format that update-ca-certificates writes. */
function bundleOf(entries: Entry[]): Entry {
  const certificates = entries
    .flatMap((entry) => (entry.kind === 'file' && CERTIFICATE.test(entry.path) ? [entry] : []))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  return file(
    'etc/ssl/certs/ca-certificates.crt',
    certificates.map(({ data }) => data.toString().trim()).join('\n'),
  );
}

function ownEntries(): Entry[] {
  const folder = (path: string, mode = 0o755): Entry => ({ path, kind: 'folder', mode });
  return [
    // folders that links of Debian's package base-files point to
    ...['usr/bin', 'usr/sbin', 'usr/lib64'].map((path) => folder(path)),
    ...['dev', 'proc', 'sys', 'run', 'root'].map((path) => folder(path)),
    folder('tmp', 0o1777),
    folder('var/tmp', 0o1777),
    file(
      'etc/passwd',
      `root:x:0:0:root:/root:/sbin/nologin\ngatehouse:x:${USER}:${USER}:Gatehouse:/tmp:/sbin/nologin`,
    ),
    file('etc/group', `root:x:0:\ngatehouse:x:${USER}:`),
    file('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns'),
  ];
}

const file = (path: string, text: string): Entry => ({
  path,
  kind: 'file',
  mode: 0o644,
  data: Buffer.from(`${text.trimEnd()}\n`),
});

/** Returns Node's program and its licence. */
export function nodeEntries(architecture: Architecture, record: BaseRecord, from: Sources): Entry[] {
  const files = readNode(architecture, record, from);
  const takeFile = (name: string, path: string, mode: number): Entry => {
    const found = files.find((entry) => entry.path === name);
    if (found?.kind !== 'file') throw new Error(`the package of Node has no ${name}`);
    return { path, kind: 'file', mode, data: found.data };
  };
  return [
    takeFile('package/bin/node', 'usr/bin/node', 0o755),
    takeFile('package/LICENSE', 'usr/share/doc/node/copyright', 0o644),
  ];
}
