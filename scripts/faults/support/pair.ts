// Two PostgreSQL servers: a leader, and a replica that must confirm each commit of the leader. The servers are
// created, failed over and repaired by the steps, settings and SQL of docs/operate/failover.md.
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { until } from '#testing/net/until.ts';
import { documentedBlock } from './documented.ts';
import { Member } from './member.ts';
import type { Postgres } from './postgres.ts';

const OWNER = 'gatehouse';

export class Pair {
  leader: Member;
  replica: Member;
  readonly #password: string;

  private constructor(leader: Member, replica: Member, password: string) {
    this.leader = leader;
    this.replica = replica;
    this.#password = password;
  }

  /**
   * Starts both servers; `fill` prepares the leader's data. `quick`: disables fsync, because these faults never cut
   * power.
   */
  static async create(
    folder: string,
    quick: boolean,
    fill: (leader: Postgres) => Promise<void>,
  ): Promise<Pair> {
    const password = randomBytes(24).toString('hex');
    const owner = { name: OWNER, password };
    const pair = new Pair(await Member.at(folder, 'a', owner), await Member.at(folder, 'b', owner), password);
    await pair.#initialise(quick);
    await fill(pair.leader);
    const { leader, replica } = pair;
    await replica.run(
      'pg_basebackup',
      '-D',
      replica.folder,
      '-d',
      pair.#way(leader.port),
      '-c',
      'fast',
      '--no-sync',
    );
    await pair.#follow();
    return pair;
  }

  async #initialise(quick: boolean): Promise<void> {
    const { leader } = this;
    const passwordFile = `${leader.folder}.password`;
    // initdb reads this file under PostgreSQL's account
    writeFileSync(passwordFile, this.#password, { mode: 0o644 });
    const options = [`--username=${OWNER}`, '--encoding=UTF8', '--locale=C', '--no-sync'];
    const auth = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    await leader.run('initdb', '-D', leader.folder, ...options, ...auth);
    rmSync(passwordFile);
    const rules = documentedBlock('text', 'pg_hba.conf', { '10.0.0.0/24': '127.0.0.1/32' });
    leader.write('pg_hba.conf', `${rules}host all ${OWNER},service 127.0.0.1/32 scram-sha-256\n`);
    const settings = documentedBlock('ini', 'high-availability.conf');
    const more = `max_connections = 200\n${quick ? 'fsync = off\n' : ''}`;
    leader.write('postgresql.conf', `${settings}${more}`, 'a');
    await leader.start();
    await leader.createServiceRole();
    const roles = documentedBlock('sql', 'on the leader', { 'a long password': this.#password });
    await leader.asOwner((client) => client.query(roles), 'postgres');
  }

  /** Returns the replication URL for a server port. */
  #way(port: number): string {
    return `postgres://replicator:${this.#password}@127.0.0.1:${port}/postgres`;
  }

  /** Starts the replica, waits until it catches up, then enables synchronous replication. */
  async #follow(): Promise<void> {
    const { leader, replica } = this;
    const way = this.#way(leader.link.port);
    replica.write('postgresql.auto.conf', `primary_conninfo = '${way}'\nsynchronous_standby_names = ''\n`);
    replica.write('standby.signal', '');
    await replica.start();
    await this.#untilReplica("state = 'streaming'");
    await leader.set('synchronous_standby_names', replica.name);
    await this.#untilReplica("sync_state = 'sync'");
  }

  async #untilReplica(condition: string): Promise<void> {
    const { leader, replica } = this;
    const text = `select from pg_stat_replication where application_name = $1 and ${condition}`;
    const holds = () =>
      leader.asOwner(async (client) => (await client.query(text, [replica.name])).rowCount === 1, 'postgres');
    if (!(await until(holds)))
      throw new Error(`${replica.name} does not follow; ${replica.folder}.log says why`);
  }

  /** Detaches the replica: later commits exist only on the leader. */
  async leave(): Promise<void> {
    await this.replica.set('primary_conninfo', '');
  }

  /**
   * Promotes the replica, now called `leader`. The old leader must be stopped, or detached so long that it receives no
   * connections (docs/operate/failover.md).
   */
  async promote(): Promise<void> {
    [this.leader, this.replica] = [this.replica, this.leader];
    await this.leader.asOwner((client) => client.query('select pg_promote()'), 'postgres');
  }

  /** Turns the stopped old leader into the replica. */
  async rejoin(): Promise<void> {
    const { leader, replica } = this;
    // without a checkpoint, pg_rewind may miss the leader's new timeline
    await leader.asOwner((client) => client.query('checkpoint'), 'postgres');
    const source = `--source-server=${this.#way(leader.port)}`;
    await replica.run('pg_rewind', '-D', replica.folder, source, '--no-sync');
    await this.#follow();
  }

  async stop(): Promise<void> {
    for (const member of [this.replica, this.leader]) {
      await member.kill();
      await member.link.close();
    }
  }
}
