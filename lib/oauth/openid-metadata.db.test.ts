// Metadata of issuers by kind of method, tested by requests to the protocol core.
import { beforeAll, expect, test } from 'vitest';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { OPENID_PATH, openIdTokens, signInTo } from '#testing/in-process/openid.ts';

beforeAll(givenFixtures);

for (const method of ['pw', 'ext', 'brk']) {
  test(`RFC 8414 §3.2: the metadata of a ${method} issuer contain no empty list`, async () => {
    const metadata = jsonOf(await ask(`/auth/${method}/api/orders/.well-known/openid-configuration`));
    const lists = Object.entries(metadata).filter(([, value]) => Array.isArray(value));
    expect(lists.length).toBeGreaterThan(5);
    expect(lists.filter(([, value]) => (value as unknown[]).length === 0)).toEqual([]);
    expect('acr_values_supported' in metadata).toBe(method !== 'brk');
  });
}

test.each([
  ['pw', false],
  ['ext', false],
  ['brk', true],
])(
  'RFC 8414 §2: the metadata of an issuer with the method %s list only scopes whose claims its users can have',
  async (method, all) => {
    const metadata = jsonOf(await ask(`/auth/${method}/api/orders/.well-known/openid-configuration`));
    const [scopes, claims] = [
      metadata['scopes_supported'] as string[],
      metadata['claims_supported'] as string[],
    ];
    expect(scopes).toEqual(
      expect.arrayContaining(['openid', 'profile', 'email', 'offline_access', 'read', 'write']),
    );
    for (const [scope, claim] of [
      ['address', 'address'],
      ['phone', 'phone_number'],
    ] as const)
      expect([scopes.includes(scope), claims.includes(claim)]).toEqual([
        claims.includes(claim),
        scopes.includes(scope),
      ]);
    expect(scopes.includes('phone')).toBe(all);
  },
);

test('a scope that the metadata do not list is accepted and adds no claim', async () => {
  const { cookie } = await signInTo('alice@example.com');
  const tokens = await openIdTokens(
    { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' },
    { cookie, scope: 'openid address' },
  );
  expect(tokens['id_token']).toEqual(expect.any(String));
});

test('OpenID Connect Core §5.1: preferred_username of a local user is the user name, or the local part of a verified address', async () => {
  const { cookie, personId } = await signInTo('alice@example.com');
  const of = async () => {
    const { access_token } = await openIdTokens(
      { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' },
      { cookie, scope: 'openid profile' },
    );
    const headers = { authorization: `Bearer ${access_token}` };
    return jsonOf(await ask(`${OPENID_PATH}/userinfo`, { headers }))['preferred_username'];
  };
  expect(await of()).toBeUndefined();
  await sql('update people set email_verified_at = now() where id = $1', [personId]);
  expect(await of()).toBe('alice');
  await sql("update people set username = 'alice' where email = 'bob@example.com'");
  expect(await of()).toBeUndefined();
  await sql("update people set username = 'ali' where id = $1", [personId]);
  expect(await of()).toBe('ali');
  await sql('update people set username = null where id = $1', [personId]);
  const metadata = jsonOf(await ask(`${OPENID_PATH}/.well-known/openid-configuration`));
  expect(metadata['claims_supported']).toContain('preferred_username');
});
