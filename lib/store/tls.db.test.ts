// sslmode against a PostgreSQL whose certificate a private authority has signed (libpq §34.19.1). Without no-verify, no
// connection is made to an unverified server, and the error names the setting to change. Covers statements and
// transactions.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { type Sql, sqlOn } from '#testing/data/sql.ts';
import { type OwnDatabase, startOwnDatabase } from '#testing/service/service.ts';
import { closePool, DatabaseUnavailable, query, whyUnreachable } from './pool.ts';
import { inTransaction } from './prisma.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
let own: OwnDatabase;
let operator: Sql;
let authority = '';

/** Creates a private CA and a `localhost` certificate, readable by PostgreSQL. */
function certificates(folder: string, owner: { uid: number; gid: number }) {
  const at = (name: string) => path.join(folder, name);
  const openssl = (...args: string[]) => {
    const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  const fresh = ['-newkey', 'rsa:2048', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...fresh,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.crt'),
    '-days',
    '30',
    '-subj',
    '/CN=Private',
  );
  openssl('req', ...fresh, '-keyout', at('tls.key'), '-out', at('tls.csr'), '-subj', '/CN=localhost');
  writeFileSync(at('tls.ext'), 'subjectAltName=DNS:localhost');
  const signed = [
    '-CA',
    at('ca.crt'),
    '-CAkey',
    at('ca.key'),
    '-CAcreateserial',
    '-days',
    '30',
    '-extfile',
    at('tls.ext'),
  ];
  openssl('x509', '-req', '-in', at('tls.csr'), '-out', at('tls.crt'), ...signed);
  chownSync(at('tls.key'), owner.uid, owner.gid);
  chmodSync(at('tls.key'), 0o600);
  chmodSync(at('tls.crt'), 0o644);
  return { key: at('tls.key'), certificate: at('tls.crt'), authority: at('ca.crt') };
}

describe.skipIf(!hasOpenssl)('libpq §34.19.1: sslmode with a private authority', () => {
  beforeAll(async () => {
    own = await startOwnDatabase();
    operator = sqlOn(own.databaseUrl);
    const [row] = await operator<{ folder: string }>("select current_setting('data_directory') as folder");
    const folder = row?.folder ?? '';
    const made = certificates(folder, statSync(folder));
    authority = made.authority;
    await operator(`alter system set ssl_cert_file = '${made.certificate}'`);
    await operator(`alter system set ssl_key_file = '${made.key}'`);
    await operator('alter system set ssl = on');
    await operator('select pg_reload_conf()');
    const isOn = async () => (await operator<{ ssl: string }>('show ssl'))[0]?.ssl === 'on';
    await vi.waitUntil(isOn, 10_000);
  });
  afterAll(async () => {
    await closePool();
    await own.stop();
  });

  /** Returns for each kind of connection whether it is encrypted, or the error message. */
  async function connect(parameters: string, host = 'localhost'): Promise<(boolean | string)[]> {
    const url = `${own.databaseUrl.replace('127.0.0.1', host)}${parameters.replace('CA', authority)}`;
    await closePool();
    loadSettings({ DATABASE_URL: url, GATEHOUSE_SECRET: 'x'.repeat(43) });
    const text = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
    const ways = [
      () => query<{ ssl: boolean }>({ text, values: [] }),
      () => inTransaction(({ run }) => run<{ ssl: boolean }>({ text })),
    ];
    return Promise.all(
      ways.map((way) =>
        way().then(
          (rows) => rows[0]?.ssl ?? false,
          (error: unknown) => whyUnreachable(error) ?? String(error),
        ),
      ),
    );
  }
  const sslrootcert = expect.stringContaining(
    'sslmode=verify-full&sslrootcert=/path/ca.crt, or NODE_EXTRA_CA_CERTS',
  );

  test.each(['prefer', 'require', 'verify-ca', 'verify-full'])(
    'sslmode=%s without a certificate authority is rejected, and the error names sslrootcert',
    async (mode) => {
      expect(await connect(`?sslmode=${mode}`)).toEqual([sslrootcert, sslrootcert]);
    },
  );
  test.each(['prefer', 'require', 'verify-ca', 'verify-full'])(
    'sslmode=%s with sslrootcert opens an encrypted connection',
    async (mode) => {
      expect(await connect(`?sslmode=${mode}&sslrootcert=CA`)).toEqual([true, true]);
    },
  );
  test.each(['require', 'verify-ca', 'verify-full'])(
    'sslmode=%s also verifies the host name',
    async (mode) => {
      const found = await connect(`?sslmode=${mode}&sslrootcert=CA`, '127.0.0.1');
      const names = expect.stringContaining('Name the host that the certificate names');
      expect(found).toEqual([names, names]);
    },
  );
  test('sslmode=no-verify encrypts without verification, and sslmode=disable or no sslmode leaves connections unencrypted', async () => {
    expect(await connect('?sslmode=no-verify')).toEqual([true, true]);
    expect(await connect('?sslmode=disable')).toEqual([false, false]);
    expect(await connect('')).toEqual([false, false]);
  });
  test('channel_binding=require connects and verifies the server certificate', async () => {
    expect(await connect('?sslmode=require&sslrootcert=CA&channel_binding=require')).toEqual([true, true]);
  });
  test('a rejected certificate of the database counts as an outage, not as an error of the request', async () => {
    await connect('');
    await closePool();
    loadSettings({
      DATABASE_URL: `${own.databaseUrl.replace('127.0.0.1', 'localhost')}?sslmode=verify-full`,
      GATEHOUSE_SECRET: 'x'.repeat(43),
    });
    await expect(query({ text: 'select 1', values: [] })).rejects.toBeInstanceOf(DatabaseUnavailable);
  });
  test('if TLS is required, the connection never falls back to plain text', async () => {
    await operator('alter system set ssl = off');
    await operator('select pg_reload_conf()');
    await vi.waitUntil(async () => (await operator<{ ssl: string }>('show ssl'))[0]?.ssl === 'off', 10_000);
    const said = expect.stringContaining('Switch ssl on there, or leave sslmode out');
    expect(await connect('?sslmode=prefer')).toEqual([said, said]);
  });
});
