// Signing keys, as an administrator sees them.
import { beforeEach, expect, it } from 'vitest';
import { currentKey } from '#lib/keys/keys.ts';
import { MAX_PUBLISHED_KEYS } from '#lib/store/keys.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { givenEmptyRegistry, givenPerson, type Person, refusal, sql } from '#testing/data/registry.ts';
import { listSigningKeys, rotateSigningKeys } from './keys.ts';

let admin: Person;
beforeEach(async () => {
  await givenEmptyRegistry();
  await sql('delete from signing_keys');
  admin = await givenPerson('admin', 'administrator');
});

it('JK-02: each algorithm has a single signing key, marked in the list', async () => {
  const snapshot = await currentSnapshot();
  const [elliptic, rsa] = [await currentKey('ES256', snapshot), await currentKey('RS256', snapshot)];
  await rotateSigningKeys(admin);
  const states = Object.fromEntries((await listSigningKeys(admin)).map(({ kid, state }) => [kid, state]));
  expect(Object.values(states).toSorted()).toEqual(['next', 'next', 'signs', 'signs']);
  expect([states[elliptic.kid], states[rsa.kid]]).toEqual(['signs', 'signs']);
});

it('a key rotation is rejected at fifty JWKS keys per algorithm, and the error names the solution', async () => {
  await currentKey('ES256', await currentSnapshot());
  await sql(
    `insert into signing_keys (kid, alg, public_jwk, sealed_private, signs_from)
     select 'key-' || n, alg, public_jwk, sealed_private, signs_from from signing_keys, generate_series(2, $1::int) n`,
    [MAX_PUBLISHED_KEYS],
  );
  expect(await refusal(rotateSigningKeys(admin))).toMatchObject({
    kind: 'conflict',
    message:
      'no new key can be created, because the JWKS contains as many keys of ES256 as it can (50): wait until a key leaves the JWKS, or retire a key',
  });
  expect(await listSigningKeys(admin)).toHaveLength(MAX_PUBLISHED_KEYS);
});
