// One running service: `node server.ts` with the flags of `npm start`.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '#testing/net/free-port.ts';
import { attempt } from '#testing/net/http.ts';
import { Program } from '#testing/net/program.ts';
import { runningWorkers, type Worker } from '#testing/service/workers.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  scripts: { start: string };
};
/** Node's flags of `npm start`. */
const NODE_FLAGS = scripts.start.match(/--[\w-]+=\d+/g) ?? [];

export type InstanceOptions = {
  databaseUrl: string;
  secret: string;
  folder: string;
  name: string;
  baseUrl?: string;
  env?: Record<string, string>;
  /** build folder of another version; default: this version */
  tree?: string;
  /** modules that Node loads first */
  preload?: string[];
  /** a program that runs the rest of its command line */
  prefix?: string[];
};

export class Instance extends Program {
  readonly name: string;
  readonly port: number;
  readonly metricsPort: number;

  private constructor(port: number, metricsPort: number, options: InstanceOptions) {
    const {
      databaseUrl,
      secret,
      folder,
      name,
      baseUrl,
      env,
      preload = [],
      prefix = [],
      tree = ROOT,
    } = options;
    super({
      command: [
        ...prefix,
        process.execPath,
        ...NODE_FLAGS,
        ...preload.flatMap((file) => ['--import', file]),
        'server.ts',
      ],
      cwd: tree,
      log: path.join(folder, `${name}.log`),
      answers: async () => (await attempt(`http://127.0.0.1:${port}/ready`)).status === 200,
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        MALLOC_TRIM_THRESHOLD_: '131072',
        MALLOC_ARENA_MAX: '2',
        NODE_ENV: 'production',
        NEXT_TELEMETRY_DISABLED: '1',
        GATEHOUSE_DIST_DIR: process.env['GATEHOUSE_DIST_DIR'] ?? '.next-test',
        GATEHOUSE_DATA_DIR: folder,
        LOG_LEVEL: 'info',
        HOST: '127.0.0.1',
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        DRAIN_SECONDS: '1',
        GATEHOUSE_WORKERS: '1',
        DATABASE_URL: databaseUrl,
        GATEHOUSE_SECRET: secret,
        BASE_URL: baseUrl ?? `http://localhost:${port}`,
        ...env,
      },
    });
    this.name = name;
    this.port = port;
    this.metricsPort = metricsPort;
  }

  /** Creates an instance and chooses its ports, but does not start it. */
  static async create(options: InstanceOptions): Promise<Instance> {
    return new Instance(await freePort(), await freePort(), options);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** URL for browsers; cookies and redirects require its host */
  get door(): { url: string } {
    return { url: `http://localhost:${this.port}` };
  }

  /** Returns the running workers of an instance with several workers. */
  workers(): Worker[] {
    return runningWorkers(this.launch.log);
  }

  /** Returns the numbers of busy, idle and waiting connections in the instance's pool. */
  async pool(): Promise<{ busy: number; idle: number; waiting: number }> {
    const { text } = await attempt(`http://127.0.0.1:${this.metricsPort}/metrics`);
    const read = (state: string) =>
      Number(new RegExp(`gatehouse_database_connections\\{state="${state}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
    return { busy: read('busy'), idle: read('idle'), waiting: read('waiting') };
  }
}
