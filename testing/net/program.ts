// A process that tests start, ask and stop: the service, a proxy, what the benchmark compares it with.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { until } from './until.ts';

export type Launch = {
  /** the program and its arguments */
  command: string[];
  env: NodeJS.ProcessEnv;
  /** the file that gets what it prints */
  log: string;
  /** whether it serves; a program that is only spawned needs none */
  answers?: () => Promise<boolean>;
  /** how long it may take until it serves */
  seconds?: number;
  /** how often it is asked */
  everyMs?: number;
  cwd?: string;
};

export class Program {
  /** Read at each start. */
  readonly launch: Launch;
  #child: ChildProcess | undefined;

  constructor(launch: Launch) {
    this.launch = launch;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get hasExited(): boolean {
    const child = this.#child;
    return child === undefined || child.exitCode !== null || child.signalCode !== null;
  }

  /** Null while it runs, and where a signal ended it. */
  get exitCode(): number | null {
    return this.#child?.exitCode ?? null;
  }

  spawn(): void {
    const { command, env, log: file, cwd = process.cwd() } = this.launch;
    const [program = '', ...args] = command;
    const log = openSync(file, 'a');
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', log, log] });
    closeSync(log);
    this.#child = child;
    // the program does not exist
    child.once('error', () => {
      this.#child = undefined;
    });
  }

  /** Resolves once it serves; throws, with the end of its log, where it ends or takes too long. */
  async start(): Promise<this> {
    const { command, log, answers = async () => true, seconds = 60, everyMs = 50 } = this.launch;
    this.spawn();
    const decided = await until(async () => this.hasExited || (await answers()), { seconds, everyMs });
    if (decided && !this.hasExited) return this;
    await this.kill();
    throw new Error(`${command.join(' ')} did not start: ${readFileSync(log, 'utf8').slice(-1_000)}`);
  }

  /** As an orchestrator does it: SIGTERM, and SIGKILL after 12 s. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), 12_000);
    await this.#end('SIGTERM');
    clearTimeout(timer);
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || this.hasExited) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }
}

/** Does an address answer with a 2xx? */
export const isOk = (url: string) =>
  fetch(url, { headers: { connection: 'close' } }).then(
    (response) => response.ok,
    () => false,
  );
