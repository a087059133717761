// Debian root with the package, without systemd: created with mmdebstrap; units run like under systemd, without its
// sandbox.
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isInstalled } from '#testing/net/proxies.ts';
import { controlOf, filesOf } from '../../../delivery/debian/contents.ts';
import { writeDeb } from '../../../delivery/debian/deb.ts';
import { debianAbout } from '../../../delivery/image/about.ts';
import { sources } from '../../../delivery/image/fetched.ts';
import { readRecord } from '../../../delivery/image/record.ts';
import type { Entry } from '../../../delivery/image/tar.ts';
import type { Runnable } from './container.ts';
import { builtTree } from './tree.ts';

/** Id of a user and of a group, as systemd chooses them for `DynamicUser`. */
const USER = 61_234;
const PROGRAMS = ['mmdebstrap', 'lintian', 'systemd-analyze'];

export const canInstall = () => PROGRAMS.every((program) => isInstalled(program));

/** Packages of this checkout, plus a small package with a later version. */
export async function madeDebs(folder: string) {
  const told = {
    architecture: 'amd64' as const,
    about: debianAbout(),
    record: readRecord(),
    from: sources(),
  };
  const write = async (name: string, files: Entry[], given: typeof told) => {
    const deb = path.join(folder, `${name}.deb`);
    // the package is read only once, so speed matters more than size
    await writeDeb(deb, { control: controlOf(files, given), files, time: told.about.time, level: 1 });
    return deb;
  };
  const files = filesOf({ ...told, tree: await builtTree() });
  const later = { ...told, about: { ...told.about, version: `${told.about.version}+later` } };
  // one of the npm packages contains a command, for which a lintian override exists
  const isOwn = ({ path: file }: Entry) =>
    !/\/(?:node_modules\/(?!semver\/)|\.next\/|docs(?:\/|$))|\/bin\/node$/.test(file);
  return {
    deb: await write('gatehouse', files, told),
    later: await write('later', files.filter(isOwn), later),
  };
}

export class Machine {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Creates a clean root with the package's dependencies. */
  static made(root: string): Machine {
    const packages = '--include=libatomic1,libstdc++6';
    const options = ['--variant=essential', '--mode=root', '--dpkgopt=force-unsafe-io', packages, '--quiet'];
    execFileSync('mmdebstrap', [...options, 'bookworm', root], { stdio: 'pipe' });
    return new Machine(root);
  }

  at(...parts: string[]): string {
    return path.join(this.root, ...parts);
  }

  /** Runs dpkg. Returns its combined output, including errors. */
  dpkg(...args: string[]): { status: number | null; output: string } {
    const plain = [
      'env',
      '-i',
      'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
      'DEBIAN_FRONTEND=noninteractive',
      'LC_ALL=C',
    ];
    const { status, stdout, stderr } = spawnSync('chroot', [this.root, ...plain, 'dpkg', ...args]);
    return { status, output: `${stdout}${stderr}` };
  }

  install(deb: string) {
    copyFileSync(deb, this.at('tmp/this.deb'));
    const done = this.dpkg('--force-unsafe-io', '--install', '/tmp/this.deb');
    rmSync(this.at('tmp/this.deb'));
    return done;
  }

  /** Returns paths that contain the package's name. */
  named(): string[] {
    const found = execFileSync('find', [this.root, '-xdev', '-name', '*gatehouse*', '-printf', '%P\n']);
    return found.toString().split('\n').filter(Boolean);
  }

  write(file: string, text: string, mode = 0o600): void {
    mkdirSync(path.dirname(this.at(file)), { recursive: true });
    writeFileSync(this.at(file), text, { mode });
  }

  /** Returns the command of a unit, with its environment, settings and credentials. */
  unit(name: string): Runnable {
    const lines = readFileSync(this.at('usr/lib/systemd/system', name), 'utf8').split('\n');
    const values = (key: string) =>
      lines.flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));
    const [Entrypoint = [], variables = []] = ['ExecStart', 'Environment'].map((key) =>
      values(key).flatMap((value) => value.replaceAll('%C', '/var/cache').split(' ')),
    );
    const [settings = ''] = values('EnvironmentFile');
    const written = readFileSync(this.at(settings), 'utf8').split('\n');
    const [id = '', from = ''] = (values('LoadCredential')[0] ?? '').split(':');
    const Env = [
      ...variables,
      ...written.filter((line) => /^\w+=/.test(line)),
      `CREDENTIALS_DIRECTORY=${this.#credentials(name, id, from)}`,
      'STATE_DIRECTORY=/var/lib/gatehouse',
    ];
    const [WorkingDir = '/'] = values('WorkingDirectory');
    return {
      root: this.root,
      config: { config: { User: String(USER), Env, Entrypoint, Cmd: [], WorkingDir } },
    };
  }

  /** Returns the command `gatehouse` as an operator types it, run by root. */
  command(): Runnable {
    const config = { User: '0', Env: [], Entrypoint: ['/usr/bin/gatehouse'], Cmd: [], WorkingDir: '/' };
    return { root: this.root, config: { config } };
  }

  /** Creates a folder of credentials for the unit's user, as systemd creates it (systemd.exec(5)). */
  #credentials(unit: string, id: string, from: string): string {
    const folder = `/run/credentials/${unit}`;
    rmSync(this.at(folder), { recursive: true, force: true });
    mkdirSync(this.at('run/credentials'), { recursive: true });
    mkdirSync(this.at(folder), { mode: 0o500 });
    for (const file of execFileSync('ls', [this.at(from)])
      .toString()
      .split('\n')
      .filter(Boolean)) {
      const credential = path.join(folder, `${id}_${file}`);
      this.write(credential, readFileSync(this.at(from, file), 'utf8'), 0o400);
      chownSync(this.at(credential), USER, USER);
    }
    chownSync(this.at(folder), USER, USER);
    return folder;
  }
}
