// Function instances: each handles one request at a time; busy instances cause a new one.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../net/free-port.ts';
import { Program } from '../net/program.ts';

type Instance = { program: Program; socket: string };
type Config = { handler: string; useWebApi?: boolean };

/** maximum number of instances of one function */
const MOST = 4;

export class Instances {
  readonly #env: NodeJS.ProcessEnv;
  readonly #log: string;
  readonly #sockets = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-functions-'));
  readonly #all: Instance[] = [];
  readonly #free = new Map<string, Instance[]>();
  readonly #waiting = new Map<string, ((instance: Instance) => void)[]>();
  readonly #started = new Map<string, number>();

  /** `env`: environment of the deployment; functions receive no other variables of this process. */
  constructor(env: NodeJS.ProcessEnv, log: string) {
    this.#env = env;
    this.#log = log;
  }

  /** Resolves with the response head; the instance is released after the response ends. */
  async ask(
    folder: string,
    options: http.RequestOptions,
    body: NodeJS.ReadableStream | null,
  ): Promise<http.IncomingMessage> {
    const instance = await this.#take(folder);
    return new Promise((resolve, reject) => {
      const request = http.request({ ...options, socketPath: instance.socket }, (answer) => {
        answer.once('close', () => this.#release(folder, instance));
        resolve(answer);
      });
      request.once('error', (error) => {
        this.#release(folder, instance);
        reject(error);
      });
      if (body) body.pipe(request);
      else request.end();
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map(({ program }) => program.stop()));
    rmSync(this.#sockets, { recursive: true, force: true });
  }

  async #take(folder: string): Promise<Instance> {
    const free = this.#free.get(folder)?.pop();
    if (free) return free;
    const started = this.#started.get(folder) ?? 0;
    if (started >= MOST)
      return new Promise((resolve) => {
        this.#waiting.set(folder, [...(this.#waiting.get(folder) ?? []), resolve]);
      });
    this.#started.set(folder, started + 1);
    return this.#start(folder);
  }

  #release(folder: string, instance: Instance): void {
    const [next, ...others] = this.#waiting.get(folder) ?? [];
    this.#waiting.set(folder, others);
    if (next) next(instance);
    else this.#free.set(folder, [...(this.#free.get(folder) ?? []), instance]);
  }

  async #start(folder: string): Promise<Instance> {
    const config = JSON.parse(readFileSync(path.join(folder, '.vc-config.json'), 'utf8')) as Config;
    const socket = path.join(this.#sockets, String(await freePort()));
    const file = path.join(import.meta.dirname, 'instance.cjs');
    const kind = config.useWebApi ? 'web' : 'node';
    const program = new Program({
      command: [process.execPath, file, folder, config.handler, kind, socket],
      cwd: folder,
      env: this.#env,
      log: this.#log,
      answers: () => listens(socket),
      everyMs: 5,
    });
    this.#all.push({ program, socket });
    try {
      await program.start();
    } catch (error) {
      // the next request may try again
      this.#started.set(folder, (this.#started.get(folder) ?? 1) - 1);
      throw error;
    }
    return { program, socket };
  }
}

const listens = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const tried = net.connect(socket, () => resolve(true));
    tried.once('error', () => resolve(false));
    tried.once('connect', () => tried.destroy());
  });
