// JWTs do not reflect later changes. Introspection immediately reports disabled, revoked or retired tokens as inactive,
// without details (RFC 7662 §2.2, contract section 6).
import { randomUUID } from 'node:crypto';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { retireKey } from '#lib/keys/keys.ts';
import { sha256 } from '#lib/kit/random.ts';
import { query } from '#lib/store/pool.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { signAccessToken } from '#lib/tokens/access-token.ts';
import { givenBasis, givenFamilyRow } from '#testing/data/families.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';
import { basic } from '#testing/service/token.ts';

const API_SECRET = 'the API’s own credential';
const run = (text: string, values: unknown[] = []) => query({ text, values });
const personId = await givenBasis(run, { trusted: true });
await run("insert into auth_methods (id, type, name) values ('other', 'local', 'Other')");
await run("insert into combinations (auth_method_id, api_id) values ('other', 'orders')");
await run('update apis set introspection_secret_hash = $1', [sha256(API_SECRET)]);

async function jwt(basis = 'consent'): Promise<{ token: string; familyId: string }> {
  const familyId = await givenFamilyRow(run, { personId, clientId: 'shop', apiId: 'orders', basis });
  const snapshot = await currentSnapshot();
  const api = snapshot.apis.get('orders');
  if (!api) throw new Error('no API');
  const claims = {
    issuer: 'http://localhost:3000/auth/local/api/orders',
    clientId: 'shop',
    scopes: ['read'],
  };
  const token = await signAccessToken(
    { ...claims, api, familyId, sub: personId, authTime: new Date() },
    snapshot,
  );
  return { token, familyId };
}

/** Removed combinations have no endpoints, so tests introspect at another issuer. */
const introspect = async (token: string, method = 'local') =>
  jsonOf(
    await ask(`/auth/${method}/api/orders/introspect`, {
      form: { token },
      headers: basic('orders', API_SECRET),
    }),
  );

type Switch = [what: string, off: string, on: string, basis?: string];
const state = (name: string): Switch => [
  `a subscription that is ${name}`,
  `update subscriptions set state = '${name}'`,
  "update subscriptions set state = 'approved'",
];
const PAUSES = [state('pending'), state('suspended')];
const ENDINGS: Switch[] = [
  ['a disabled person', 'update people set disabled_at = now()', 'update people set disabled_at = null'],
  ['a disabled client', 'update clients set disabled_at = now()', 'update clients set disabled_at = null'],
  [
    'a client turned public',
    'update clients set confidential = false',
    'update clients set confidential = true',
  ],
  [
    'a changed password',
    'update people set password_changed_at = clock_timestamp()',
    'update people set password_changed_at = null',
  ],
  [
    'a withdrawn consent',
    'delete from consents',
    "insert into consents (person_id, client_id, api_id, scopes) select id, 'shop', 'orders', '{read}' from people",
  ],
  state('rejected'),
  state('revoked'),
  [
    'trust taken back, where the token rests on it',
    'update subscriptions set trusted = false',
    'update subscriptions set trusted = true',
    'trust',
  ],
  [
    'a combination that is no more',
    "delete from combinations where auth_method_id = 'local'",
    "insert into combinations (auth_method_id, api_id) values ('local', 'orders')",
  ],
];

test.each(PAUSES)(
  'RV-05: %s makes a JWT inactive immediately, and undoing this makes the JWT active again',
  async (_, off, on) => {
    const { token } = await jwt();
    expect(await introspect(token)).toMatchObject({ active: true, sub: personId });
    await run(off);
    expect(await introspect(token, 'other')).toEqual({ active: false });
    await run(on);
    expect(await introspect(token)).toMatchObject({ active: true });
  },
);

test.each(ENDINGS)(
  'RV-05: %s revokes a JWT permanently, even if this is undone',
  async (_, off, on, basis) => {
    const { token } = await jwt(basis);
    expect(await introspect(token)).toMatchObject({ active: true, sub: personId });
    await run(off);
    expect(await introspect(token, 'other')).toEqual({ active: false });
    await run(on);
    expect(await introspect(token)).toEqual({ active: false });
    expect(await introspect((await jwt(basis)).token)).toMatchObject({ active: true });
  },
);

test('RV-05: withdrawing a consent revokes token families and their JWTs, and removing trust does not affect them', async () => {
  const { token, familyId } = await jwt();
  await run('update subscriptions set trusted = false');
  expect(await introspect(token)).toMatchObject({ active: true });
  await run('update token_families set revoked_at = now() where id = $1', [familyId]);
  expect(await introspect(token)).toEqual({ active: false });
  await run('update subscriptions set trusted = true');
});

test('RV-01: revoking a single JWT leaves other JWTs of its token family active', async () => {
  const { token, familyId } = await jwt();
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  expect(jti.startsWith(familyId)).toBe(true);
  await run("insert into revoked_tokens (jti, expires_at) values ($1, now() + interval '1 hour')", [jti]);
  expect(await introspect(token)).toEqual({ active: false });
  expect(await introspect((await jwt()).token)).toMatchObject({ active: true });
});

test('contract 1: when a key is retired, its tokens become inactive immediately, and a new key signs', async () => {
  const { token } = await jwt();
  const { kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
  expect(await retireKey(kid)).toBe(true);
  expect(await introspect(token)).toEqual({ active: false });
  expect(await introspect((await jwt()).token)).toMatchObject({ active: true });
});

describe('a key that another process has just created', () => {
  /** Returns a token that is signed with a key unknown to this process. */
  async function elsewhere(): Promise<{ token: string; familyId: string }> {
    // refreshes this process's registry snapshot
    const { token, familyId } = await jwt();
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const kid = randomUUID();
    const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' };
    await run(
      `insert into signing_keys (kid, alg, public_jwk, sealed_private, signs_from)
        values ($1, 'ES256', $2, 'none', now() + interval '1 day')`,
      [kid, JSON.stringify(jwk)],
    );
    const again = await new SignJWT(decodeJwt(token))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
      .sign(privateKey);
    return { token: again, familyId };
  }

  test('the first token signed by a key that one process has just created is active at another process', async () => {
    const { token } = await elsewhere();
    expect(await introspect(token)).toMatchObject({ active: true });
  });
});
