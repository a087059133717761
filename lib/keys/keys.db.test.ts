import { expect, test, vi } from 'vitest';
import { unseal } from '#lib/kit/seal.ts';
import { settings } from '#lib/settings/settings.ts';
import { MAX_PUBLISHED_KEYS } from '#lib/store/keys.ts';
import { query } from '#lib/store/pool.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import {
  currentKey,
  findPublicKey,
  publicKeys,
  publicKeysEnd,
  retireKey,
  rotateKeys,
  TooManyKeys,
} from './keys.ts';

const published = async (alg: string) =>
  publicKeys(await currentSnapshot()).keys.filter((key) => key['alg'] === alg).length;
const current = async () => (await currentKey('ES256', await currentSnapshot())).kid;

test('JK-05: eight instances that need the first key at once create exactly one', async () => {
  const kids = await Promise.all(Array.from({ length: 8 }, current));
  expect(new Set(kids).size).toBe(1);
  expect((await currentSnapshot()).keys).toHaveLength(1);
});

test('JK-02: a new key is published before it signs, and the old key still verifies', async () => {
  const before = await current();
  await rotateKeys();
  const snapshot = await currentSnapshot();
  expect(publicKeys(snapshot).keys).toHaveLength(2);
  // an ID token is valid for an hour, even if access tokens expire earlier
  expect(publicKeysEnd(snapshot)).toBeGreaterThan(Date.now() + 3_600_000);
  expect(await current()).toBe(before);
  await query({
    text: "update signing_keys set signs_from = signs_from - interval '150 seconds'",
    values: [],
  });
  expect(await current()).not.toBe(before);
  expect(findPublicKey(await currentSnapshot(), before)).not.toBeNull();
});

test('JK-04: opening a sealed private key requires its kid and the secret', async () => {
  const [row] = (await currentSnapshot()).keys;
  if (!row) throw new Error('there is a key by now');
  const open = (kid: string, secrets: string[]) => unseal(row.sealedPrivate, `signing key ${kid}`, secrets);
  expect(open(row.kid, settings().secrets)).toContain('"d"');
  expect(open('another', settings().secrets)).toBeNull();
  expect(open(row.kid, ['x'.repeat(43)])).toBeNull();
});

test('a retired key is removed from the JWKS immediately, and another key signs', async () => {
  const before = await current();
  expect(await retireKey(before)).toBe(true);
  expect(await retireKey(before)).toBe(false);
  expect(findPublicKey(await currentSnapshot(), before)).toBeNull();
  expect(await current()).not.toBe(before);
});

test('after emergency removal of the signing key, the next key signs earlier than planned', async () => {
  const before = await current();
  await rotateKeys();
  await retireKey(before);
  const next = await current();
  expect(next).not.toBe(before);
  expect(findPublicKey(await currentSnapshot(), next)).not.toBeNull();
});

test('parallel rotations create at most fifty keys per algorithm, and after a key is removed, another can be created', async () => {
  await current();
  for (let wave = 0; wave < 8; wave += 1) {
    const ends = await Promise.allSettled(Array.from({ length: 10 }, () => rotateKeys()));
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(TooManyKeys);
  }
  expect(await published('ES256')).toBe(MAX_PUBLISHED_KEYS);
  await expect(rotateKeys()).rejects.toThrow(`${MAX_PUBLISHED_KEYS} keys of ES256 are in the JWKS`);
  await retireKey(await current());
  await rotateKeys();
  expect(await published('ES256')).toBe(MAX_PUBLISHED_KEYS);
});

test('a hundred parallel requests for the first key create one key', async () => {
  const made = vi.spyOn(crypto.subtle, 'generateKey');
  const snapshot = await currentSnapshot();
  const keys = await Promise.all(Array.from({ length: 100 }, () => currentKey('RS256', snapshot)));
  expect(new Set(keys.map(({ kid }) => kid)).size).toBe(1);
  expect(made).toHaveBeenCalledTimes(1);
  made.mockRestore();
});

test('if one algorithm reached the limit of keys, the rotation creates no key for other algorithms', async () => {
  expect([await published('ES256'), await published('RS256')]).toEqual([MAX_PUBLISHED_KEYS, 1]);
  await expect(rotateKeys()).rejects.toBeInstanceOf(TooManyKeys);
  expect(await published('RS256')).toBe(1);
});
