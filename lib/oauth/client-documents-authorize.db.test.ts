// An authorize request whose client_id is a document's address, before sign-in: every document leads to a page, and
// nothing is stored.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { processWide } from '#lib/kit/process.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { makePair } from '#testing/clients/client-keys.ts';
import { type DocumentHost, startDocumentHost } from '#testing/clients/document-host.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { givenTrustedClients, OPENID_PATH } from '#testing/in-process/openid.ts';

let host: DocumentHost;
let made = 0;
beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
  await sql("update apis set agents = 'ask' where id = 'orders'");
  host = await startDocumentHost();
});
afterEach(() => {
  processWide('client-document-calls').value = undefined;
});
afterAll(async () => {
  loadSettings();
  await host.close();
});

const fresh = () => `/agent-${++made}.json`;
const authorize = (clientId: string, redirectUri = `${host.origin}/callback`, address = '192.0.2.1') =>
  ask(
    `${OPENID_PATH}/authorize?${new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      code_challenge: 'A'.repeat(43),
      code_challenge_method: 'S256',
      scope: 'read',
      state: 's',
    })}`,
    { address, headers: { accept: 'text/html' } },
  );

async function rows(): Promise<number> {
  const [row] = await sql<{ count: number }>('select count(*)::int as count from clients');
  return row?.count ?? -1;
}

test('an authorize request with a valid document leads to sign-in and writes nothing', async () => {
  const before = await rows();
  const answer = await authorize(host.publish(fresh()));
  expect(answer.status).toBe(303);
  expect(locationOf(answer)).toContain('/login');
  expect(await rows()).toBe(before);
});

test('redirect URIs of a document must match exactly, except the port on localhost', async () => {
  const clientId = host.publish(fresh(), {
    redirect_uris: ['http://localhost/callback', 'https://a.example/cb'],
  });
  for (const uri of ['http://localhost:58135/callback', 'http://localhost/callback', 'https://a.example/cb'])
    expect((await authorize(clientId, uri)).status, uri).toBe(303);
  for (const uri of [
    'http://localhost:58135/other',
    'http://127.0.0.1:1/callback',
    'https://a.example:8443/cb',
  ])
    expect((await authorize(clientId, uri)).status, uri).toBe(400);
});

test('a rejected client document leads to a page with the reason, and never to a redirect', async () => {
  const { jwk } = await makePair();
  const bad: [clientId: string, status: number, words: RegExp][] = [
    [host.publish(fresh(), { client_secret: 'x' }), 400, /client_secret must not be in the document/],
    [host.publish(fresh(), { jwks: { keys: [{ ...jwk, d: 'AA' }] } }), 400, /private or symmetric key/],
    [
      host.publish(fresh(), { client_id: 'https://other.example/x' }),
      400,
      /client_id must be exactly the address/,
    ],
    [host.publish(fresh(), { tos_uri: 'http://agent.example/' }), 400, /tos_uri must be/],
    [host.publish(fresh(), {}, { body: '<script>alert(1)</script>' }), 400, /not JSON/],
    [host.publish(fresh(), {}, { body: 'x'.repeat(6_000) }), 400, /5120 bytes/],
    [host.publish(fresh(), {}, { status: 302, headers: { location: '/' } }), 400, /redirect/],
    [host.publish(fresh(), {}, { status: 404 }), 400, /404/],
    [host.publish(fresh(), {}, { status: 500 }), 503, /again/],
  ];
  const before = await rows();
  for (const [clientId, status, words] of bad) {
    const answer = await authorize(clientId);
    expect([answer.status, locationOf(answer)], clientId).toEqual([status, '']);
    expect(String(answer.body)).toMatch(words);
    expect(String(answer.body)).not.toContain('<script>alert');
  }
  expect(await rows()).toBe(before);
});

test('requests with 1,000 invented document addresses receive a page, cause no call into the private network, and store no row', async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'false' });
  const before = [await rows(), host.requests.length];
  const kinds = [
    `https://127.0.0.1:${host.port}/`,
    'https://10.0.0.1/',
    'https://169.254.169.254/',
    'https://a.localhost/',
    'https://[::1]/',
    `http://127.0.0.1:${host.port}/`,
    'https://user@10.0.0.1/',
    'https://10.0.0.1/../',
  ];
  const statuses = new Set<number>();
  for (let first = 0; first < 1_000; first += 50) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        authorize(
          `${kinds[at % kinds.length]}${first + at}`,
          'https://a.example/cb',
          `192.0.${first >> 8}.${at}`,
        ),
      ),
    );
    for (const { status } of answers) statuses.add(status);
  }
  expect([...statuses].sort((a, b) => a - b)).toEqual([400, 503]);
  expect([await rows(), host.requests.length]).toEqual(before);
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
});

test('issuer metadata show whether the API accepts clients described by a document', async () => {
  const supported = async () =>
    jsonOf(await ask(`${OPENID_PATH}/.well-known/oauth-authorization-server`))[
      'client_id_metadata_document_supported'
    ];
  expect(await supported()).toBe(true);
  for (const [agents, says] of [
    ['listed', true],
    ['off', undefined],
  ] as const) {
    await sql("update apis set agents = $1 where id = 'orders'", [agents]);
    await expect.poll(supported).toBe(says);
  }
  expect((await authorize(host.publish(fresh()))).status).toBe(400);
});

test('RFC 8252 §7.3: loopback redirect URIs of documents may differ only in port', async () => {
  await sql("update apis set agents = 'ask' where id = 'orders'");
  await currentSnapshot();
  const clientId = host.publish(fresh(), {
    redirect_uris: ['http://127.0.0.1:33418/', 'http://[::1]:33418/cb'],
  });
  for (const uri of ['http://127.0.0.1:51234/', 'http://127.0.0.1/', 'http://[::1]:9/cb']) {
    const a = await authorize(clientId, uri);
    expect(a.status, uri).toBe(303);
  }
  for (const uri of [
    'http://127.0.0.1:51234',
    'http://localhost:33418/',
    'http://[::1]:33418/',
    'http://127.0.0.2:33418/',
    'https://127.0.0.1:33418/',
    'http://127.0.0.1:33418/?a',
  ]) {
    const answer = await authorize(clientId, uri);
    expect([answer.status, locationOf(answer)], uri).toEqual([400, '']);
  }
});

test('RFC 6749 §4.1.2.1: an unknown client shows a page in the requested language, without a redirect', async () => {
  for (const [query, text] of [
    ['ui_locales=de', 'lang="de"'],
    ['ui_locales=ja', 'lang="ja"'],
    ['', 'lang="en"'],
  ]) {
    const asked = `client_id=nosuch&response_type=code&redirect_uri=https://evil.example/cb&${query}`;
    const answer = await ask(`${OPENID_PATH}/authorize?${asked}`, { headers: { accept: 'text/html' } });
    expect([answer.status, locationOf(answer)]).toEqual([400, '']);
    expect(String(answer.body)).toContain(text);
  }
});

test('OpenID Connect Core §3.1.2.1: an unknown scope next to openid is rejected, and the error description names it and the allowed scopes', async () => {
  await givenTrustedClients(['scoped']);
  const query = {
    client_id: 'scoped',
    response_type: 'code',
    redirect_uri: 'https://scoped.example/cb',
    scope: 'openid profile email groups',
  };
  const answer = await ask(`${OPENID_PATH}/authorize?${new URLSearchParams(query)}`);
  const { searchParams } = new URL(locationOf(answer));
  expect(searchParams.get('error')).toBe('invalid_scope');
  expect(searchParams.get('error_description')).toMatch(/'groups' .* Allowed: .*\bopenid\b.*\bread\b/);
});
