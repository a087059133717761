// The environment of the browser tests: the Node server, the API `orders`, and new people and clients for each test,
// so that tests do not share consents or limits.
import { randomUUID } from 'node:crypto';
import { type Client, type FixtureApi, fixtureApi } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import { issuerOf } from '#testing/net/door.ts';
import { makeClient, makePerson, sql } from '../service/database.ts';
import { nodeDoor } from '../service/doors.ts';

export type TestClient = Client & { name: string; secret: string; redirectUris: string[] };
type ClientSpec = NonNullable<Parameters<typeof makeClient>[0]>;

const METHODS = { local: 'pw', external: 'ext', broker: 'brk' };
const at = (type: keyof typeof METHODS) => issuerOf(nodeDoor, METHODS[type]);

export type World = {
  baseUrl: string;
  api: FixtureApi;
  /** the issuer of the local method at the API */
  issuer: string;
  issuerOf: typeof at;
  givenPerson(): Promise<Person>;
  givenClient(spec: ClientSpec & { redirectUris: string[] }): Promise<TestClient>;
  /** scopes of the user's consent; null: no consent */
  consentOf(person: Person, client: TestClient): Promise<string[] | null>;
  /** number of codes issued for a client */
  codesOf(client: TestClient): Promise<number>;
};

export const world: World = {
  baseUrl: nodeDoor.url,
  api: fixtureApi('orders'),
  issuer: at('local'),
  issuerOf: at,
  givenPerson: () => makePerson(),
  async givenClient({ name = `Shop ${randomUUID().slice(0, 8)}`, ...spec }) {
    const client = await makeClient({ name, ...spec });
    return { secret: '', ...client, name, redirectUris: spec.redirectUris };
  },
  async consentOf(person, client) {
    const [row] = await sql<{ scopes: string[] }>(
      "select scopes from consents where person_id = $1 and client_id = $2 and api_id = 'orders'",
      [person.id, client.clientId],
    );
    return row?.scopes ?? null;
  },
  codesOf: async ({ clientId }) => (await sql('select 1 from codes where client_id = $1', [clientId])).length,
};
