// Better Auth's OAuth provider on PostgreSQL, with the settings of its documentation: JWT plugin with ES256, one
// resource, hashed secrets, cached trusted client and resource. Its rate limit is off, because all callers share one
// address. `--prepare` creates tables, a user and the client, and prints the client.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { API_URL, emailOf, PASSWORD, REDIRECT_URI, SCOPES } from '../values.ts';

const { PORT = '0', DATABASE_URL, PEER_FOLDER = '', CLIENT_ID } = process.env;
const installed = createRequire(path.join(PEER_FOLDER, 'package.json'));
const load = (name: string) => import(pathToFileURL(installed.resolve(name)).href);

const { betterAuth } = await load('better-auth');
const { jwt } = await load('better-auth/plugins');
const { oauthProvider } = await load('@better-auth/oauth-provider');
const { Pool } = (await load('pg')).default;

const preparing = process.argv.includes('--prepare');
const auth = betterAuth({
  baseURL: `http://localhost:${PORT}`,
  database: new Pool({ connectionString: DATABASE_URL, max: 10 }),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  plugins: [
    jwt({ jwks: { keyPairConfig: { alg: 'ES256' } }, disableSettingJwtHeader: true }),
    oauthProvider({
      loginPage: '/sign-in',
      consentPage: '/consent',
      scopes: ['openid', 'offline_access', ...SCOPES],
      resources: [
        { identifier: API_URL, signingAlgorithm: 'ES256', allowedScopes: ['offline_access', ...SCOPES] },
      ],
      clientRegistrationDefaultResources: [API_URL],
      cachedTrustedClients: new Set(CLIENT_ID === undefined ? [] : [CLIENT_ID]),
      cachedResources: new Set([API_URL]),
      // permits the registration of the client below
      ...(preparing ? { clientPrivileges: () => true } : {}),
      silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
    }),
  ],
});

if (preparing) {
  const { getMigrations } = await load('better-auth/db/migration');
  const { runMigrations } = await getMigrations(auth.options);
  await runMigrations();
  const person = { email: emailOf(0), name: 'Person 0', password: PASSWORD };
  const { headers: session } = await auth.api.signUpEmail({ body: person, returnHeaders: true });
  const [cookie = ''] = (session as Headers).getSetCookie();
  const client = await auth.api.adminCreateOAuthClient({
    headers: new Headers({ cookie: cookie.split(';')[0] ?? '' }),
    body: {
      redirect_uris: [REDIRECT_URI],
      scope: ['offline_access', ...SCOPES].join(' '),
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      client_credentials_scopes: SCOPES,
      token_endpoint_auth_method: 'client_secret_post',
      skip_consent: true,
    },
  });
  const { client_id, client_secret } = client;
  process.stdout.write(`${JSON.stringify({ client_id, client_secret })}\n`, () => process.exit(0));
} else {
  const { toNodeHandler } = await load('better-auth/node');
  createServer(toNodeHandler(auth)).listen(Number(PORT), '127.0.0.1');
}
