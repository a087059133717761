// Process that tests start, query and stop: service, proxy, or benchmark target.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { until } from './until.ts';

export type Launch = {
  /** the program and its arguments */
  command: string[];
  env: NodeJS.ProcessEnv;
  /** file for its output */
  log: string;
  /** readiness check; unnecessary for programs that are only spawned */
  answers?: () => Promise<boolean>;
  /** maximum start time */
  seconds?: number;
  /** milliseconds between two readiness checks */
  everyMs?: number;
  cwd?: string;
};

export class Program {
  /** Evaluated at each start. */
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

  /** Exit status; null while the program runs, or if a signal ended it. */
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
    // if the program does not exist, the readiness check fails later
    child.once('error', () => {
      this.#child = undefined;
    });
  }

  /** Resolves when ready. Throws with the end of the log if the program exits or exceeds the start time. */
  async start(): Promise<this> {
    const { command, log, answers = async () => true, seconds = 60, everyMs = 50 } = this.launch;
    this.spawn();
    const decided = await until(async () => this.hasExited || (await answers()), { seconds, everyMs });
    if (decided && !this.hasExited) return this;
    await this.kill();
    throw new Error(`${command.join(' ')} did not start: ${readFileSync(log, 'utf8').slice(-1_000)}`);
  }

  /** Stops like an orchestrator: SIGTERM, then SIGKILL after 12 s. */
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

/** True if the URL returns a 2xx status. */
export const isOk = (url: string) =>
  fetch(url, { headers: { connection: 'close' } }).then(
    (response) => response.ok,
    () => false,
  );
