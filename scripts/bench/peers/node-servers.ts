// The peers that run on Node: Gatehouse, node-oidc-provider and Better Auth's provider. Sessions and consents of the
// first two are rows that world.ts inserts.
import path from 'node:path';
import { withClient } from '#testing/data/sql.ts';
import { freePort } from '#testing/net/free-port.ts';
import { isOk } from '#testing/net/program.ts';
import { Cookies, get, json } from '../client.ts';
import { createDatabase } from '../database.ts';
import { providerCookie } from '../provider-world.ts';
import { endpointOf, launchServer, startTarget, TITLES } from '../targets.ts';
import * as values from '../values.ts';
import {
  basic,
  type Credentials,
  cachedFolder,
  type Peer,
  type Running,
  requireStatus,
  runProgram,
  type Send,
} from './peer.ts';

const { CLIENT, CLIENT_SECRET, ISSUER_PATH } = values;
const client = { client_id: CLIENT, client_secret: CLIENT_SECRET };
const noParameters = { code: {}, refresh: {}, machine: {} };

/** Returns the function that sends one authorization request. */
export const authorizeAt =
  (address: string, parameters: Record<string, string>): Running['authorize'] =>
  (send, browser, request) =>
    send(get(`${address}?${new URLSearchParams({ ...request, ...parameters })}`, browser.headers));

/**
 * Creates clients of the client credentials grant, because a client can have at most 10,000 active tokens. prepareWorld
 * deletes them before the next run.
 */
async function createMachines(databaseUrl: string): Promise<Credentials[]> {
  const ids = Array.from({ length: 20 }, (_, i) => `filler-machine-${i}`);
  await withClient(databaseUrl, async (db) => {
    await db.query(
      `insert into clients (client_id, name, confidential, application_type, redirect_uris)
       select id, id, true, 'web', array['https://' || id || '.example/callback'] from unnest($1::text[]) as id`,
      [ids],
    );
    await db.query(
      `insert into client_secrets (client_id, secret_hash)
       select id, sha256(convert_to(id, 'utf8')) from unnest($1::text[]) as id`,
      [ids],
    );
    await db.query(
      `insert into subscriptions (client_id, api_id, state, machine)
       select id, $2, 'approved', true from unnest($1::text[]) as id`,
      [ids, values.API],
    );
  });
  return ids.map((id) => ({ client_id: id, client_secret: id }));
}

export const gatehouse: Peer = {
  title: TITLES.node,
  install: async () => {},
  start: async ({ world, folder, core }) => {
    // sessions outlast the warm-up of all servers
    const env = { SESSION_IDLE: '43200' };
    const machines = await createMachines(world.databaseUrl);
    const target = await startTarget('node', world, { folder, core, profile: false, env });
    let next = 0;
    return {
      ...target,
      version: '',
      token: endpointOf('node', 'token'),
      jwks: `${ISSUER_PATH}/jwks`,
      client,
      machines,
      prepareMeasurement: async () => {
        await withClient(world.databaseUrl, (db) => db.query('truncate machine_tokens'));
      },
      parameters: noParameters,
      signIn: async () => {
        next += 1;
        return new Cookies(world.cookies[next % world.cookies.length]);
      },
      authorize: authorizeAt(endpointOf('node', 'authorize'), {}),
      introspection: { path: `${ISSUER_PATH}/introspect`, headers: basic(values.API, values.API_SECRET) },
    };
  },
};

export const oidcProvider: Peer = {
  title: TITLES['oidc-provider'],
  install: async () => {},
  start: async ({ world, folder, core }) => {
    const target = await startTarget('oidc-provider', world, { folder, core, profile: false });
    const version = await packageVersion('node_modules/oidc-provider');
    let next = 0;
    return {
      ...target,
      version,
      token: endpointOf('oidc-provider', 'token'),
      jwks: '/jwks',
      client,
      parameters: { ...noParameters, machine: { resource: values.API_URL } },
      // each user once: the check of a used refresh token revokes the grant of the first one
      signIn: async () => {
        next += 1;
        return new Cookies(providerCookie(next));
      },
      authorize: authorizeAt(endpointOf('oidc-provider', 'authorize'), {}),
      introspection: 'its introspection endpoint rejects JWT access tokens',
    };
  },
};

/** Versions whose dependencies match: the provider names some packages exactly. */
const BETTER_AUTH = {
  'better-auth': '1.7.5',
  '@better-auth/core': '1.7.5',
  '@better-auth/oauth-provider': '1.7.5',
  '@better-auth/utils': '0.4.2',
  '@better-fetch/fetch': '1.3.2',
  'better-call': '1.4.0',
  pg: '8.23.1',
};
const packages = Object.entries(BETTER_AUTH).map(([name, version]) => `${name}@${version}`);
const SERVER = 'scripts/bench/peers/better-auth-server.ts';

const betterAuthFolder = () =>
  cachedFolder('better-auth', packages.join(' '), async (folder) => {
    await runProgram('npm', [
      'install',
      '--prefix',
      folder,
      '--no-audit',
      '--no-fund',
      '--save-exact',
      ...packages,
    ]);
  });

export const betterAuth: Peer = {
  title: 'Better Auth',
  install: async () => {
    await betterAuthFolder();
  },
  start: async ({ world, folder, core }) => {
    const port = await freePort();
    const env = {
      NODE_ENV: 'production',
      PORT: String(port),
      DATABASE_URL: String(await createDatabase(world.databaseUrl, 'bench_better_auth')),
      PEER_FOLDER: await betterAuthFolder(),
      BETTER_AUTH_SECRET: world.secret,
      BETTER_AUTH_TELEMETRY: '0',
    };
    const node = path.resolve('node_modules/.bin/node');
    const { stdout } = await runProgram(node, [SERVER, '--prepare'], { env });
    const ownClient = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as typeof client;
    const api = '/api/auth';
    const server = await launchServer({
      name: 'better-auth',
      command: [node, SERVER],
      env: { ...env, CLIENT_ID: ownClient.client_id },
      folder,
      core,
      answers: () => isOk(`http://127.0.0.1:${port}${api}/ok`),
    });
    return {
      ...server,
      port,
      version: BETTER_AUTH['better-auth'],
      token: `${api}/oauth2/token`,
      jwks: `${api}/jwks`,
      client: ownClient,
      parameters: {
        code: { resource: values.API_URL },
        refresh: { resource: values.API_URL },
        machine: { resource: values.API_URL, scope: values.SCOPES.join(' ') },
      },
      signIn: betterAuthSignIn,
      authorize: authorizeAt(`${api}/oauth2/authorize`, {
        scope: ['offline_access', ...values.SCOPES].join(' '),
        resource: values.API_URL,
      }),
      introspection: { path: `${api}/oauth2/introspect`, form: ownClient },
    };
  },
};

async function betterAuthSignIn(send: Send): Promise<Cookies> {
  const browser = new Cookies();
  const credentials = { email: values.emailOf(0), password: values.PASSWORD };
  const reply = await send(json('POST', '/api/auth/sign-in/email', credentials));
  browser.keep(requireStatus(reply, 200, 'sign-in'));
  return browser;
}

async function packageVersion(folder: string): Promise<string> {
  const manifest = path.resolve(folder, 'package.json');
  const { default: content } = (await import(manifest, { with: { type: 'json' } })) as {
    default: { version: string };
  };
  return content.version;
}
