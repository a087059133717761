// Runs the check against a small MCP server and authorization server of the test, first without faults and then with
// each fault.
import http from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Listening, listen } from '../../../testing/net/listen.ts';
import { challengeIn, examineMcp } from './doctor-mcp.ts';

type Page = { status?: number; headers?: Record<string, string>; body?: unknown };

let server: Listening;
let pages: Record<string, Page>;
const open = { 'access-control-allow-origin': '*' };
const RESOURCE = '/.well-known/oauth-protected-resource';
const ISSUER = '/.well-known/oauth-authorization-server/auth/local/api/tools';

beforeAll(async () => {
  server = await listen(
    http.createServer((request, response) => {
      const { status = 200, headers = open, body } = pages[request.url ?? ''] ?? { status: 404 };
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
    }),
  );
});
afterAll(() => server.close());

const issuer = () => `${server.url}/auth/local/api/tools`;
const resourceDocument = () => ({
  resource: `${server.url}/mcp`,
  authorization_servers: [issuer()],
  scopes_supported: ['read', 'write'],
});
const metadata = () => ({
  issuer: issuer(),
  authorization_endpoint: `${issuer()}/authorize`,
  token_endpoint: `${issuer()}/token`,
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
});

beforeEach(() => {
  pages = {
    '/mcp': {
      status: 401,
      headers: { 'www-authenticate': `Bearer resource_metadata="${server.url}/named", scope="read"` },
    },
    '/named': { body: resourceDocument() },
    [ISSUER]: { body: metadata() },
  };
});

const walk = (path = '/mcp') => examineMcp(`${server.url}${path}`);
/** Returns the findings whose state is not `ok`, as `state check: detail`. */
const trouble = async (path?: string) =>
  (await walk(path))
    .filter(({ state }) => state !== 'ok')
    .map((one) => `${one.state} ${one.check}: ${one.detail}`);

test('for a valid server, the doctor reports every step in order, and the requested scopes', async () => {
  const findings = await walk();
  expect(findings.map(({ check, state }) => `${state} ${check}`)).toEqual([
    'ok address',
    'ok call without a token',
    'ok resource metadata',
    'ok resource',
    'ok authorization server',
    'ok authorization server metadata',
    'ok issuer',
    'ok endpoints',
    'ok PKCE',
    'ok client',
    'ok scopes',
  ]);
  expect(findings.at(-1)?.detail).toBe('a client requests read, from the 401');
});

test('if the challenge names no document, the doctor tries two well-known URLs, the path variant first', async () => {
  pages['/mcp'] = { status: 401, headers: { 'www-authenticate': 'Bearer' } };
  pages[`${RESOURCE}/mcp`] = { body: resourceDocument() };
  expect(await trouble()).toEqual([]);
  delete pages[`${RESOURCE}/mcp`];
  pages[RESOURCE] = { body: { ...resourceDocument(), resource: server.url } };
  expect(await trouble()).toEqual([]);
  delete pages[RESOURCE];
  expect(await trouble()).toEqual([
    expect.stringMatching(
      /^broken resource metadata: .*\/mcp answers 404; .* a client finds no authorization server$/,
    ),
  ]);
});

test('the doctor tries three URLs of the issuer metadata in order, and reports previous failures', async () => {
  delete pages[ISSUER];
  pages['/auth/local/api/tools/.well-known/openid-configuration'] = { body: metadata() };
  const found = (await walk()).find(({ check }) => check === 'authorization server metadata');
  expect(found?.detail).toMatch(
    /oauth-authorization-server.* answers 404; .*openid-configuration\/auth.* answers 404$/,
  );
  expect(found?.state).toBe('ok');
});

const fault = (change: () => void, expected: string): [() => void, string] => [change, expected];
const ofMetadata = (over: object) => () => {
  pages[ISSUER] = { body: { ...metadata(), ...over } };
};
const ofResource = (over: object | (() => object)) => () => {
  pages['/named'] = { body: { ...resourceDocument(), ...(typeof over === 'function' ? over() : over) } };
};

test.each([
  fault(
    () => Object.assign(pages, { '/mcp': { status: 403 } }),
    'broken call without a token: it responds with 403',
  ),
  fault(
    () => Object.assign(pages, { '/mcp': { status: 302, headers: { location: '/x' } } }),
    'broken call without a token: .* redirect',
  ),
  fault(() => delete pages['/named'], 'broken resource metadata: .*/named answers 404'),
  fault(
    () => Object.assign(pages, { '/named': { body: '<html>' } }),
    'broken resource metadata: .* no such document',
  ),
  fault(
    () => Object.assign(pages, { '/named': { body: [] } }),
    'broken resource metadata: .* no such document',
  ),
  fault(
    () => Object.assign(pages, { '/named': { body: 'x'.repeat(70_000) } }),
    'broken resource metadata: .* too large',
  ),
  fault(
    ofResource({ resource: 'https://other.example/mcp' }),
    'broken resource: .*other.example.* configured',
  ),
  fault(ofResource({ resource: 'not an address' }), 'broken resource: '),
  fault(
    ofResource(() => ({ resource: `${server.url}/mc` })),
    'broken resource: ',
  ),
  fault(ofResource({ authorization_servers: [] }), 'broken authorization server: .* cannot continue'),
  fault(
    ofResource({ authorization_servers: ['http://auth.example'] }),
    'broken authorization server: .* must be https',
  ),
  fault(ofResource({ authorization_servers: ['https://10.0.0.1'] }), 'broken .*metadata: .*not a public one'),
  fault(() => delete pages[ISSUER], 'broken authorization server metadata: .*404; .*404; .*404'),
  fault(
    () => Object.assign(pages, { [ISSUER]: { body: '{' } }),
    'broken authorization server metadata: .* no such document',
  ),
  fault(
    ofMetadata({ issuer: 'https://evil.example' }),
    'broken issuer: the metadata is for https://evil.example',
  ),
  fault(() => ofMetadata({ issuer: `${issuer()}/` })(), 'broken issuer: .*slash at the end'),
  fault(ofMetadata({ token_endpoint: undefined }), 'broken endpoints: the metadata has no token_endpoint'),
  fault(ofMetadata({ authorization_endpoint: 'http://auth.example/a' }), 'broken endpoints: .* not https'),
  fault(ofMetadata({ response_types_supported: ['token'] }), 'broken code: '),
  fault(ofMetadata({ code_challenge_methods_supported: undefined }), 'broken PKCE: .* must stop'),
  fault(ofMetadata({ code_challenge_methods_supported: ['plain'] }), 'broken PKCE: S256 is not offered'),
])('the doctor reports a fault at the step at which a client would stop (%#)', async (change, expected) => {
  change();
  const [first, ...more] = await trouble();
  expect(first).toMatch(new RegExp(`^${expected}`));
  expect(more).toEqual([]);
});

test.each([
  fault(
    () => Object.assign(pages, { '/mcp': {}, [`${RESOURCE}/mcp`]: { body: resourceDocument() } }),
    'warning call without a token: it responds with 200',
  ),
  fault(
    ofResource(() => ({ resource: server.url })),
    'warning resource: .* strict ones stop',
  ),
  fault(
    () => Object.assign(pages, { '/named': { headers: {}, body: resourceDocument() } }),
    'warning resource metadata: no Access-Control-Allow-Origin',
  ),
  fault(
    ofMetadata({ client_id_metadata_document_supported: undefined }),
    'warning client: .* registered client_id',
  ),
  fault(
    ofMetadata({ token_endpoint_auth_methods_supported: ['client_secret_basic'] }),
    'warning client: public',
  ),
  fault(ofMetadata({ scopes_supported: ['other'] }), 'warning scopes: read: unknown'),
  fault(ofMetadata({ authorization_response_iss_parameter_supported: undefined }), 'warning iss: '),
])(
  'a problem of only some clients causes a warning, and the doctor continues (%#)',
  async (change, expected) => {
    change();
    const [first, ...more] = await trouble();
    expect(first).toMatch(new RegExp(`^${expected}`));
    expect(more).toEqual([]);
  },
);

test.each([
  ['nothing', 'broken address: it is not an http or https address'],
  ['file:///etc/passwd', 'broken address: '],
  ['ftp://user:secret@mcp.example/', 'broken address: '],
  ['https://user:secret@mcp.example/', 'broken address: it contains a user name or password'],
  ['https://10.0.0.1/mcp', 'broken call without a token: .*--private-network'],
  ['http://127.0.0.1:1/mcp', 'broken call without a token: .* no connection'],
])(
  '%s: the doctor prints one line with the reason, and hides secrets in the server’s URL',
  async (address, expected) => {
    const findings = await examineMcp(address);
    const { check, state, detail } = findings.at(-1) ?? {};
    expect(`${state} ${check}: ${detail}`).toMatch(new RegExp(`^${expected}`));
    expect(JSON.stringify(findings)).not.toContain('secret@');
  },
);

test('text of remote documents is printed without control characters and with limited length', async () => {
  ofResource({ resource: `https://x/\u001b[2J${'y'.repeat(5_000)}` })();
  const [first = ''] = await trouble();
  expect(first).toContain('https://x/?[2J');
  expect(first.length).toBeLessThan(700);
});

test('RFC 9110 §11.6.1: the Bearer challenge is found among other challenges, quoted or not', () => {
  const named = { resourceMetadata: 'https://a.example/m', scope: null };
  expect(challengeIn('Basic realm="a, b", Bearer resource_metadata="https://a.example/m"')).toEqual(named);
  expect(challengeIn('bearer realm=x,resource_metadata=https://a.example/m')).toEqual(named);
  expect(challengeIn('Bearer')).toEqual({ resourceMetadata: null, scope: null });
  expect(challengeIn('Bearer scope="a b"')).toEqual({ resourceMetadata: null, scope: 'a b' });
  for (const other of [null, '', 'Basic realm="Bearer"', 'Bearerish x=y'])
    expect(challengeIn(other)).toBeNull();
});
