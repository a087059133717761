// Runs an image without a container engine: tar unpacks its layers, and its program runs in a private file system.
// Requires root.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from '@playwright/test';

const SCRIPT = path.resolve(import.meta.dirname, 'container.sh');

type Named = { digest: string; size: number; annotations?: Record<string, string> };
type Config = {
  architecture: string;
  config: {
    User: string;
    Env: string[];
    Entrypoint: string[];
    Cmd: string[];
    WorkingDir: string;
    StopSignal: string;
    ExposedPorts: object;
    Labels: Record<string, string>;
  };
  rootfs: { diff_ids: string[] };
};
/** An image on disk. `root`: folder with the unpacked files. */
export type Unpacked = { root: string; config: Config };
export type Runnable = {
  root: string;
  config: { config: Pick<Config['config'], 'User' | 'Env' | 'Entrypoint' | 'Cmd' | 'WorkingDir'> };
};

/** True if this machine can create private file systems. */
export function canContain(): boolean {
  const alone = ['--mount', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'];
  return process.getuid?.() === 0 && spawnSync('unshare', alone).status === 0;
}

/** Unpacks an image by name in the layout's index. */
export function unpack(layout: string, name: string, root: string): Unpacked {
  const read = (file: string) => JSON.parse(readFileSync(path.join(layout, file), 'utf8'));
  const blob = ({ digest }: Named) => `blobs/${digest.replace(':', '/')}`;
  const named = (read('index.json').manifests as Named[]).find(
    ({ annotations }) => annotations?.['org.opencontainers.image.ref.name'] === name,
  );
  if (named === undefined) throw new Error(`the layout has no ${name}`);
  const manifest = read(blob(named)) as { config: Named; layers: Named[] };
  mkdirSync(root, { recursive: true });
  for (const layer of manifest.layers)
    execFileSync('tar', [
      '--extract',
      '--gzip',
      '--same-owner',
      '-C',
      root,
      '-f',
      path.join(layout, blob(layer)),
    ]);
  return { root, config: read(blob(manifest.config)) as Config };
}

export type Started = { env?: Record<string, string>; args?: string[]; user?: number };

/** A container that runs or has exited. */
export class Container {
  readonly #child: ChildProcess;
  readonly ended: Promise<number | string>;
  #log = '';

  /** Starts the container. `args` replaces the image's `Cmd`; `user` replaces the image's user. */
  constructor({ root, config: { config } }: Runnable, { env = {}, args = config.Cmd, user }: Started) {
    const own = Object.fromEntries(config.Env.map((line) => line.split(/=(.*)/s, 2)));
    const namespaces = ['--mount', '--pid', '--ipc', '--fork', '--kill-child'];
    const id = String(user ?? config.User.split(':')[0]);
    const program = [...config.Entrypoint, ...args];
    this.#child = spawn(
      '/usr/bin/unshare',
      [...namespaces, '/bin/sh', SCRIPT, root, id, config.WorkingDir, ...program],
      { env: { ...own, PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const add = (text: Buffer) => {
      this.#log += text;
    };
    this.#child.stdout?.on('data', add);
    this.#child.stderr?.on('data', add);
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code, signal) => resolve(code ?? signal ?? ''));
    });
  }

  get log(): string {
    return this.#log;
  }

  /** Process id of the container's first process, on the host. */
  get pid(): number {
    const parent = this.#child.pid ?? 0;
    return Number(readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim());
  }

  async untilReady(url: string): Promise<this> {
    const asked = async () => {
      if (this.#child.exitCode !== null) throw new Error(this.#log);
      return fetch(`${url}/ready`).then(
        ({ status }) => status,
        () => 0,
      );
    };
    await expect.poll(asked, { timeout: 60_000, message: 'the container is ready' }).toBe(200);
    return this;
  }

  /** Stops the container as a container engine does. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string> {
    if (this.#child.exitCode === null) process.kill(this.pid, signal);
    return this.ended;
  }
}

/** Containers of a test. Each container stops when the test ends. */
export class Containers {
  readonly #all = new Set<Container>();

  start(what: Runnable, given: Started): Container {
    const container = new Container(what, given);
    this.#all.add(container);
    return container;
  }

  async end(): Promise<void> {
    await Promise.all([...this.#all].map((one) => one.stop('SIGKILL')));
    this.#all.clear();
  }
}
