// Direct SQL: counts what a request left behind, ends lifetimes, and makes people and clients of a test's own.
import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';

const pool = new pg.Pool({
  connectionString: process.env['E2E_DATABASE_URL'],
  max: 4,
  allowExitOnIdle: true,
});
// a lost idle connection is replaced; without a listener it would end the worker, outside of every test
pool.on('error', () => {});

export async function sql<Row = Record<string, unknown>>(
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await pool.query(text, values)).rows as Row[];
}

/** Tells a method of the fixtures where the provider is that a test has started; by the set-up, before the tests. */
export async function configureMethod(databaseUrl: string, id: string, config: object): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('update auth_methods set config = config || $2::jsonb where id = $1', [
    id,
    JSON.stringify(config),
  ]);
  await client.end();
}

export const sha256 = (value: string) => createHash('sha256').update(value).digest();

const unique = (prefix: string) => `${prefix}-${randomBytes(6).toString('hex')}`;

export type Person = { id: string; email: string; password: string };

/** A person of this test's own, who has the password of the person named. */
export async function makePerson(like: { email: string; password: string }): Promise<Person> {
  const email = `${unique('person')}@example.com`;
  const [row] = await sql<{ id: string }>(
    `insert into people (email, name, password_hash)
     select $1, 'Test Person', password_hash from people where email = $2 and password_hash is not null returning id`,
    [email, like.email],
  );
  if (!row) throw new Error(`${like.email} is not in the database`);
  return { id: row.id, email, password: like.password };
}

export type Client = { clientId: string; secret?: string; redirectUri: string };

type ClientKind = {
  kind: 'confidential' | 'browser' | 'native';
  redirectUris?: string[];
  name?: string;
  trusted?: boolean;
  apis?: string[];
  scopes?: string[];
  state?: string;
  secret?: string;
};

/** A client of this test's own, subscribed to `apis`. */
export async function makeClient(options: ClientKind): Promise<Client> {
  const { kind, trusted = false, apis = ['orders'], scopes = [], state = 'approved' } = options;
  const clientId = unique(kind);
  const redirectUris = options.redirectUris ?? [`https://${clientId}.example/cb`];
  const type = kind === 'confidential' ? 'web' : kind;
  await sql(
    `insert into clients (client_id, name, confidential, application_type, redirect_uris)
     values ($1, $2, $3, $4, $5)`,
    [clientId, options.name ?? `Test ${kind}`, kind === 'confidential', type, redirectUris],
  );
  for (const api of apis) {
    await sql(
      'insert into subscriptions (client_id, api_id, state, trusted, scopes) values ($1, $2, $3, $4, $5)',
      [clientId, api, state, trusted, scopes],
    );
  }
  const redirectUri = redirectUris[0] ?? '';
  if (kind !== 'confidential') return { clientId, redirectUri };
  const secret = options.secret ?? randomBytes(24).toString('base64url');
  await sql('insert into client_secrets (client_id, secret_hash) values ($1, $2)', [
    clientId,
    sha256(secret),
  ]);
  return { clientId, secret, redirectUri };
}

/** An API of this test's own, like orders but for `changes` (columns of its row). */
export async function makeApi(changes: Record<string, string | number | boolean>): Promise<{ id: string }> {
  const id = unique('api');
  const columns = Object.entries(changes).map(([name, value]) => `${name} = '${value}'`);
  await sql(
    `insert into apis (id, name, url, access_token_ttl, access_token_format, signing_alg, refresh_token_ttl, refresh_family_ttl)
     select $1, name, 'https://api.example/' || $1, access_token_ttl, access_token_format, signing_alg, refresh_token_ttl, refresh_family_ttl
     from apis where id = 'orders'`,
    [id],
  );
  await sql(
    "insert into api_scopes (api_id, name, description) select $1, name, description from api_scopes where api_id = 'orders'",
    [id],
  );
  await sql("insert into combinations (auth_method_id, api_id) values ('pw', $1)", [id]);
  if (columns.length > 0) await sql(`update apis set ${columns.join(', ')} where id = $1`, [id]);
  return { id };
}

/** What a client's requests have left in the database; equal before and after where nothing may change. */
export async function rowsOf(clientId: string): Promise<Record<string, unknown>> {
  const [row] = await sql(
    `select (select count(*)::int from codes where client_id = $1) as codes,
       (select count(*)::int from codes where client_id = $1 and used_at is not null) as used_codes,
       (select count(*)::int from token_families where client_id = $1) as families,
       (select count(*)::int from token_families where client_id = $1 and revoked_at is not null) as revoked_families,
       (select count(*)::int from refresh_tokens join token_families f on f.id = family_id where f.client_id = $1) as refresh_tokens,
       (select count(*)::int from consents where client_id = $1) as consents`,
    [clientId],
  );
  return row ?? {};
}

/** The address that the test of the limit for an address calls from; all others call from localhost. */
export const SECOND_ADDRESS = '127.0.0.9';

/** `account`: the method, or `(local)`, and the username; `address`: what is counted, and the block. */
export const limitKey = (kind: '4account' | '3address', name: string) =>
  `${kind}:${sha256(name).toString('base64url')}`;

/** Forgets the wrong passwords from localhost, which all tests share; an account's are its own test's. */
export async function clearAddressAttempts(): Promise<void> {
  await sql("delete from attempts where key ~ '^[23]' and key <> $1", [
    limitKey('3address', `passwords ${SECOND_ADDRESS}`),
  ]);
}
