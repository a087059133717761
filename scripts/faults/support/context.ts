// What each fault works with: a separate database on the shared PostgreSQL, instances, clients, and the list of all
// requests (ledger).
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { applyConfiguration } from '#lib/config/apply.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { closePool } from '#lib/store/pool.ts';
import { snapshotState } from '#lib/store/snapshot.ts';
import { FIXTURES, fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import type { Door } from '#testing/net/door.ts';
import { until } from '#testing/net/until.ts';
import { Client, load } from './client.ts';
import { Instance, type InstanceOptions } from './instance.ts';
import { type Entry, Ledger } from './ledger.ts';
import type { Pair } from './pair.ts';
import type { Postgres } from './postgres.ts';

export const PASSWORD = fixturePerson('alice').password;
const TRUSTED = fixtureClient('tru');
export const PLAIN = fixtureClient('conf');
/** limit per instance, for all its pools together */
const MAX_CONNECTIONS = 10;
const TEMPLATE = 'template_faults';

type Outcome = {
  /** maximum time from the fault's end to the first successful response */
  recoverySeconds?: number;
  /** failed expectations of this fault, besides the invariants */
  broken?: string[];
  notes?: string;
};

export type Fault = {
  name: string;
  title: string;
  /** required programs; a missing program skips the fault */
  needs?: readonly string[];
  /** true: the fault needs a leader and a replica; false: it uses the PostgreSQL that all other faults share */
  onPair?: true;
  run(context: Context): Promise<Outcome>;
};

/** Creates a migrated database with fixtures and users. Each fault gets a copy. */
export async function prepareTemplate(postgres: Postgres, secret: string, people = 60): Promise<void> {
  await postgres.prepare(TEMPLATE);
  await asSettings(postgres.urlOf(TEMPLATE, 'owner'), secret, () =>
    applyConfiguration(readFileSync(FIXTURES, 'utf8'), { env: {} }),
  );
  await postgres.asOwner(
    (client) =>
      client.query(
        `insert into people (email, name, password_hash) select 'p' || n || '@example.com', 'P', password_hash
         from people, generate_series(1, $1) n where email = 'alice@example.com'`,
        [people],
      ),
    TEMPLATE,
  );
}

/** Runs core code in this process with a different database. */
export async function asSettings<T>(databaseUrl: string, secret: string, work: () => Promise<T>): Promise<T> {
  loadSettings({ DATABASE_URL: databaseUrl, GATEHOUSE_SECRET: secret, BASE_URL: 'http://localhost:3000' });
  // discard the old database's snapshot and signing keys: its version number can be equal
  delete snapshotState().known;
  try {
    return await work();
  } finally {
    await closePool();
  }
}

export class Context {
  readonly quick: boolean;
  readonly name: string;
  readonly folder: string;
  readonly #postgres: Postgres | Pair;
  readonly database: string;
  readonly secret: string;
  readonly ledger: Ledger;
  people: Person[] = [];
  readonly #instances: Instance[] = [];
  readonly #onEnd: (() => void | Promise<void>)[] = [];

  constructor(options: {
    quick: boolean;
    name: string;
    folder: string;
    postgres: Postgres | Pair;
    secret: string;
  }) {
    this.quick = options.quick;
    this.name = options.name;
    this.folder = options.folder;
    this.#postgres = options.postgres;
    this.secret = options.secret;
    this.database = `fault_${options.name.replaceAll('-', '_')}_${randomBytes(3).toString('hex')}`;
    this.ledger = new Ledger(path.join(options.folder, `${options.name}.ledger.jsonl`));
  }

  /** Single server, or current leader of a pair. */
  get postgres(): Postgres {
    return 'leader' in this.#postgres ? this.#postgres.leader : this.#postgres;
  }

  get pair(): Pair {
    if ('leader' in this.#postgres) return this.#postgres;
    throw new Error('this fault is not on a pair');
  }

  async open(): Promise<void> {
    await this.postgres.asOwner(
      (client) => client.query(`create database ${this.database} template ${TEMPLATE}`),
      'postgres',
    );
    const rows = await this.sql<{ id: string; email: string; name: string }>(
      "select id, email, name from people where email like 'p%@example.com'",
    );
    this.people = rows.map((row) => ({ ...row, password: PASSWORD }));
  }

  /** A running instance. */
  async instance(name: string, options: Partial<InstanceOptions> = {}): Promise<Instance> {
    const databaseUrl = this.postgres.urlOf(this.database, 'service');
    const { folder, secret } = this;
    const instance = await Instance.create({
      databaseUrl,
      secret,
      folder,
      name: `${this.name}-${name}`,
      ...options,
    });
    this.#instances.push(instance);
    return instance.start();
  }

  /** Creates a client. `door`: instance, or balancer. */
  client(door: Door, registered = TRUSTED): Client {
    return new Client(this.ledger, door, registered);
  }

  clients(count: number, instance: Door): Client[] {
    return Array.from({ length: count }, () => this.client(instance));
  }

  /** Runs core code in this process, on this fault's database. */
  inside<T>(work: () => Promise<T>, role: 'owner' | 'service' = 'service'): Promise<T> {
    return asSettings(this.postgres.urlOf(this.database, role), this.secret, work);
  }

  async sql<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.postgres.asOwner(
      async (client) => (await client.query<Row>(text, values)).rows,
      this.database,
    );
  }

  person(index: number): Person {
    const person = this.people[index % this.people.length];
    if (!person) throw new Error('there are no people');
    return person;
  }

  /** Starts clients that refresh until stopped. Resolves after each client signed in. */
  async busy(instance: Door, clients: number): Promise<() => Promise<void>> {
    const stop = load(this.clients(clients, instance), this.people);
    // stops the load even if the fault throws an error
    this.onEnd(stop);
    const isSignIn = ({ kind, status, at }: Entry) =>
      kind === 'password' && status === 200 && at === instance.url;
    const signedIn = () => this.ledger.entries.filter(isSignIn).length;
    await until(() => signedIn() >= clients, { seconds: 120 });
    return stop;
  }

  /** Measures the seconds until a sign-in succeeds. Gives up after 60 seconds. */
  async untilSomebodyGetsIn(instance: Door): Promise<number> {
    const began = performance.now();
    const client = this.client(instance);
    const { email } = this.person(this.people.length - 1);
    await until(async () => (await client.signIn(email, PASSWORD)) !== null, { seconds: 60, everyMs: 25 });
    return (performance.now() - began) / 1000;
  }

  /** Checks that all pool slots are free: forty concurrent requests must all succeed. */
  async lostSlots(instance: Instance): Promise<string[]> {
    const unknown = `ghr_${'A'.repeat(43)}`;
    const answers = await Promise.all(
      this.clients(40, instance).map((client) => client.isActive(unknown, 'none')),
    );
    const failed = answers.filter((answer) => answer === null).length;
    const broken = failed > 0 ? [`${failed} of 40 requests failed after the fault`] : [];
    const isWhole = async () => {
      const { busy, idle, waiting } = await instance.pool();
      return waiting === 0 && busy === 0 && idle > 0 && idle <= MAX_CONNECTIONS;
    };
    if (await until(isWhole, { seconds: 10, everyMs: 50 })) return broken;
    return [...broken, `a slot of the pool is lost: ${JSON.stringify(await instance.pool())}`];
  }

  onEnd(work: () => void | Promise<void>): void {
    this.#onEnd.push(work);
  }

  async close(): Promise<void> {
    for (const work of this.#onEnd.reverse()) await work();
    await Promise.all(this.#instances.map((instance) => instance.kill()));
    this.ledger.close();
  }
}
