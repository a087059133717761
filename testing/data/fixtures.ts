// The users, clients and APIs in the fixtures, a configuration file that most tests apply.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export type Client = { clientId: string; secret?: string; redirectUri: string };

/** path of the configuration file with the fixtures */
export const FIXTURES = fileURLToPath(new URL('./fixtures.yaml', import.meta.url));

type File = {
  users: { email: string; password: string }[];
  clients: { client_id: string; client_secret?: string; redirect_uris: string[] }[];
  apis: (Omit<FixtureApi, 'secret'> & { introspection_secret: string })[];
};
export type FixtureApi = {
  id: string;
  name: string;
  url: string;
  scopes: { name: string; description: string }[];
  secret: string;
};

const { users, clients, apis } = parse(readFileSync(FIXTURES, 'utf8')) as File;

function found<T>(one: T | undefined, what: string): T {
  if (one === undefined) throw new Error(`fixtures.yaml has no ${what}`);
  return one;
}

export const fixturePeople = (): { email: string; password: string }[] =>
  users.map(({ email, password }) => ({ email, password }));

export const fixtureClients = (): Client[] =>
  clients.map(({ client_id: clientId, client_secret: secret, redirect_uris: [redirectUri = ''] }) => ({
    clientId,
    redirectUri,
    ...(secret === undefined ? {} : { secret }),
  }));

export const fixtureClient = (id: string): Client =>
  found(
    fixtureClients().find(({ clientId }) => clientId === id),
    `client ${id}`,
  );

export const fixturePerson = (name: string): { email: string; password: string } =>
  found(
    fixturePeople().find(({ email }) => email.startsWith(`${name}@`)),
    `person ${name}`,
  );

export function fixtureApi(id: string): FixtureApi {
  const { introspection_secret: secret, ...api } = found(
    apis.find((one) => one.id === id),
    `API ${id}`,
  );
  return { ...api, secret };
}
