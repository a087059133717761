// One running service: `node server.ts`, as an operator runs it.
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#testing/free-port.ts';
import { send } from './client.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

export type InstanceOptions = {
  databaseUrl: string;
  secret: string;
  folder: string;
  name: string;
  baseUrl?: string;
  env?: Record<string, string>;
  /** modules that Node loads first */
  preload?: string[];
};

export class Instance {
  readonly port: number;
  readonly metricsPort: number;
  readonly options: InstanceOptions;
  #child: ChildProcess | undefined;

  private constructor(port: number, metricsPort: number, options: InstanceOptions) {
    this.port = port;
    this.metricsPort = metricsPort;
    this.options = options;
  }

  /** Chosen ports, nothing running yet. */
  static async create(options: InstanceOptions): Promise<Instance> {
    return new Instance(await freePort(), await freePort(), options);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  spawn(change: Partial<InstanceOptions> = {}): void {
    Object.assign(this.options, change);
    const { databaseUrl, secret, folder, name, baseUrl, env, preload = [] } = this.options;
    const log = openSync(path.join(folder, `${name}.log`), 'a');
    this.#child = spawn(process.execPath, [...preload.flatMap((file) => ['--import', file]), 'server.ts'], {
      cwd: ROOT,
      stdio: ['ignore', log, log],
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        NEXT_TELEMETRY_DISABLED: '1',
        GATEHOUSE_DIST_DIR: process.env['GATEHOUSE_DIST_DIR'] ?? '.next-test',
        GATEHOUSE_DATA_DIR: folder,
        LOG_LEVEL: 'info',
        HOST: '127.0.0.1',
        PORT: String(this.port),
        METRICS_PORT: String(this.metricsPort),
        DRAIN_SECONDS: '1',
        DATABASE_URL: databaseUrl,
        GATEHOUSE_SECRET: secret,
        BASE_URL: baseUrl ?? `http://localhost:${this.port}`,
        ...env,
      } as NodeJS.ProcessEnv,
    });
  }

  async start(change: Partial<InstanceOptions> = {}): Promise<this> {
    this.spawn(change);
    await this.ready();
    return this;
  }

  async ready(seconds = 30): Promise<void> {
    const deadline = performance.now() + seconds * 1000;
    while ((await send(`${this.url}/ready`)).status !== 200) {
      if (this.hasExited) throw new Error(`${this.options.name} ended; its log says why`);
      if (performance.now() > deadline) throw new Error(`${this.options.name} did not become ready`);
      await sleep(20);
    }
  }

  get hasExited(): boolean {
    const child = this.#child;
    return child === undefined || child.exitCode !== null || child.signalCode !== null;
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** As an orchestrator does it: SIGTERM, and wait. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || this.hasExited) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  /** Connections of its pool. */
  async pool(): Promise<{ busy: number; idle: number; waiting: number }> {
    const { text } = await send(`http://127.0.0.1:${this.metricsPort}/metrics`);
    const read = (state: string) =>
      Number(new RegExp(`gatehouse_database_connections\\{state="${state}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
    return { busy: read('busy'), idle: read('idle'), waiting: read('waiting') };
  }
}
