// Ory Hydra on PostgreSQL, from the binary in HYDRA_BIN: `hydra serve all` without development mode, JWT access tokens,
// an ES256 key, a pool of 10 connections. Hydra has no login page: its browser is redirected to a login and a consent app,
// which accept the requests at the admin API. This file is both apps. They remember the user, as the documentation
// recommends.
import path from 'node:path';
import { freePort } from '#testing/net/free-port.ts';
import { isOk } from '#testing/net/program.ts';
import { Caller, Cookies, get, json, type Reply } from '../client.ts';
import { createDatabase } from '../database.ts';
import { launchServer } from '../targets.ts';
import * as values from '../values.ts';
import {
  AUTHORIZATION,
  type Form,
  locationOf,
  Missing,
  type Peer,
  type Running,
  requireStatus,
  runProgram,
  type Send,
} from './peer.ts';

const { API_URL, CLIENT, CLIENT_SECRET } = values;
const SCOPE = ['offline_access', ...values.SCOPES].join(' ');
const LOGIN = 'https://login.bench.example';
const ACCEPT = '/admin/oauth2/auth/requests';
const POOL = 10;

export const hydra: Peer = {
  title: 'Ory Hydra',
  install: async () => {
    await versionOf(binary());
  },
  start: async ({ world, folder, core }) => {
    const program = path.resolve(binary());
    const [port, adminPort] = [await freePort(), await freePort()];
    const database = await createDatabase(world.databaseUrl, 'bench_hydra');
    database.searchParams.set('sslmode', 'disable');
    database.searchParams.set('max_conns', String(POOL));
    database.searchParams.set('max_idle_conns', String(POOL));
    const env = settings(String(database), port, adminPort);
    await runProgram(program, ['migrate', 'sql', '--read-from-env', '--yes'], { env });
    const launch = () =>
      launchServer({
        name: 'hydra',
        command: [program, 'serve', 'all', '--sqa-opt-out'],
        env,
        folder,
        core,
        answers: () => isOk(`http://127.0.0.1:${adminPort}/health/ready`),
      });
    // the key and the client are created before the measured start, like those of other peers
    const first = await launch();
    await register(adminPort).finally(first.stop);
    const server = await launch();
    const apps = new Apps(adminPort);
    return {
      ...server,
      port,
      version: await versionOf(program),
      token: '/oauth2/token',
      jwks: '/.well-known/jwks.json',
      client: { client_id: CLIENT, client_secret: CLIENT_SECRET },
      parameters: { code: {}, refresh: {}, machine: { audience: API_URL, scope: values.SCOPES.join(' ') } },
      signIn: async (send) => {
        const browser = new Cookies();
        await apps.authorize(send, browser, AUTHORIZATION);
        return browser;
      },
      authorize: (send, browser, request) => apps.authorize(send, browser, request),
      introspection: { path: '/admin/oauth2/introspect', port: adminPort },
      // Hydra opens a second connection inside of a transaction: with more callers than connections, all of them wait
      mostCallers: { 'client-credentials': POOL },
      stop: async () => {
        apps.close();
        await server.stop();
      },
    } satisfies Running;
  },
};

function binary(): string {
  const program = process.env['HYDRA_BIN'];
  if (program) return program;
  throw new Missing('Ory Hydra needs its binary: set HYDRA_BIN to the path of `hydra`, version 2 or later');
}

async function versionOf(program: string): Promise<string> {
  const { stdout } = await runProgram(program, ['version']).catch((cause: Error) => {
    throw new Missing(`HYDRA_BIN=${program} does not run: set it to the path of \`hydra\``, { cause });
  });
  return /^Version:\s*(\S+)/m.exec(stdout)?.[1] ?? 'unknown';
}

const settings = (dsn: string, port: number, adminPort: number): Record<string, string> => ({
  DSN: dsn,
  SECRETS_SYSTEM: 'bench-system-secret-not-for-production',
  URLS_SELF_ISSUER: `https://localhost:${port}/`,
  URLS_LOGIN: `${LOGIN}/login`,
  URLS_CONSENT: `${LOGIN}/consent`,
  STRATEGIES_ACCESS_TOKEN: 'jwt',
  STRATEGIES_JWT_SCOPE_CLAIM: 'string',
  WEBFINGER_JWKS_BROADCAST_KEYS: 'hydra.openid.id-token,hydra.jwt.access-token',
  SERVE_PUBLIC_HOST: '127.0.0.1',
  SERVE_PUBLIC_PORT: String(port),
  SERVE_ADMIN_HOST: '127.0.0.1',
  SERVE_ADMIN_PORT: String(adminPort),
  LOG_LEVEL: 'warn',
  SQA_OPT_OUT: 'true',
});

async function register(adminPort: number): Promise<void> {
  const caller = await Caller.connect(adminPort);
  const create = async (address: string, content: object) =>
    requireStatus(await caller.send(json('POST', address, content)), 201, address);
  // Hydra would generate a large RSA key at the first request that needs a missing key
  for (const set of ['hydra.jwt.access-token', 'hydra.openid.id-token'])
    await create(`/admin/keys/${set}`, { alg: 'ES256', use: 'sig', kid: set });
  await create('/admin/clients', {
    client_id: CLIENT,
    client_secret: CLIENT_SECRET,
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    response_types: ['code'],
    redirect_uris: [values.REDIRECT_URI],
    scope: SCOPE,
    audience: [API_URL],
    token_endpoint_auth_method: 'client_secret_post',
    skip_consent: true,
  });
  caller.close();
}

/** The login app and the consent app: they read and accept each request at the admin API, over kept connections. */
class Apps {
  readonly #port: number;
  readonly #idle: Caller[] = [];
  #users = 0;
  constructor(port: number) {
    this.#port = port;
  }

  async authorize(send: Send, browser: Cookies, request: Form): Promise<Reply> {
    const visit = async (address: string) => browser.keep(await send(get(address, browser.headers)));
    const query = new URLSearchParams({ ...request, scope: SCOPE, audience: API_URL });
    const login = await visit(`/oauth2/auth?${query}`);
    const signedIn = await visit(await this.#accept('login', login));
    return visit(await this.#accept('consent', signedIn));
  }

  close(): void {
    for (const caller of this.#idle) caller.close();
  }

  /** Accepts the login or consent request of a redirect, and returns the address to which the browser continues. */
  async #accept(kind: 'login' | 'consent', redirect: Reply): Promise<string> {
    const location = locationOf(redirect);
    if (!location.startsWith(`${LOGIN}/${kind}?`))
      throw new Error(`no redirect to the ${kind} app, but status ${redirect.status}: ${location}`);
    const address = `${ACCEPT}/${kind}`;
    const query = new URL(location).search;
    const caller = this.#idle.pop() ?? (await Caller.connect(this.#port));
    const request = JSON.parse(requireStatus(await caller.send(get(address + query)), 200, kind).body) as {
      subject?: string;
    };
    const remembered = { remember: true, remember_for: 0 };
    this.#users += 1;
    const accepted =
      kind === 'login'
        ? { subject: request.subject || values.emailOf(this.#users), ...remembered }
        : {
            grant_scope: SCOPE.split(' '),
            grant_access_token_audience: [API_URL],
            session: {},
            ...remembered,
          };
    const reply = await caller.send(json('PUT', `${address}/accept${query}`, accepted));
    this.#idle.push(caller);
    const { redirect_to } = JSON.parse(requireStatus(reply, 200, kind).body) as { redirect_to: string };
    const { pathname, search } = new URL(redirect_to);
    return pathname + search;
  }
}
