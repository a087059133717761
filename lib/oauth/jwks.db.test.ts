// The JWKS before the first token is signed.
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { currentKey, rotateKeys } from '#lib/keys/keys.ts';
import { query } from '#lib/store/pool.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { openIdTokens, signInTo } from '#testing/in-process/openid.ts';

const jwks = async () =>
  jsonOf(await ask('/auth/pw/api/orders/jwks'))['keys'] as { kid: string; alg: string }[];

const sql = (text: string) => query({ text, values: [] });

async function apis(rows: string): Promise<void> {
  await sql('truncate signing_keys, apis, auth_methods cascade');
  await sql("insert into auth_methods (id, type, name, config) values ('pw', 'local', 'Password', '{}')");
  await sql(
    `insert into apis (id, name, url, access_token_ttl, access_token_format, signing_alg, refresh_token_ttl,
     refresh_family_ttl) select id, id, 'https://api.example/' || id, 60, format, alg, 60, 60
     from (values ${rows}) as given(id, format, alg)`,
  );
  await sql("insert into combinations (auth_method_id, api_id) select 'pw', id from apis");
}

test('before the first token, the JWKS contains future keys and one key per algorithm in use', async () => {
  await apis("('orders', 'jwt', 'ES256'), ('billing', 'jwt', 'RS256')");
  const keys = await jwks();
  expect(new Set(keys.map((key) => key.alg))).toEqual(new Set(['ES256', 'RS256']));
  expect(keys).toHaveLength(2);
  expect(await jwks()).toEqual(keys);
  for (const alg of ['ES256', 'RS256'] as const) {
    const { kid } = await currentKey(alg, await currentSnapshot());
    expect(keys.map((key) => key.kid)).toContain(kid);
  }
});

test('eight concurrent first JWKS requests return equal keys', async () => {
  await apis("('orders', 'jwt', 'ES256'), ('billing', 'opaque', 'RS256')");
  const sets = await Promise.all(Array.from({ length: 8 }, jwks));
  expect(new Set(sets.map((keys) => JSON.stringify(keys))).size).toBe(1);
  expect(sets[0]).toHaveLength(2);
});

test('the JWKS contains a key for every algorithm of id_token_signing_alg_values_supported, also of APIs with opaque tokens', async () => {
  await apis("('orders', 'opaque', 'ES256')");
  const metadata = jsonOf(await ask('/auth/pw/api/orders/.well-known/openid-configuration'));
  const promised = metadata['id_token_signing_alg_values_supported'];
  expect(new Set((await jwks()).map((key) => key.alg))).toEqual(new Set(promised as string[]));
});

test('the JWKS has no RS256 key if every API follows FAPI 2.0', async () => {
  await apis("('orders', 'jwt', 'ES256')");
  await sql("update apis set profile = 'fapi-2.0', dpop = 'required'");
  expect((await jwks()).map((key) => key.alg)).toEqual(['ES256']);
});

test('AD-11: a rotation before the first signature creates the first keys, and the audit log names the actor', async () => {
  await apis("('orders', 'jwt', 'ES256')");
  const made = await rotateKeys({ by: { actor: 'somebody' } });
  expect(new Set(made.map(({ alg }) => alg))).toEqual(new Set(['ES256', 'RS256']));
  expect(made).toHaveLength(2);
  const rows = await sql(
    "select details->>'kid' as kid from audit_events where event = 'key.created' and actor = 'somebody'",
  );
  expect(new Set(rows.map(({ kid }) => kid))).toEqual(new Set(made.map(({ kid }) => kid)));
  expect((await jwks()).map((key) => key.kid)).toEqual(made.map((key) => key.kid));
});

test.each(['RS256', 'ES256'])(
  'a client that reads discovery and keys before the first sign-in can verify its first ID token: %s',
  async (alg) => {
    await givenFixtures();
    await sql('delete from signing_keys');
    await sql(`update clients set id_token_signed_response_alg = '${alg}' where client_id = 'tru'`);
    const known = { keys: await jwks() } as unknown as JSONWebKeySet;
    const { cookie } = await signInTo('alice@example.com');
    const client = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
    const { id_token = '' } = await openIdTokens(client, { cookie, scope: 'openid' });
    const { protectedHeader } = await jwtVerify(id_token, createLocalJWKSet(known), { audience: 'tru' });
    expect(protectedHeader.alg).toBe(alg);
    expect(await jwks()).toEqual(known.keys);
  },
);
