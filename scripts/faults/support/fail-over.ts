// HAProxy and PgBouncer between the service and a pair of PostgreSQL servers, configured as in
// docs/operate/{failover,database}.md.
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { commandAs, unprivilegedAccount } from '#lib/embedded-database/postgres-process.ts';
import { withClient } from '#testing/data/sql.ts';
import type { Door } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { Program } from '#testing/net/program.ts';
import { isInstalled } from '#testing/net/proxies.ts';
import { until } from '#testing/net/until.ts';
import type { Context } from './context.ts';
import { documentedBlock } from './documented.ts';
import { postgresPrograms } from './member.ts';

/**
 * Milliseconds to wait after the replica was detached from an unreachable leader, before the replica is promoted.
 * The leader notices after 3 s (`wal_sender_timeout`); HAProxy needs two failed checks (2.7 s), then no connection
 * reaches the old leader.
 */
export const LEASE_MS = 6_000;

const HOSTS: Record<string, string> = { a: '10.0.0.11:5432', b: '10.0.0.12:5432' };
/** Debian's PgBouncer, which refuses to run as root. */
const PGBOUNCER = '/usr/sbin/pgbouncer';
const PATH = `${process.env['PATH']}:/usr/sbin:/usr/local/sbin`;

/** Returns the programs that are not installed. */
export function missingPrograms(needs: readonly string[] = []): string[] {
  const isThere = (name: string) => {
    if (name === 'postgresql') return postgresPrograms() !== null;
    return name === 'pgbouncer' ? existsSync(PGBOUNCER) : isInstalled(name);
  };
  return needs.filter((name) => !isThere(name));
}

/**
 * Starts HAProxy for both servers and returns its port. `ways`: ports for reaching `a` and `b`, if different from the
 * servers' ports.
 */
export async function startHaproxy(
  context: Context,
  name: string,
  ways: Record<string, number> = {},
): Promise<number> {
  const { leader, replica } = context.pair;
  const port = await freePort();
  const reached = [leader, replica].map(({ name: of, port: own }) => [
    HOSTS[of] ?? '',
    `127.0.0.1:${ways[of] ?? own}`,
  ]);
  const file = path.join(context.folder, `${context.name}-${name}.cfg`);
  const addresses = { ...Object.fromEntries(reached), '127.0.0.1:5433': `127.0.0.1:${port}` };
  writeFileSync(file, documentedBlock('haproxy', 'haproxy.cfg', addresses));
  const program = new Program({
    command: ['haproxy', '-db', '-f', file],
    env: { ...process.env, PATH },
    log: `${file}.log`,
    answers: () => answers(context.postgres.urlOf('postgres', 'owner', port)),
  });
  context.onEnd(() => program.kill());
  await program.start();
  return port;
}

/** Starts PgBouncer in front of HAProxy's port, for this fault's database. */
export async function startPgbouncer(
  context: Context,
  haproxy: number,
): Promise<{ port: number; program: Program }> {
  const port = await freePort();
  const file = path.join(context.folder, `${context.name}-pgbouncer.ini`);
  const people = `${file}.people`;
  const url = new URL(context.postgres.urlOf(context.database, 'service'));
  writeFileSync(people, `"${url.username}" "${url.password}"\n`);
  const settings = documentedBlock('ini', 'pgbouncer.ini', {
    'gatehouse = host': `${context.database} = host`,
    'dbname=gatehouse': `dbname=${context.database}`,
    'port=5433': `port=${haproxy}`,
    'listen_port = 6432': `listen_port = ${port}`,
    '/etc/pgbouncer/userlist.txt': people,
  });
  // the socket folder is not set, because this account cannot write to Debian's default folder
  writeFileSync(file, `${settings}unix_socket_dir =\n`);
  const { file: command, args, options } = commandAs(unprivilegedAccount(), PGBOUNCER, [file], file);
  const program = new Program({
    command: [command, ...args],
    env: { ...options.env, PATH },
    log: `${file}.log`,
    answers: () => answers(context.postgres.urlOf(context.database, 'service', port)),
    everyMs: 10,
  });
  context.onEnd(() => program.kill());
  await program.start();
  return { port, program };
}

function answers(url: string): Promise<boolean> {
  return withClient(url, (client) => client.query('select 1')).then(
    () => true,
    () => false,
  );
}

/** Promotes the replica. Returns the seconds until a sign-in through this address succeeds. */
export async function promote(context: Context, door: Door): Promise<number> {
  const began = performance.now();
  await context.pair.promote();
  await context.untilSomebodyGetsIn(door);
  return (performance.now() - began) / 1000;
}

/** Checks that each instance listens for registry changes on the current leader. */
export async function deafInstances(context: Context, instances: number): Promise<string[]> {
  const text = `select from pg_stat_activity where application_name = 'gatehouse watch' and datname = $1`;
  const all = async () => (await context.sql(text, [context.database])).length >= instances;
  return (await until(all, { seconds: 30 }))
    ? []
    : ['an instance does not listen for changes of the registry'];
}

/** Faults during an outage: every error of the service must be 503. */
export function otherFaults({ ledger }: Context): string[] {
  const others = ledger.entries.filter(({ status }) => status >= 500 && status !== 503);
  return others.length === 0 ? [] : [`${others.length} × ${others[0]?.status} ${others[0]?.error}`];
}
