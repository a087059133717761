// PgBouncer in transaction mode in front of a database.
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { withClient } from '../data/sql.ts';
import { freePort } from '../net/free-port.ts';
import { Program } from '../net/program.ts';

/** Debian's PgBouncer, which refuses to run as root. */
const PGBOUNCER = '/usr/sbin/pgbouncer';
export const hasPgbouncer = (): boolean => existsSync(PGBOUNCER);

export type Pooler = { url: string; stop: () => Promise<void> };

/** Starts PgBouncer. `settings`: additional lines of its configuration file. */
export async function startPooler(direct: string, settings = ''): Promise<Pooler> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-pgbouncer-'));
  // the folder must be readable, because PgBouncer runs under another account
  chmodSync(folder, 0o755);
  const port = await freePort();
  const url = new URL(direct);
  const file = path.join(folder, 'pgbouncer.ini');
  writeFileSync(`${file}.people`, `"${url.username}" "${decodeURIComponent(url.password)}"\n`, {
    mode: 0o644,
  });
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${url.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${file}.people
pool_mode = transaction
${settings}
`,
    { mode: 0o644 },
  );
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  url.port = String(port);
  const pooled = url.href;
  const program = new Program({
    command: [PGBOUNCER, ...account, file],
    env: { ...process.env, PATH: '/usr/bin:/bin' },
    log: `${file}.log`,
    answers: () =>
      withClient(pooled, (client) => client.query('select 1')).then(
        () => true,
        () => false,
      ),
    everyMs: 20,
  });
  await program.start();
  return {
    url: pooled,
    stop: async () => {
      await program.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
