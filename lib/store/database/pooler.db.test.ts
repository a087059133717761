// DATABASE_URL that leads to PgBouncer without a DIRECT_URL past it: told at the start, by the parameter that is not
// taken.
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/index.ts';
import { withClient } from '#testing/data/sql.ts';
import { freePort } from '#testing/net/free-port.ts';
import { Program } from '#testing/net/program.ts';
import { refusePooler } from './database.ts';
import { migrate } from './migrate.ts';
import { closePool, query, whyUnreachable } from './pool.ts';

/** Debian's. It refuses to run as root. */
const PGBOUNCER = '/usr/sbin/pgbouncer';
const direct = process.env['DATABASE_URL'] ?? '';
const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-pgbouncer-'));
// PgBouncer reads it under another account
chmodSync(folder, 0o755);
const running: Program[] = [];

async function startPooler(more: string): Promise<string> {
  const port = await freePort();
  const url = new URL(direct);
  const file = path.join(folder, `${port}.ini`);
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
${more}
`,
    { mode: 0o644 },
  );
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  url.port = String(port);
  const pooled = url.href;
  const started = new Program({
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
  running.push(started);
  await started.start();
  return pooled;
}

const said = (work: Promise<unknown>) =>
  work.then(
    () => 'taken',
    (error: unknown) => whyUnreachable(error) ?? (error as Error).message,
  );

describe.skipIf(!existsSync(PGBOUNCER))('PgBouncer in transaction mode as DATABASE_URL', () => {
  let plain = '';
  let ignoring = '';
  beforeAll(async () => {
    plain = await startPooler('');
    ignoring = await startPooler(
      'ignore_startup_parameters = statement_timeout, options, extra_float_digits',
    );
  });
  afterEach(() => closePool());
  afterAll(async () => {
    await Promise.all(running.map((one) => one.kill()));
    rmSync(folder, { recursive: true, force: true });
  });
  const use = (env: Record<string, string>) => loadSettings({ GATEHOUSE_SECRET: 'x'.repeat(43), ...env });

  test('without DIRECT_URL the start is refused with the parameter and DIRECT_URL', async () => {
    use({ DATABASE_URL: plain });
    expect(await said(refusePooler())).toMatch(
      /unsupported startup parameter.*: (statement_timeout|options).*DIRECT_URL/,
    );
    expect(await said(query({ text: 'select 1', values: [] }))).toMatch(/statement_timeout.*DIRECT_URL/);
  });
  test('where it ignores what it does not know, too', async () => {
    use({ DATABASE_URL: ignoring });
    expect(await said(refusePooler())).toMatch(/statement_timeout is not taken.*DIRECT_URL/);
  });
  test.each(['plain', 'ignoring'])(
    'with DIRECT_URL past it the service starts and asks (%s)',
    async (which) => {
      use({ DATABASE_URL: which === 'plain' ? plain : ignoring, DIRECT_URL: direct });
      expect(await said(refusePooler())).toBe('taken');
      expect(await said(migrate(direct))).toBe('taken');
      const asked = Array.from({ length: 20 }, (_, value) =>
        query<{ value: number }>({ name: 'one-of-many', text: 'select $1::int as value', values: [value] }),
      );
      expect((await Promise.all(asked)).map(([row]) => row?.value)).toEqual(asked.map((_, value) => value));
    },
  );
  test('PostgreSQL itself is taken', async () => {
    use({ DATABASE_URL: direct });
    expect(await said(refusePooler())).toBe('taken');
  });
});
