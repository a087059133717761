// What a browser test needs to exist in the registry: its own person and its own client, so that no test sees the
// consents or limits of another. Clients are written to the database because their redirect addresses name ports that
// are known only once their servers listen.
import { randomBytes } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import { issuerOf as issuerAt } from '#testing/door.ts';
import { makeClient, sql } from './database.ts';
import { nodeDoor } from './doors.ts';

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
};

export async function openWorld(): Promise<World> {
  const api = await readApi('orders');
  const methods = await readMethods(api.id);
  const issuerOf = (type: MethodType) => {
    const method = methods.find((one) => one.type === type);
    if (!method) throw new Error(`the fixtures hold no ${type} method for ${api.id}`);
    return issuerAt(nodeDoor, method.id, api.id);
  };
  return {
    baseUrl: nodeDoor.url,
    api,
    issuer: issuerOf('local'),
    issuerOf,
    givenPerson,
    givenClient,
    consentOf: async (person, client) => {
      const [row] = await sql<{ scopes: string[] }>(
        'select scopes from consents where person_id = $1 and client_id = $2 and api_id = $3',
        [person.id, client.clientId, api.id],
      );
      return row?.scopes ?? null;
    },
    codesOf: async ({ clientId }) =>
      (await sql('select 1 from codes where client_id = $1', [clientId])).length,
  };
}

async function readApi(id: string): Promise<TestApi> {
  const [api] = await sql<{ id: string; name: string }>('select id, name from apis where id = $1', [id]);
  if (!api) throw new Error(`the fixtures hold no API ${id}`);
  const scopes = await sql<TestApi['scopes'][number]>(
    'select name, description from api_scopes where api_id = $1 order by position',
    [id],
  );
  return { ...api, scopes };
}

function readMethods(apiId: string): Promise<{ id: string; type: MethodType }[]> {
  return sql(
    `select m.id, m.type from auth_methods m join combinations c on c.auth_method_id = m.id
      where c.api_id = $1 order by m.id`,
    [apiId],
  );
}

const mark = () => randomBytes(6).toString('hex');

async function givenPerson(): Promise<Person> {
  const known = mark();
  const person = {
    email: `browser-${known}@example.com`,
    name: `Browser ${known}`,
    password: `horse staple ${mark()}`,
  };
  const [row] = await sql<{ id: string }>(
    'insert into people (email, name, password_hash) values ($1, $2, $3) returning id',
    [person.email, person.name, await hash(person.password)],
  );
  return { id: row?.id ?? '', ...person };
}

async function givenClient({ type, redirectUris, name, trusted = false }: ClientSpec): Promise<TestClient> {
  const shown = name ?? `Shop ${mark().slice(-4)}`;
  const { clientId, secret = '' } = await makeClient({ kind: type, redirectUris, name: shown, trusted });
  return { clientId, name: shown, secret, redirectUris };
}
