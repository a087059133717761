// The JWKS of a service that has signed nothing yet.
import { expect, test } from 'vitest';
import { currentKey, rotateKeys } from '#lib/keys/index.ts';
import { currentSnapshot } from '#lib/store/index.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';
import { query } from '../../store/database/pool.ts';

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

test('the JWKS holds the keys of the first tokens before there are any, one for each algorithm in use', async () => {
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

test('eight at once who ask for the JWKS of a new service get the same key', async () => {
  await apis("('orders', 'jwt', 'ES256'), ('billing', 'opaque', 'RS256')");
  const sets = await Promise.all(Array.from({ length: 8 }, jwks));
  expect(new Set(sets.map((keys) => JSON.stringify(keys))).size).toBe(1);
  expect(sets[0]).toHaveLength(1);
});

test('AD-11: rotating a service that has signed nothing yet makes its first key, and the audit log knows who did', async () => {
  await apis("('orders', 'jwt', 'ES256')");
  const made = await rotateKeys({ by: { actor: 'somebody' } });
  expect(made).toHaveLength(1);
  const rows = await sql(
    "select details->>'kid' as kid from audit_events where event = 'key.created' and actor = 'somebody'",
  );
  expect(rows).toEqual([{ kid: made[0]?.kid }]);
  expect((await jwks()).map((key) => key.kid)).toEqual(made.map((key) => key.kid));
});
