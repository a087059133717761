// What a browser test needs to exist in the registry: its own person and its own client, so that no test sees the
// consents or limits of another. Clients are written to the database because their redirect addresses name ports that
// are known only once their servers listen.
import { createHash, randomBytes } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import pg from 'pg';

export type Person = { id: string; email: string; name: string; password: string };
export type TestClient = {
  clientId: string;
  name: string;
  secret: string;
  redirectUris: string[];
};
export type TestApi = { id: string; name: string; scopes: { name: string; description: string }[] };
export type MethodType = 'local' | 'external' | 'broker';
type ClientSpec = {
  type: 'confidential' | 'browser' | 'native';
  redirectUris: string[];
  name?: string;
  /** an approved, trusted subscription */
  trusted?: boolean;
};

export type World = {
  baseUrl: string;
  api: TestApi;
  /** the local method at the API */
  issuer: string;
  issuerOf(type: MethodType): string;
  givenPerson(): Promise<Person>;
  givenClient(spec: ClientSpec): Promise<TestClient>;
  /** the scopes that a person agreed to; null without a consent */
  consentOf(person: Person, client: TestClient): Promise<string[] | null>;
  /** how many codes were made for a client */
  codesOf(client: TestClient): Promise<number>;
  close(): Promise<void>;
};

export async function openWorld(): Promise<World> {
  const baseUrl = setting('E2E_BASE_URL').replace(/\/$/, '');
  const pool = new pg.Pool({ connectionString: setting('E2E_DATABASE_URL'), max: 2 });
  const api = await readApi(pool, 'orders');
  const methods = await readMethods(pool, api.id);
  const issuerOf = (type: MethodType) => {
    const method = methods.find((one) => one.type === type);
    if (!method) throw new Error(`the fixtures hold no ${type} method for ${api.id}`);
    return `${baseUrl}/auth/${method.id}/api/${api.id}`;
  };
  return {
    baseUrl,
    api,
    issuer: issuerOf('local'),
    issuerOf,
    givenPerson: () => insertPerson(pool),
    givenClient: (spec) => insertClient(pool, api.id, spec),
    consentOf: async (person, client) => {
      const { rows } = await pool.query(
        'select scopes from consents where person_id = $1 and client_id = $2 and api_id = $3',
        [person.id, client.clientId, api.id],
      );
      return rows[0]?.scopes ?? null;
    },
    codesOf: async (client) => {
      const { rows } = await pool.query('select count(*)::int as n from codes where client_id = $1', [
        client.clientId,
      ]);
      return rows[0].n;
    },
    close: () => pool.end(),
  };
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

async function readApi(pool: pg.Pool, id: string): Promise<TestApi> {
  const apis = await pool.query('select id, name from apis where id = $1', [id]);
  if (apis.rows.length === 0) throw new Error(`the fixtures hold no API ${id}`);
  const scopes = await pool.query(
    'select name, description from api_scopes where api_id = $1 order by position',
    [id],
  );
  return { ...apis.rows[0], scopes: scopes.rows };
}

async function readMethods(pool: pg.Pool, apiId: string): Promise<{ id: string; type: MethodType }[]> {
  const { rows } = await pool.query(
    `select m.id, m.type from auth_methods m join combinations c on c.auth_method_id = m.id
      where c.api_id = $1 order by m.id`,
    [apiId],
  );
  return rows;
}

async function insertPerson(pool: pg.Pool): Promise<Person> {
  const mark = randomBytes(6).toString('hex');
  const person = {
    email: `browser-${mark}@example.com`,
    name: `Browser ${mark}`,
    password: `horse staple ${randomBytes(6).toString('hex')}`,
  };
  const { rows } = await pool.query(
    'insert into people (email, name, password_hash) values ($1, $2, $3) returning id',
    [person.email, person.name, await hash(person.password)],
  );
  return { id: rows[0].id, ...person };
}

async function insertClient(pool: pg.Pool, apiId: string, spec: ClientSpec): Promise<TestClient> {
  const clientId = `browser-${randomBytes(6).toString('hex')}`;
  const client = {
    clientId,
    name: spec.name ?? `Shop ${clientId.slice(-4)}`,
    secret: randomBytes(32).toString('base64url'),
    redirectUris: spec.redirectUris,
  };
  const confidential = spec.type === 'confidential';
  await pool.query(
    `insert into clients (client_id, name, confidential, application_type, redirect_uris)
     values ($1, $2, $3, $4, $5)`,
    [clientId, client.name, confidential, confidential ? 'web' : spec.type, spec.redirectUris],
  );
  if (confidential) {
    const digest = createHash('sha256').update(client.secret).digest();
    await pool.query('insert into client_secrets (client_id, secret_hash) values ($1, $2)', [
      clientId,
      digest,
    ]);
  }
  await pool.query(
    `insert into subscriptions (client_id, api_id, state, trusted) values ($1, $2, 'approved', $3)`,
    [clientId, apiId, spec.trusted ?? false],
  );
  return client;
}
