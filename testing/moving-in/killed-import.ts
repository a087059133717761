// Import killed with SIGKILL in the real command line, and its database rows.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { withClient } from '../data/sql.ts';
import { until } from '../net/until.ts';
import { gatehouse } from '../service/service.ts';

const MAIN = path.resolve(import.meta.dirname, '../../cli/main.ts');

const REGISTRY = {
  auth_methods: [
    { id: 'local', type: 'local', name: 'Password' },
    {
      ...{ id: 'broker', type: 'broker', name: 'Broker', issuer: 'https://broker.example' },
      ...{ client_id: 'gatehouse', client_secret: 'x' },
    },
  ],
  groups: [{ id: 'staff', name: 'Staff' }],
  apis: [
    {
      ...{
        id: 'orders',
        name: 'Orders',
        url: 'https://api.example/orders',
        auth_methods: ['local', 'broker'],
      },
      scopes: [{ name: 'read', description: 'Read' }],
    },
  ],
  clients: [
    {
      client_id: 'shop',
      client_name: 'Shop',
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1/cb'],
    },
  ],
  subscriptions: [{ client_id: 'shop', api: 'orders' }],
};

/** Creates the objects that the lines of `writeImport` name, in a migrated database. */
export function prepare(env: NodeJS.ProcessEnv, folder: string): void {
  const file = path.join(folder, 'registry.yaml');
  writeFileSync(file, JSON.stringify(REGISTRY));
  gatehouse(env, 'apply', file);
}

/** hash that `htpasswd -nbBC 12` created */
const BCRYPT = '$2y$12$WLgXLJ5uGZ4ps5SqBVYB7.kHKSRqEYVDmRW5RiXjmoO.Lw4cu6Zr2';

const personAt = (n: number) => ({
  ...{ email: `n${n}@many.example`, email_verified: n % 2 === 0, username: `many${n}`, name: `Person ${n}` },
  ...{ password: { hash: BCRYPT }, created_at: new Date(1_500_000_000_000 + n * 1_000).toISOString() },
  ...(n % 3 === 0 && { subject: `auth0|${n}` }),
  ...(n % 5 === 0 && {
    identities: [{ auth_method: 'broker', subject: String(n), email: `n${n}@many.example` }],
  }),
  ...(n % 7 === 0 && { groups: ['staff'] }),
  ...(n % 11 === 0 && { totp: { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' } }),
  ...(n % 13 === 0 && {
    consents: [{ client_id: 'shop', api: 'orders', scopes: ['read'], given_at: '2026-01-02T03:04:05Z' }],
  }),
});

/** End of the tokens' lifetime, within a year, because the database would shorten a longer lifetime. */
const END = new Date(Date.now() + 30 * 86_400_000).toISOString();
const tokenAt = (n: number) => ({
  ...{ sha256: n.toString(16).padStart(64, '0'), client_id: 'shop', api: 'orders', auth_method: 'local' },
  ...{ subject: `auth0|${n}`, scopes: ['read'], auth_time: '2026-01-02T03:04:05Z', expires_at: END },
});

/**
 * Writes `DIR/people.jsonl` with this number of people, and `DIR/tokens.jsonl` with a refresh token for every sixth
 * person.
 */
export function writeImport(folder: string, people: number): void {
  mkdirSync(folder, { recursive: true });
  write(path.join(folder, 'people.jsonl'), people, personAt);
  write(path.join(folder, 'tokens.jsonl'), Math.floor((people - 1) / 6) + 1, (n) => tokenAt(n * 6));
}

function write(file: string, lines: number, lineAt: (n: number) => object): void {
  const to = openSync(file, 'w', 0o600);
  for (let n = 0; n < lines; n += 1) writeSync(to, `${JSON.stringify(lineAt(n))}\n`);
  closeSync(to);
}

/** Source of a module that the measured process loads. It prints the process's peak memory at exit. */
const MEASURE = `let heap = 0;
const look = () => { heap = Math.max(heap, process.memoryUsage().heapUsed) };
setInterval(look, 50).unref();
process.on('exit', () => { look(); process.stderr.write('MEASURED ' + JSON.stringify({
  rss: Math.round(process.resourceUsage().maxRSS / 1024), heap: Math.round(heap / 1048576) }) + '\\n') });`;

/** Result of a run. `rss`, `heap`: peak memory in MiB; null if the process was killed. */
export type Imported = {
  status: number | null;
  said: string;
  seconds: number;
  rss: number | null;
  heap: number | null;
};

/**
 * Runs the import. `killAt`: kills the import when the database contains this number of users, then tokens.
 */
export async function importPeople(
  env: NodeJS.ProcessEnv & { DATABASE_URL?: string },
  folder: string,
  { killAt, heapMb = 96 }: { killAt?: number; heapMb?: number } = {},
): Promise<Imported> {
  const began = performance.now();
  const flags = [
    `--max-old-space-size=${heapMb}`,
    '--import',
    `data:text/javascript,${encodeURIComponent(MEASURE)}`,
  ];
  const child = spawn(process.execPath, [...flags, MAIN, 'people', 'import', folder], { env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  if (killAt !== undefined) {
    await withClient(env.DATABASE_URL ?? '', async (client) => {
      const text = `select ((select count(*) from people where import_run is not null)
        + (select count(*) from former_tokens))::int as n`;
      const there = async () => ((await client.query(text)).rows[0]?.n ?? 0) >= killAt;
      await until(async () => child.exitCode !== null || (await there()), { seconds: 600, everyMs: 1 });
    });
    child.kill('SIGKILL');
  }
  const status = await ended;
  const measured = /MEASURED (\{.*\})/.exec(said)?.[1];
  const { rss = null, heap = null } = measured ? (JSON.parse(measured) as { rss: number; heap: number }) : {};
  return { status, said, seconds: (performance.now() - began) / 1000, rss, heap };
}

/**
 * Returns all imported rows as text, without values that differ per run: creation and verification times, sealed
 * secrets, generated ids and epochs.
 */
export const everything = (databaseUrl: string): Promise<string[]> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(`
      select 'person ' || (to_jsonb(p) - '{email_verified_at,updated_at,epoch}'::text[])::text
        || (email_verified_at is null)::text as row from people p where import_run is not null
      union all select 'identity ' || (to_jsonb(e) - '{created_at,last_seen_at}'::text[])::text
        from external_identities e
      union all select 'app ' || (to_jsonb(t) - '{id,sealed_secret,created_at}'::text[])::text from totp_secrets t
      union all select 'member ' || (to_jsonb(g) - '{created_at}'::text[])::text from group_members g
      union all select 'consent ' || (to_jsonb(c) - '{id,epoch}'::text[])::text from consents c
      union all select 'token ' || to_jsonb(f)::text from former_tokens f
      order by 1`);
    return rows.map(({ row }: { row: string }) => row);
  });
