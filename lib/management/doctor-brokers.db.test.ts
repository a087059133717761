// Findings of the doctor about verifiers and brokers that can be reached but are configured wrongly.
import http from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { query } from '#lib/store/pool.ts';
import { type Listening, listen, textOf } from '#testing/net/listen.ts';
import { examine } from './doctor.ts';

type Reply = [status: number, body: string];
const replies = new Map<string, Reply>();
const forms: string[] = [];
let server: Listening;
beforeAll(async () => {
  server = await listen(
    http.createServer(async (request, response) => {
      forms.push(await textOf(request));
      const [status, body] = replies.get(`${request.method} ${request.url}`) ?? [404, '<p>Not found</p>'];
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    }),
  );
});
afterAll(() => server.close());
beforeEach(() => {
  replies.clear();
  replies.set('GET /jwks', [200, '{"keys":[{"kty":"EC"}]}']);
  forms.length = 0;
});

async function foundOf(type: 'broker' | 'external', config: Record<string, string>): Promise<string[]> {
  await query({
    text: `insert into auth_methods (id, type, name, config) values ('it', $1, 'It', $2)
      on conflict (id) do update set type = excluded.type, config = excluded.config`,
    values: [type, JSON.stringify({ client_id: 'us', allow_private_network: true, ...config })],
  });
  const all = (await examine()).filter(({ check }) => check === `${type} it`);
  return all
    .filter(({ detail }) => !detail.includes('/jwks'))
    .map(({ state, detail }) => `${state}: ${detail}`);
}

/** The endpoints of a broker with usable metadata, whose keys can be fetched. */
const addresses = () => ({
  authorization_endpoint: `${server.url}/authorize`,
  token_endpoint: `${server.url}/token`,
  jwks_uri: `${server.url}/jwks`,
});
const METADATA = 'GET /.well-known/openid-configuration';
test.each([
  [
    'itself',
    (url: string) => [200, url],
    '',
    /^ok: .*answers 200 application.json: The metadata contain the issuer/,
  ],
  [
    'itself with a slash',
    (url: string) => [200, `${url}/`],
    '',
    /^warning: .*contain the issuer .*exchanged\.$/,
  ],
  [
    'another issuer',
    () => [200, 'https://login.example/{tenantid}/v2.0'],
    '',
    /^broken: .*contain the issuer https:\/\/login\.example\/\{tenantid\}\/v2\.0, but http/,
  ],
  ['no issuer', () => [200, undefined], '', /^broken: .*contain no issuer/],
  [
    'nothing, with 404',
    (url: string) => [404, url],
    '',
    /^broken: .*answers 404 .*No metadata .*Check the issuer/,
  ],
  ['nothing, with 403', (url: string) => [403, url], '', /^broken: .*answers 403 .*No metadata/],
  ['an error', (url: string) => [500, url], '', /^broken: .*answers 500/],
  [
    'itself at the address of its metadata',
    (url: string) => [200, url],
    '/.well-known/openid-configuration',
    /^broken: .*Set the issuer to http:\S+, without \/\.well-known/,
  ],
])('Discovery §4.3: doctor finds a broker whose metadata name %s', async (_, said, path, expected) => {
  const [status, issuer] = said(server.url) as [number, string | undefined];
  replies.set(METADATA, [status, JSON.stringify({ issuer, ...addresses() })]);
  expect(await foundOf('broker', { issuer: server.url + path })).toEqual([expect.stringMatching(expected)]);
});

test('Discovery §4.3: doctor reports metadata that are not JSON', async () => {
  replies.set(METADATA, [200, '<p>Hello</p>']);
  expect(await foundOf('broker', { issuer: server.url })).toEqual([expect.stringMatching(/^broken: /)]);
});

const plain = (): Record<string, string> => ({
  authorization_endpoint: `${server.url}/authorize`,
  token_endpoint: `${server.url}/token`,
  userinfo_endpoint: `${server.url}/me`,
  subject_claim: 'id',
});

test.each([
  ['an OAuth error', [400, '{"error":"invalid_request"}'], [401, ''], /^ok: /, /^ok: /],
  ['an error with 200, as a form', [200, 'error=incorrect_client_credentials'], [403, ''], /^ok: /, /^ok: /],
  ['an OAuth error with 404', [404, '{"error":"Not Found"}'], [401, ''], /^ok: /, /^ok: /],
  [
    'nothing at both',
    [404, ''],
    [404, ''],
    /^broken: .*answers 404 .*token_endpoint/,
    /^broken: .*answers 404 .*userinfo_endpoint/,
  ],
  [
    'a page',
    [400, '<p>Bad request</p>'],
    [405, ''],
    /^broken: .*token_endpoint/,
    /^broken: .*userinfo_endpoint/,
  ],
  ['an error of theirs', [503, ''], [500, ''], /^broken: .*503/, /^broken: .*500/],
] as [string, Reply, Reply, RegExp, RegExp][])(
  'doctor requests the token and userinfo addresses of a broker without discovery, and sends no secret: %s',
  async (_, token, userinfo, ...expected) => {
    replies.set('POST /token', token);
    replies.set('GET /me', userinfo);
    const found = await foundOf('broker', plain());
    expect(found).toEqual(expected.map((one) => expect.stringMatching(one)));
    expect(forms).toEqual(['grant_type=authorization_code&client_id=us', '']);
  },
);

test.each([
  [405, /^ok: /],
  [401, /^ok: /],
  [400, /^ok: /],
  [404, /^warning: .*verify_url/],
  [410, /^warning: .*verify_url/],
  [502, /^broken: /],
])('doctor reports a verifier that responds to a GET with %d', async (status, expected) => {
  replies.set('GET /verify', [status, '']);
  const found = await foundOf('external', { verify_url: `${server.url}/verify` });
  expect(found).toEqual([expect.stringMatching(expected)]);
});
