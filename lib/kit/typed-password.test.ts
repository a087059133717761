import { hash } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import { typed } from '#testing/in-process/typed.ts';
import { wrapHash } from './kept-hashes/kept-hash.ts';
import { hashPassword, verifyPassword } from './password-hash.ts';
import { formsOf, readTypedPassword } from './typed-password.ts';

const CHEAP = { algorithm: 2, memoryCost: 256, timeCost: 1, parallelism: 1 } as const;
/**
 * Salt and rounds were made by `openssl passwd -6 -salt saltsalt` with 100,000 rounds for `secret`. The digest is
 * replaced.
 */
const SHA_CRYPT = `$6$rounds=100000$saltsalt$${'a'.repeat(86)}`;

test('a typed password has at most 1,024 bytes of UTF-8', () => {
  for (const most of ['x'.repeat(1_024), 'é'.repeat(512), '🔑'.repeat(256)])
    expect(readTypedPassword(most)).toBe(most);
  for (const more of ['x'.repeat(1_025), `${'é'.repeat(512)}x`, '🔑'.repeat(257), 'x'.repeat(10_000_000)])
    expect(readTypedPassword(more)).toBeNull();
});

test('a password typed in NFC or NFD matches hashes of both forms', async () => {
  const [nfc, nfd] = ['Grüße é', 'Grüße é'].map((text, at) => text.normalize(at === 0 ? 'NFC' : 'NFD'));
  if (nfc === undefined || nfd === undefined) throw new Error('no forms');
  expect(nfc).not.toBe(nfd);
  const ours = await hashPassword(typed(nfd));
  const hashes = [ours, await hash(nfc, CHEAP), await hash(nfd, CHEAP)];
  for (const hashed of hashes)
    for (const form of [nfc, nfd]) expect(await verifyPassword(hashed, typed(form))).toBe(true);
  expect(await verifyPassword(ours, typed('Grusse e'))).toBe(false);
  expect(formsOf(typed('plain ASCII'))).toEqual(['plain ASCII']);
});

test('a typed password has at most two forms: NFC, and NFD or the typed form', () => {
  const [nfc, nfd] = ['é', 'e\u0301'];
  expect(formsOf(typed(`${nfc}${nfc}`))).toEqual([`${nfc}${nfc}`, `${nfd}${nfd}`]);
  expect(formsOf(typed(`${nfd}${nfd}`))).toEqual([`${nfc}${nfc}`, `${nfd}${nfd}`]);
  expect(formsOf(typed(`${nfc}${nfd}`))).toEqual([`${nfc}${nfc}`, `${nfc}${nfd}`]);
  // in NFC, some letters are decomposed
  expect(formsOf(typed('\u0958'))).toEqual(['\u0915\u093C', '\u0958']);
});

test('a password in mixed form matches its old hash as typed, and the renewed hash accepts its NFC form', async () => {
  const mixed = 'ée\u0301';
  expect(await verifyPassword(await hash(mixed, CHEAP), typed(mixed))).toBe(true);
  const renewed = await hashPassword(typed(mixed));
  for (const form of [mixed, mixed.normalize('NFC'), mixed.normalize('NFD')])
    expect(await verifyPassword(renewed, typed(form))).toBe(true);
});

test('while a SHA-512 hash with 100,000 rounds is computed for the longest password, the event loop continues', async () => {
  const kept = await wrapHash(SHA_CRYPT);
  let isOver = false;
  let turns = 0;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  turn();
  expect(await verifyPassword(kept, typed('x'.repeat(1_024)))).toBe(false);
  isOver = true;
  // with slices of 64 KiB there are several thousand turns of the event loop; with slices of 1,000 rounds,
  // about one hundred
  expect(turns).toBeGreaterThan(1_000);
});

test('a stored hash above the round limit of imports is rejected without computation', async () => {
  const kept = (await wrapHash(SHA_CRYPT)).replace('=100000$', '=999999999$');
  expect(await verifyPassword(kept, typed('secret'))).toBe(false);
});
