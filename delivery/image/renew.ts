// `npm run image -- --renew`: asks apt for the present versions, whose signatures by Debian apt checks, and writes
// base.json.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { integrityOf, packNpmPackage } from './fetched.ts';
import { ARCHITECTURES, type BaseRecord, type Deb, nodePackage, RECORD_FILE } from './record.ts';

const SUITE = 'trixie';
const OF_EACH = ['base-files', 'libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6'];
const OF_ALL = ['ca-certificates', 'tzdata'];
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const MIRROR = 'http://deb.debian.org';

export function renew(file = RECORD_FILE, now = new Date()): BaseRecord {
  const { version } = JSON.parse(
    readFileSync(path.resolve(import.meta.dirname, '../../node_modules/node/package.json'), 'utf8'),
  );
  const integrity = Object.fromEntries(
    ARCHITECTURES.map((one) => [one, integrityOf(packNpmPackage(`${nodePackage(one)}@${version}`))]),
  ) as BaseRecord['node']['integrity'];
  const at = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const record: BaseRecord = { suite: SUITE, at, debs: presentDebs(), node: { version, integrity } };
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
  return record;
}

function presentDebs(): Deb[] {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-apt-'));
  try {
    const apt = aptIn(folder);
    apt('-qq', 'update');
    const debs = new Map<string, Deb>();
    for (const architecture of ARCHITECTURES) {
      const names = OF_EACH.map((name) => `${name}:${architecture}`);
      const lines = apt('download', '--print-uris', ...names, ...OF_ALL);
      for (const deb of lines.split('\n').flatMap(debIn)) debs.set(`${deb.name}:${deb.architecture}`, deb);
    }
    return [...debs.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const keyOf = ({ name, architecture }: Deb) => `${name} ${architecture}`;

/** Parses `'http://deb.debian.org/debian/pool/…' NAME_VERSION_ARCHITECTURE.deb SIZE SHA256:DIGEST`. */
function debIn(line: string): Deb[] {
  const [, address = '', sha256 = ''] = /^'([^']+)' \S+ \d+ SHA256:([0-9a-f]{64})$/.exec(line) ?? [];
  if (address === '') return [];
  const [name = '', version = '', rest = ''] = decodeURIComponent(path.posix.basename(address)).split('_');
  const architecture = rest.replace('.deb', '') as Deb['architecture'];
  return [{ name, version, architecture, path: address.slice(`${MIRROR}/`.length), sha256 }];
}

/** Runs apt with separate lists, so that the machine's own lists stay unchanged. */
function aptIn(folder: string) {
  const [list, status] = [path.join(folder, 'sources.list'), path.join(folder, 'status')];
  mkdirSync(path.join(folder, 'state/lists/partial'), { recursive: true });
  mkdirSync(path.join(folder, 'cache/archives/partial'), { recursive: true });
  writeFileSync(status, '');
  const suites = [`debian ${SUITE}`, `debian ${SUITE}-updates`, `debian-security ${SUITE}-security`];
  const line = (suite: string) => `deb [signed-by=${KEYRING}] ${MIRROR}/${suite} main\n`;
  writeFileSync(list, suites.map(line).join(''));
  const options = [
    `Dir::Etc::sourcelist=${list}`,
    'Dir::Etc::sourceparts=-',
    `Dir::State=${path.join(folder, 'state')}`,
    `Dir::State::status=${status}`,
    `Dir::Cache=${path.join(folder, 'cache')}`,
    `APT::Architecture=${ARCHITECTURES[0]}`,
    ...ARCHITECTURES.map((architecture) => `APT::Architectures::=${architecture}`),
    'Acquire::Languages=none',
    // apt normally reads files as a sandbox user, who may lack access to this folder
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  return (...args: string[]) =>
    execFileSync('apt-get', [...options, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
}
