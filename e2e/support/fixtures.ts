// The people and clients that the run's configuration file has put into the database.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Client } from './database.ts';

type Value = string | undefined;
type File = {
  users: { email: string; password?: string; password_env?: string }[];
  clients: {
    client_id: string;
    client_secret?: string;
    client_secret_env?: string;
    redirect_uris: string[];
  }[];
  apis: {
    id: string;
    url: string;
    scopes: { name: string }[];
    introspection_secret?: string;
    introspection_secret_env?: string;
  }[];
};

const file = parse(readFileSync(new URL('./fixtures.yaml', import.meta.url), 'utf8')) as File;

const secretOf = (given: Value, variable: Value): Value => given ?? (variable && process.env[variable]);

export function fixtureClient(clientId: string): Client {
  const found = file.clients.find((client) => client.client_id === clientId);
  if (!found) throw new Error(`fixtures.yaml has no client ${clientId}`);
  const secret = secretOf(found.client_secret, found.client_secret_env);
  return { clientId, redirectUri: found.redirect_uris[0] ?? '', ...(secret === undefined ? {} : { secret }) };
}

export function fixturePerson(name: string): { email: string; password: string } {
  const found = file.users.find((user) => user.email.startsWith(`${name}@`));
  const password = secretOf(found?.password, found?.password_env);
  if (!found || password === undefined) throw new Error(`fixtures.yaml has no ${name} with a password`);
  return { email: found.email, password };
}

export function fixtureApi(id: string): { url: string; scopes: string[]; secret: string } {
  const found = file.apis.find((api) => api.id === id);
  const secret = secretOf(found?.introspection_secret, found?.introspection_secret_env);
  if (!found || secret === undefined) throw new Error(`fixtures.yaml has no API ${id} with a credential`);
  return { url: found.url, scopes: found.scopes.map((scope) => scope.name), secret };
}
