// Keycloak on PostgreSQL: its distribution from Maven Central, built for production (`kc.sh build`, `start --optimized`),
// behind a proxy that ends TLS. Heap and pool follow its sizing guide: the heap of a container with the limit 2,250 MB, a
// pool of constant size. Keycloak commits session writes without waiting for the disk (`SET LOCAL synchronous_commit TO
// OFF`); only code redemptions and logouts are durable.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#testing/net/free-port.ts';
import { isOk } from '#testing/net/program.ts';
import { Cookies, get, post } from '../client.ts';
import { createDatabase } from '../database.ts';
import { launchServer } from '../targets.ts';
import * as values from '../values.ts';
import { authorizeAt } from './node-servers.ts';
import {
  AUTHORIZATION,
  basic,
  cachedFolder,
  Missing,
  type Peer,
  requireStatus,
  runProgram,
  type Send,
} from './peer.ts';

const VERSION = '26.7.3';
const LEAST_JAVA = 17;
const REALM = '/realms/bench';
const OPENID = `${REALM}/protocol/openid-connect`;
const { CLIENT, CLIENT_SECRET } = values;
/** two scopes of each realm, because the imported realm has no others */
const SCOPE = { scope: 'profile email' };
const PEOPLE = 64;
const DAY = 86_400;

export const keycloak: Peer = {
  title: 'Keycloak',
  install: async () => {
    await requireJava();
    await distribution();
  },
  start: async ({ world, folder, core }) => {
    const port = await freePort();
    const home = await distribution();
    const database = await createDatabase(world.databaseUrl, 'bench_keycloak');
    const env = settings(database, port);
    const realm = path.resolve(folder, 'keycloak-realm.json');
    writeFileSync(realm, JSON.stringify(realmFile()));
    await runProgram(path.join(home, 'bin/kc.sh'), ['import', '--optimized', '--file', realm], { env });
    const server = await launchServer({
      name: 'keycloak',
      command: [path.join(home, 'bin/kc.sh'), 'start', '--optimized'],
      env,
      folder,
      core,
      answers: () => isOk(`http://127.0.0.1:${port}${REALM}/.well-known/openid-configuration`),
      seconds: 300,
    });
    // Keycloak accepts used tokens of the second in which it started
    await sleep(2_000);
    let person = 0;
    return {
      ...server,
      port,
      version: VERSION,
      token: `${OPENID}/token`,
      jwks: `${OPENID}/certs`,
      client: { client_id: CLIENT, client_secret: CLIENT_SECRET },
      parameters: { code: {}, refresh: {}, machine: {} },
      signIn: (send) => {
        person += 1;
        return signIn(send, values.emailOf(person % PEOPLE));
      },
      authorize: authorizeAt(`${OPENID}/auth`, SCOPE),
      introspection: { path: `${OPENID}/token/introspect`, headers: basic(values.API, values.API_SECRET) },
    };
  },
};

/** Returns the major version in the output of `java -version`; null: no version. */
export function javaMajor(output: string): number | null {
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(output) ?? [];
  // versions before 9 begin with 1
  return first === undefined ? null : Number(first === '1' ? second : first);
}

async function requireJava(): Promise<void> {
  const remedy = `install OpenJDK ${LEAST_JAVA} or later, for example the package openjdk-${LEAST_JAVA}-jre-headless`;
  const java = process.env['JAVA_HOME'] ? path.join(process.env['JAVA_HOME'], 'bin/java') : 'java';
  const { stderr } = await runProgram(java, ['-version']).catch((error: Error) => {
    throw error instanceof Missing ? new Missing(`Keycloak needs Java: ${remedy}`, { cause: error }) : error;
  });
  const major = javaMajor(stderr);
  if (major === null || major < LEAST_JAVA)
    throw new Missing(`Keycloak needs Java ${LEAST_JAVA}, but ${java} is ${major ?? 'unknown'}: ${remedy}`);
}

/** Returns the folder of the distribution, after download and build. */
async function distribution(): Promise<string> {
  const folder = await cachedFolder('keycloak', VERSION, async (into) => {
    const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
    const artifact = `-Dartifact=org.keycloak:keycloak-quarkus-dist:${VERSION}:tar.gz`;
    await runProgram('mvn', ['-B', '-q', copy, artifact, `-DoutputDirectory=${into}`], { cwd: into }).catch(
      (error: Error) => {
        const remedy = 'install Maven (package maven), which downloads Keycloak from Maven Central';
        throw error instanceof Missing
          ? new Missing(`Keycloak needs mvn: ${remedy}`, { cause: error })
          : error;
      },
    );
    const archive = path.join(into, `keycloak-quarkus-dist-${VERSION}.tar.gz`);
    mkdirSync(path.join(into, 'home'));
    await runProgram('tar', ['-xzf', archive, '-C', path.join(into, 'home'), '--strip-components=1']);
    rmSync(archive);
    await runProgram(path.join(into, 'home/bin/kc.sh'), ['build', '--db=postgres']);
  });
  return path.join(folder, 'home');
}

function settings(database: URL, port: number): Record<string, string> {
  return {
    KC_DB_URL: `jdbc:postgresql://${database.host}${database.pathname}`,
    KC_DB_USERNAME: decodeURIComponent(database.username),
    KC_DB_PASSWORD: decodeURIComponent(database.password),
    KC_DB_POOL_INITIAL_SIZE: '10',
    KC_DB_POOL_MIN_SIZE: '10',
    KC_DB_POOL_MAX_SIZE: '10',
    KC_HTTP_ENABLED: 'true',
    KC_HTTP_HOST: '127.0.0.1',
    KC_HTTP_PORT: String(port),
    KC_HOSTNAME: `http://localhost:${port}`,
    KC_CACHE_EMBEDDED_NETWORK_BIND_ADDRESS: '127.0.0.1',
    KC_LOG_LEVEL: 'warn',
    // half and 70 % of 2,250 MB, like kc.sh in a container
    JAVA_OPTS_KC_HEAP: '-Xms1125m -Xmx1575m',
  };
}

function realmFile() {
  const key = (providerId: string, config: Record<string, string>) => ({
    name: providerId,
    providerId,
    subComponents: {},
    config: Object.fromEntries(
      Object.entries({ priority: '100', ...config }).map(([name, value]) => [name, [value]]),
    ),
  });
  return {
    realm: 'bench',
    enabled: true,
    sslRequired: 'external',
    defaultSignatureAlgorithm: 'ES256',
    accessTokenLifespan: 3_600,
    ssoSessionIdleTimeout: 30 * DAY,
    ssoSessionMaxLifespan: 90 * DAY,
    revokeRefreshToken: true,
    refreshTokenMaxReuse: 0,
    components: {
      'org.keycloak.keys.KeyProvider': [
        key('ecdsa-generated', { ecdsaEllipticCurveKey: 'P-256' }),
        key('hmac-generated', { algorithm: 'HS512' }),
        key('aes-generated', {}),
      ],
    },
    clients: [
      {
        clientId: CLIENT,
        secret: CLIENT_SECRET,
        redirectUris: [values.REDIRECT_URI],
        standardFlowEnabled: true,
        directAccessGrantsEnabled: false,
        serviceAccountsEnabled: true,
        attributes: {
          'access.token.signed.response.alg': 'ES256',
          'pkce.code.challenge.method': 'S256',
        },
        protocolMappers: [
          {
            name: 'audience',
            protocol: 'openid-connect',
            protocolMapper: 'oidc-audience-mapper',
            config: { 'included.client.audience': values.API, 'access.token.claim': 'true' },
          },
        ],
      },
      // the API: only a client in the audience of a token may introspect it
      { clientId: values.API, secret: values.API_SECRET, standardFlowEnabled: false },
    ],
    users: Array.from({ length: PEOPLE }, (_, i) => ({
      username: values.emailOf(i),
      email: values.emailOf(i),
      firstName: 'Person',
      lastName: String(i),
      enabled: true,
      emailVerified: true,
      credentials: [{ type: 'password', value: values.PASSWORD }],
    })),
  };
}

/** Signs in by the form of the login page. */
async function signIn(send: Send, username: string): Promise<Cookies> {
  const browser = new Cookies();
  const request = { ...AUTHORIZATION, ...SCOPE };
  const page = await send(get(`${OPENID}/auth?${new URLSearchParams(request)}`));
  browser.keep(requireStatus(page, 200, 'login page'));
  const action = /<form[^>]+action="([^"]+)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&');
  if (action === undefined) throw new Error('the login page contains no form');
  const { pathname, search } = new URL(action);
  const credentials = { username, password: values.PASSWORD, credentialId: '' };
  const reply = await send(post(pathname + search, credentials, browser.headers));
  browser.keep(requireStatus(reply, 302, 'sign-in'));
  return browser;
}
