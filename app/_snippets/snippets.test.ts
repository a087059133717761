import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { PublishedApi } from '#lib/oauth/metadata.ts';
import { type Language, syntaxFault } from '#testing/code/code-syntax.ts';
import { firstSnippet, snippetsFor } from './snippets.ts';
import type { Snippet } from './texts.ts';

const issuerOf = (base: string) =>
  ({
    issuer: base,
    authorizationEndpoint: `${base}/authorize`,
    tokenEndpoint: `${base}/token`,
    jwksUri: `${base}/jwks`,
  }) as PublishedApi['issuers'][number];
const apiOf = (url: string, scopes: string[], base: string) =>
  ({
    id: 'orders',
    url,
    scopes: scopes.map((name) => ({ name })),
    issuers: [issuerOf(base)],
  }) as PublishedApi;

const local = 'http://localhost:3000/auth/local/api/orders';
const orders = apiOf('https://api.example/orders', ['orders:read'], local);
const KINDS = ['confidential', 'browser', 'native'] as const;
type Kind = (typeof KINDS)[number];
const client = (kind: Kind, redirectUri = 'https://shop.example/cb') => ({
  clientId: 'shop',
  kind,
  redirectUris: [redirectUri],
  tokenEndpointAuthMethod: null as Parameters<typeof snippetsFor>[0]['client']['tokenEndpointAuthMethod'],
});

const LANGUAGES: [start: string, Language | 'braces'][] = [
  ['React', 'tsx'],
  ['Vue', 'tsx'],
  ['Angular', 'tsx'],
  ['Express', 'javascript'],
  ['Swift', 'swift'],
  ['.NET', 'braces'],
  ['Kotlin', 'braces'],
  ['JavaScript', 'javascript'],
  ['Python', 'python'],
  ['Go', 'go'],
  ['Java, Spring', 'yaml'],
  ['curl', 'shell'],
];
const languageOf = ({ label }: Snippet): Language | 'braces' => {
  const [, language] = LANGUAGES.find(([start]) => label.startsWith(start)) ?? [];
  if (!language) throw new Error(`a snippet is in ${label}, which nothing checks`);
  return language;
};
/**
 * Vue components are checked without their template. For a language without an installed tool, the test only checks
 * that brackets are balanced.
 */
function faultIn(language: Language | 'braces', { label, code }: Snippet) {
  if (label.startsWith('Vue'))
    return syntaxFault('tsx', /^<script setup lang="ts">\n(.*)<\/script>$/ms.exec(code)?.[1] ?? '<');
  return language === 'braces' ? unpaired(code) : syntaxFault(language, code);
}

/** The first unpaired bracket outside strings and comments; null: none. */
function unpaired(code: string): string | null {
  const rest = code.replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*.*?\*\//gs, '');
  const open: string[] = [];
  for (const one of rest.match(/[()[\]{}"]/g) ?? []) {
    if ('([{'.includes(one)) open.push({ '(': ')', '[': ']', '{': '}' }[one] ?? '');
    else if (one !== open.pop()) return `${one} without its other one`;
  }
  return open.length === 0 ? null : `${open.length} braces are not closed`;
}

/** Returns the reason for a skipped check (this machine lacks the tool for the language), otherwise null. */
function expectNoFault(snippets: Snippet[]): string | null {
  for (const snippet of snippets) {
    const fault = faultIn(languageOf(snippet), snippet);
    if (fault === 'no tool') return `there is no tool for ${languageOf(snippet)} on this machine`;
    expect(fault, `${snippet.label}\n${snippet.code}`).toBeNull();
  }
  return null;
}

/** Characters that addresses and scopes can contain, and that are special in some languages. */
const AWKWARD = `'$(id)\`id\`!#&;*(\${HOME})~%27%0a`;

describe.each(KINDS)('code for a %s client', (kind) => {
  const { scopes } = orders;
  const snippets = snippetsFor({ client: client(kind), api: orders, issuer: issuerOf(local), scopes: [] });

  const languages = [...new Set(snippets.map(languageOf))];
  it.for(languages)('code labelled %s has no syntax error', (language, { skip }) => {
    const https = issuerOf('https://login.example/auth/local/api/orders');
    const nothing = { client: { ...client(kind), redirectUris: [] }, api: { ...orders, scopes: [] } };
    const awkward = {
      client: client(kind, `https://shop.example/${AWKWARD}`),
      api: apiOf(`https://api.example/${AWKWARD}`, [`read:${AWKWARD}`, 'write'], local),
    };
    const all = [
      snippets,
      snippetsFor({ client: client(kind), api: orders, issuer: https, scopes: [] }),
      snippetsFor({ ...nothing, issuer: https, scopes: [] }),
      snippetsFor({ ...awkward, issuer: issuerOf(local), scopes: [] }),
    ];
    const unread = expectNoFault(all.flat().filter((snippet) => languageOf(snippet) === language));
    if (unread !== null) skip(unread);
  });

  it('the code contains real values, and contains a secret only for confidential clients', () => {
    expect(scopes).toHaveLength(1);
    for (const { label, code } of snippets) {
      expect(code, label).toContain('shop');
      expect(code, label).toContain(local);
      expect(/secret/i.test(code), label).toBe(kind === 'confidential');
    }
  });
});

it('the snippets of an API page are valid code for http and https, with placeholders in capitals', () => {
  for (const base of [local, 'https://login.example/auth/local/api/orders']) {
    for (const api of [
      apiOf('https://api.example/orders', ['orders:read'], base),
      apiOf(`https://a.example/${AWKWARD}`, [], base),
    ]) {
      const snippet = firstSnippet(api);
      expect(expectNoFault(snippet ? [snippet] : [])).toBeNull();
      expect(snippet?.code).toMatch(/'CLIENT_ID',\s+process\.env\.CLIENT_SECRET,\s+undefined,/);
      expect(snippet?.code).toContain("'YOUR_REDIRECT_ADDRESS'");
    }
  }
  expect(firstSnippet({ ...orders, issuers: [] })).toBeNull();
});

const registered = (tokenEndpointAuthMethod: ReturnType<typeof client>['tokenEndpointAuthMethod']) =>
  snippetsFor({
    client: { ...client('confidential'), tokenEndpointAuthMethod },
    api: orders,
    issuer: issuerOf(local),
    scopes: [],
  });

const PUSHES = { requirePushedAuthorizationRequests: true };
const BINDS = { dpopBoundAccessTokens: true };

describe.each([
  ['pushed requests', PUSHES, {}, { confidential: 6, browser: 2, native: 4 }],
  ['bound tokens', BINDS, {}, { confidential: 4, browser: 4, native: 3 }],
  ['both', { ...PUSHES, ...BINDS }, {}, { confidential: 4, browser: 1, native: 3 }],
  [
    'FAPI 2.0',
    { tokenEndpointAuthMethod: 'private_key_jwt' as const },
    { profile: 'fapi-2.0' as const, dpop: 'required' as const },
    { confidential: 3 },
  ],
])('a client or an API that requires %s', (_, asked, ofApi, counts) => {
  it.each(Object.entries(counts) as [Kind, number][])(
    'every snippet for a %s client meets the requirement of the client or the API',
    (kind, count) => {
      const given = { client: { ...client(kind), ...asked }, api: { ...orders, ...ofApi } };
      const snippets = snippetsFor({ ...given, issuer: issuerOf(local), scopes: ['orders:read'] });
      expect(snippets.length).toBe(count);
      const binds = 'dpop' in ofApi || 'dpopBoundAccessTokens' in asked;
      for (const one of snippets) {
        expect(['no tool', null], one.code).toContain(faultIn(languageOf(one), one));
        if (binds) expect(one.code, one.label).toMatch(/{ DPoP|IndexedDbDPoPStore/);
        if (binds) expect(one.code, one.label).not.toContain('Bearer');
      }
    },
  );
});

it('the code of a client with keys authenticates with its private key, and contains no secret', () => {
  const snippets = registered('private_key_jwt');
  expect(snippets.length).toBeGreaterThan(2);
  expect(expectNoFault(snippets)).toBeNull();
  for (const { code } of snippets) {
    expect(code).toContain('PrivateKeyJwt({ key, kid: jwk.kid })');
    expect(code).not.toMatch(/secret/i);
  }
});

it.each([
  ['client_secret_basic', /SecretBasic|client_secret_basic|InHeader|-u "|next-auth/],
  [
    'client_secret_post',
    /SecretPost|client_secret_post|InParams|client_secret=\$|CLIENT_SECRET,\s+undefined|CLIENT_SECRET, undefined|options\.ClientSecret/,
  ],
] as const)('with %s every library sends the secret in the place that the server accepts', (method, way) => {
  const snippets = registered(method);
  expect(expectNoFault(snippets.filter((one) => languageOf(one) === 'javascript'))).toBeNull();
  for (const { label, code } of snippets) expect(code, label).toMatch(way);
  const other = method === 'client_secret_basic' ? 'client_secret_post' : 'client_secret_basic';
  for (const { label, code } of snippets) expect(code, label).not.toContain(other);
});

it('the YAML for Spring contains only the issuer, because Spring discovers the endpoints', () => {
  const spring = snippetsFor({
    client: client('confidential'),
    api: orders,
    issuer: issuerOf(local),
    scopes: ['orders:read'],
  }).find((one) => one.label.includes('Spring'));
  const settings = parse(spring?.code ?? '').spring.security.oauth2.client;
  expect(settings.provider.gatehouse).toEqual({ 'issuer-uri': local });
  expect(settings.registration.gatehouse.scope).toContain('orders:read');
});

it.each(KINDS)('code for a %s client contains no endpoints, except for curl', (kind) => {
  for (const machine of [false, true])
    for (const { label, code } of snippetsFor({
      client: { ...client(kind), redirectUris: machine ? [] : ['https://shop.example/cb'] },
      api: orders,
      issuer: issuerOf(local),
      scopes: [],
      machine,
    }))
      if (!label.startsWith('curl')) expect(code, label).not.toMatch(/orders\/(?:authorize|token|jwks)\b/);
});

it('the code for a server listens on the port of the redirect URI, which Vite pages also use', () => {
  const codeOf = (kind: Kind, framework: string, redirectUri: string) =>
    snippetsFor({ client: client(kind, redirectUri), api: orders, issuer: issuerOf(local), scopes: [] }).find(
      (one) => one.framework === framework,
    )?.code;
  expect(codeOf('confidential', 'Express', 'http://localhost:4000/callback')).toContain('app.listen(4000);');
  expect(codeOf('confidential', 'Express', 'https://shop.example/cb')).toContain('?? 8080');
  expect(codeOf('confidential', 'Spring', 'http://localhost:4000/callback')).toContain('port: 4000');
  expect(codeOf('confidential', '.NET', 'http://localhost:4000/callback')).toContain(
    'app.Run("http://localhost:4000");',
  );
  for (const framework of ['React', 'Vue']) {
    expect(codeOf('browser', framework, 'http://localhost:4001/callback')).toContain('--port 4001');
    expect(codeOf('browser', framework, 'http://localhost:5173/')).not.toContain('--port');
  }
});

it('a background client sees only code for machine tokens, which signs with the client’s keys if registered', () => {
  const background = (tokenEndpointAuthMethod: ReturnType<typeof client>['tokenEndpointAuthMethod']) =>
    snippetsFor({
      client: { ...client('confidential'), redirectUris: [], tokenEndpointAuthMethod },
      api: apiOf(`https://api.example/${AWKWARD}`, [`read:${AWKWARD}`, 'write'], local),
      issuer: issuerOf(local),
      scopes: [],
      machine: true,
    });
  for (const by of [null, 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const) {
    const snippets = background(by);
    expect(snippets).toHaveLength(by === 'private_key_jwt' ? 1 : 3);
    for (const one of snippets) {
      expect(one.for).toBe('application-token');
      expect(['no tool', null], one.code).toContain(faultIn(languageOf(one), one));
    }
  }
});
