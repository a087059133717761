// Public keys of a former issuer, fetched from the old service, a real oidc-provider that is later switched off.
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { processWide, settleBackground } from '#lib/kit/process.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { type FormerService, startFormerService } from '#testing/clients/former-service.ts';
import { fixturePerson } from '#testing/data/fixtures.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { listen } from '#testing/net/listen.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
let old: FormerService;
let published: unknown;
const server = createServer((_, response) => response.end(JSON.stringify(published)));
let elsewhere: Awaited<ReturnType<typeof listen>>;

const give = (over: object) =>
  changeApi(OPERATOR, {
    id: 'orders',
    formerIssuers: [
      { issuer: old.issuer, auth_method: 'pw', until: '2999-12-31', allow_private_network: true, ...over },
    ],
  });
const host = () => ({ host: new URL(old.issuer).host });
const shown = async () =>
  (jsonOf(await ask('/jwks', { headers: host() }))['keys'] as Record<string, string>[]).map(({ kid }) => kid);
/** Simulates a different process or a restart. */
const forget = () => {
  processWide('former-keys').value = undefined;
};

beforeAll(async () => {
  await givenFixtures();
  old = await startFormerService([TRU]);
  elsewhere = await listen(server);
});
afterAll(async () => {
  await old.close();
  await elsewhere.close();
});
beforeEach(() => {
  old.on = true;
  forget();
});

test('the key set contains the old service’s keys, even during its outage and after a restart', async () => {
  const jwks_uri = `${old.tokenEndpoint.replace('/token', '/jwks')}`;
  await give({ jwks_uri });
  expect(await shown()).toContain('former');
  const [kept] = await sql<{ keys: unknown }>('select keys from former_key_sets where address = $1', [
    jwks_uri,
  ]);
  expect(kept?.keys).toEqual([expect.objectContaining({ kid: 'former', kty: 'RSA' })]);
  expect(JSON.stringify(kept)).not.toContain('"d"');
  old.on = false;
  expect(await shown()).toContain('former');
  forget();
  expect(await shown()).toContain('former');
  await settleBackground(10_000);
  // these keys also verify tokens of the old service
  old.on = true;
  const [alice] = await sql<{ id: string }>('select id from people where email = $1', [
    fixturePerson('alice').email,
  ]);
  await give({ jwks_uri, refresh: 'ask', token_endpoint: old.tokenEndpoint });
  forget();
  const refresh_token = await old.refreshToken('tru', alice?.id ?? '');
  const answer = await ask('/token', {
    form: { ...TRU, grant_type: 'refresh_token', refresh_token },
    headers: host(),
  });
  expect(answer.status, String(answer.body)).toBe(200);
});

test('a key set of the old service with a private key, or without keys, is ignored and removes nothing', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const open = { ...(await exportJWK(publicKey)), kid: 'open', alg: 'ES256' };
  published = { keys: [{ ...(await exportJWK(privateKey)), kid: 'hidden' }, open] };
  const jwks_uri = `${elsewhere.url}/keys`;
  await give({ jwks_uri });
  expect(await shown()).not.toContain('hidden');
  expect(await sql('select 1 from former_key_sets where address = $1', [jwks_uri])).toEqual([]);
  forget();
  // registry keys take precedence over fetched keys with the same kid
  published = { keys: [open, { kty: 'oct', k: 'x' }] };
  expect(await shown()).not.toContain('open');
  forget();
  published = { keys: [open, { kty: 'EC', crv: 'P-256', use: 'enc', x: 'x', y: 'y' }] };
  await give({ jwks_uri, jwks: { keys: old.keys } });
  expect((await shown()).filter((kid) => ['open', 'former'].includes(String(kid)))).toEqual([
    'former',
    'open',
  ]);
  // more keys than a client may register: the surplus is ignored
  published = { keys: Array.from({ length: 130 }, (_, n) => ({ ...open, kid: `many-${n}` })) };
  await give({ jwks_uri });
  forget();
  await shown();
  await settleBackground(10_000);
  const many = (await shown()).filter((kid) => kid?.startsWith('many-'));
  expect([many.length, many[0], many.at(-1)]).toEqual([100, 'many-0', 'many-99']);
  published = { keys: [open] };
  forget();
  await shown();
  await settleBackground(10_000);
  for (const gone of [{}, 'no set', { keys: [] }]) {
    published = gone;
    forget();
    expect(await shown()).toContain('open');
    await settleBackground(10_000);
    expect(await shown()).toContain('open');
  }
});
