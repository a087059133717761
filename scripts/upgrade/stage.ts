// One PostgreSQL server, and instances of two versions behind one address.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { fixtureClient, fixturePerson, type Client as Registered } from '#testing/data/fixtures.ts';
import { freePort } from '#testing/net/free-port.ts';
import { Balancer } from '../faults/support/balancer.ts';
import { Instance } from '../faults/support/instance.ts';
import { Postgres } from '../faults/support/postgres.ts';

export const ROOT = path.resolve(import.meta.dirname, '../..');
export const DATABASE = 'upgrade';
const PEOPLE = 60;
/** defaults of an operator without extra settings */
const ENV = { DRAIN_SECONDS: '3' };

export type Version = 'old' | 'new';

export class Stage {
  readonly folder: string;
  readonly postgres: Postgres;
  readonly secret = randomBytes(32).toString('base64url');
  readonly port: number;
  readonly #trees: Record<Version, string>;
  readonly #instances: Record<Version, Instance[]> = { old: [], new: [] };
  readonly #balancer = new Balancer([]);
  people: { email: string; password: string }[] = [];
  machine: Registered = fixtureClient('conf2');

  private constructor(folder: string, postgres: Postgres, port: number, oldTree: string) {
    this.folder = folder;
    this.postgres = postgres;
    this.port = port;
    this.#trees = { old: oldTree, new: ROOT };
  }

  static async open(folder: string, oldTree: string): Promise<Stage> {
    const postgres = await Postgres.create(folder, false);
    try {
      await postgres.createDatabase(DATABASE);
      const stage = new Stage(folder, postgres, await freePort(), oldTree);
      await stage.#balancer.listen(stage.port);
      return stage;
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  }

  get door(): { url: string } {
    return { url: `http://localhost:${this.port}` };
  }

  urlOf(role: 'owner' | 'service'): string {
    return this.postgres.urlOf(DATABASE, role);
  }

  /** Runs a version's command line with the owner role. Returns its output. */
  gatehouse(version: Version, ...args: string[]): string {
    const env = {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      DATABASE_URL: this.urlOf('owner'),
      GATEHOUSE_SECRET: this.secret,
      GATEHOUSE_DATA_DIR: this.folder,
      BASE_URL: this.door.url,
    } as const;
    return execFileSync(process.execPath, ['cli/main.ts', ...args], {
      cwd: this.#trees[version],
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  /** Applies the old version's schema and fixtures, including a machine client. */
  async fill(): Promise<void> {
    const fixtures = path.join(this.#trees.old, 'testing', 'data', 'fixtures.yaml');
    const file = parse(readFileSync(fixtures, 'utf8')) as { subscriptions: Record<string, unknown>[] };
    const subscription = file.subscriptions.find((one) => one['client_id'] === this.machine.clientId);
    Object.assign(subscription ?? {}, { machine: true, approved_by: fixturePerson('admin').email });
    const configuration = path.join(this.folder, 'gatehouse.json');
    writeFileSync(configuration, JSON.stringify(file));
    this.gatehouse('old', 'migrate', '--service-role', 'service');
    this.gatehouse('old', 'apply', configuration);
    const { password } = fixturePerson('alice');
    await this.postgres.asOwner(
      (client) =>
        client.query(
          `insert into people (email, name, password_hash) select 'p' || n || '@example.com', 'P', password_hash
           from people, generate_series(1, $1) n where email = 'alice@example.com'`,
          [PEOPLE],
        ),
      DATABASE,
    );
    this.people = Array.from({ length: PEOPLE }, (_, n) => ({ email: `p${n + 1}@example.com`, password }));
  }

  /** Starts two instances of a version. The load balancer sends them requests once they are ready. */
  async start(version: Version): Promise<void> {
    if (this.#instances[version].length === 0) {
      for (const name of ['a', 'b']) {
        const instance = await Instance.create({
          name: `${version}-${name}`,
          databaseUrl: this.urlOf('service'),
          secret: this.secret,
          folder: this.folder,
          baseUrl: this.door.url,
          tree: this.#trees[version],
          env: { ...ENV, ...(version === 'old' ? { GATEHOUSE_DIST_DIR: '.next' } : {}) },
        });
        this.#instances[version].push(instance);
        this.#balancer.add(instance);
      }
    }
    for (const instance of this.#instances[version]) await instance.start();
  }

  /** Stops instances sequentially like an orchestrator; each instance drains its requests. */
  async drain(version: Version): Promise<void> {
    for (const instance of this.#instances[version]) await instance.stop();
  }

  async close(): Promise<void> {
    this.#balancer.close();
    await Promise.all([...this.#instances.old, ...this.#instances.new].map((instance) => instance.kill()));
    await this.postgres.stop();
  }
}
