import { expect, test } from 'vitest';
import { type Found, search } from './search.ts';

const hrefs = async (query: string) =>
  (await search(query)).map(({ href }) =>
    href.replace('/documentation/guides/', '').replace('/documentation/endpoints/', 'endpoints/'),
  );
const textOf = (excerpt: Found['excerpt']) => excerpt.map(({ text }) => text).join('');

/** Questions of readers, each with the page or heading that answers it. */
test.each([
  // the search returned wrong pages for this query in the past
  ['SPA', 'spa'],
  ['error codes', 'errors|troubleshoot|troubleshoot#why|endpoints/token'],
  ['invalid_grant', 'errors#invalid_grant'],
  ['role', 'groups|commands|openid-connect'],
  ['session timeout', 'settings|limits'],
  ['reset password', 'accounts#a-forgotten-password|accounts#passwords'],
  ['token lifetime', 'limits#tokens-and-codes|configuration#apis'],
  ['logout', 'openid-connect#sign-out|openid-connect#at-a-clients-request|endpoints/sign-out'],
  ['permission', 'openid-connect#scopes-and-claims|configuration#apis|groups'],
  ['social login', 'providers|brokers'],
  // queries as readers type them
  ['2FA', 'second-factors'],
  ['single sign-on', 'openid-connect|brokers'],
  ['user login', 'connect-a-client|openid-connect'],
  ['how do I revoke a token', 'endpoints/revoke'],
  ['introspection', 'endpoints/introspect|protect-an-api#opaque-tokens'],
  [
    'rotate client secret',
    'commands|management-api#routes|clients-and-trust#when-a-client-changes|deploy-node#rotation',
  ],
  ['refresh token rotation', 'connect-a-client#renewing|dpop#refresh-tokens'],
  ['rate limit', 'limits|errors#slow_down|settings#limits-for-developers|second-factors|accounts'],
  ['api key', 'machines|management-api'],
  ['machine to machine', 'machines'],
  ['client credentials grant', 'machines|connect-a-client|endpoints/token'],
  ['passkeys', 'second-factors'],
  ['active directory', 'ldap'],
  ['log in with google', 'providers#google'],
  ['azure ad', 'providers#microsoft'],
  ['docker', 'deploy-container'],
  ['kubernetes', 'deploy-container#kubernetes|known-software#kubernetes-and-kubelogin'],
  ['backup', 'deploy-node#backup-and-restore|database#backup'],
  ['how to upgrade', 'deploy-node#upgrade-and-rollback|upgrade#steps|deploy-debian#upgrade|deploy-package'],
  ['prometheus metrics', 'monitor#metrics'],
  ['environment variables', 'settings'],
  ['nginx auth_request', 'gateways#nginx|protect-an-api'],
  ['MCP server', 'mcp-server|mcp-clients'],
  ['migrate from keycloak', 'migrate|import-formats#keycloak'],
  ['import users from csv', 'import-formats#csv-and-jsonl|migrate'],
  ['tv app without browser', 'devices'],
  ['verify jwt', 'protect-an-api'],
  ['export audit log', 'audit'],
  ['custom logo and colors', 'branding'],
  ['delete my account', 'accounts#deleting-ones-account'],
])('the first three results answer the query: %s', async (question, answers) => {
  const isAnswer = (href: string) =>
    answers.split('|').some((answer) => href === answer || href.startsWith(`${answer}#`));
  expect((await hrefs(question)).slice(0, 3), question).toSatisfy((first: string[]) => first.some(isAnswer));
});

/** Each query needs its entry in `SYNONYMS`. */
test.each([
  ['mfa', 'second-factors#second-factor-policy'],
  ['api key', 'machines'],
  ['how an app authenticates', 'openid-connect#how-a-client-authenticates'],
  ['azure', 'providers#microsoft'],
  ['entra id', 'providers'],
  ['docker', 'deploy-container'],
  ['introspection', 'endpoints/introspect'],
  ['login', 'step-up'],
  ['log out', 'openid-connect#sign-out'],
  ['logout', 'openid-connect#sign-out'],
  ['migration from auth0', 'migrate'],
  ['password reset', 'accounts#a-forgotten-password'],
  ['revocation', 'endpoints/revoke'],
  ['user roles', 'groups'],
  ['session lifetime', 'settings'],
  ['sso', 'openid-connect'],
  ['spa', 'spa'],
  ['token expiry', 'configuration#apis'],
  ['login with google', 'providers'],
])('synonyms: %s leads to %s', async (query, answer) => {
  expect((await hrefs(query)).slice(0, 3)).toContain(answer);
});

test('the search finds guides and endpoints, the best match first', async () => {
  expect((await hrefs('PKCE in one minute'))[0]).toBe('connect-a-client#pkce-in-one-minute');
  expect(await hrefs('access_token_ttl')).toContain('configuration#apis');
  expect(await hrefs('get an access token')).toContain('endpoints/token');
});

test('titles rank before headings, and headings before texts', async () => {
  expect((await hrefs('devices'))[0]).toBe('devices');
  expect((await hrefs('webhook'))[0]).toBe('audit#webhook');
});

test.each(
  'Spring Boot/oauth2-proxy/kubelogin/Kubernetes/Vault/MinIO/Dex/Keycloak/Miniflux/go-oidc/x/oauth2/zitadel/openidconnect/Nimbus/pac4j/Authlib/requests-oauthlib/httpx-oauth/mozilla-django-oidc/social-auth/pyoidc/oidc-client-ts/AppAuth-JS/Angular/Immich'.split(
    '/',
  ),
)('the search finds known software by its name: %s', async (name) => {
  expect((await hrefs(name)).map((href) => href.split('#')[0])).toContain('known-software');
});

test.each(['', '   . ', '<script>alert(1)</script>', 'x'.repeat(10_240), 'رمز الوصول', '.*', '-', '{}'])(
  'for this text, the search finds nothing and does not fail: %.40s',
  async (query) => {
    expect(await search(query)).toEqual([]);
  },
);

test('the search accepts a text of 10 kB', async () => {
  expect((await search('token '.repeat(2_000))).length).toBeGreaterThan(0);
});

test('excerpts break at spaces, mark the matches and include the headers of table cells', async () => {
  const found = await search('client_secret_hash');
  const marked = found.flatMap(({ excerpt }) => excerpt.filter(({ isMatch }) => isMatch));
  expect(marked.length).toBeGreaterThan(0);
  expect(marked.every(({ text }) => text === 'client_secret_hash')).toBe(true);
  expect(found.map(({ excerpt }) => textOf(excerpt)).join()).toMatch(/key: /);
  for (const { excerpt } of await search('scope')) {
    expect(textOf(excerpt).length).toBeLessThan(250);
    expect(textOf(excerpt)).not.toMatch(/^…\S|\S…$/);
  }
});

test('search matches start at the beginning of words', async () => {
  // the query must not match words that only contain it: `namespace` contains `spa`
  expect(await hrefs('spa')).not.toContain('deploy-container#kubernetes');
});

test.each([
  ['kuberntes', 'deploy-container#kubernetes'],
  ['introspecton', 'protect-an-api#opaque-tokens'],
  ['forgoten pasword', 'accounts#a-forgotten-password'],
])('a typo is corrected: %s', async (typo, answer) => {
  expect((await hrefs(typo)).slice(0, 5)).toContain(answer);
});

test('if a word has exact matches, the search shows no corrected typos', async () => {
  for (const { excerpt } of await search('taken'))
    for (const { text, isMatch } of excerpt) expect(isMatch ? text.toLowerCase() : 'taken').toMatch(/^taken/);
});
