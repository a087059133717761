// The routing slot: what says it, to whom, and what does not.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/index.ts';
import { always, nasty } from '../../scripts/fuzz/values.ts';
import { hashPresented, mint, type RoutedKind, SLOTS, slotOf, slotPresented } from './index.ts';

const KINDS = ['code', 'refresh', 'access', 'session'] as const satisfies readonly RoutedKind[];
const RANDOM = 43;
const secret = () => randomBytes(32).toString('base64url');
const withSecrets = (...secrets: string[]) =>
  loadSettings({ DATABASE_URL: 'postgres://localhost/none', GATEHOUSE_SECRET: secrets.join(',') });
const [first, second, third] = [secret(), secret(), secret()];

beforeEach(() => {
  withSecrets(first);
});

test('a person’s slot is the first two bytes of the SHA-256 of their id, whatever its letters', () => {
  const id = randomUUID();
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  expect(slotOf(id)).toBe(createHash('sha256').update(bytes).digest().readUInt16BE());
  expect(slotOf(id.toUpperCase())).toBe(slotOf(id));
  // fixed for ever: rows are found by it
  expect(slotOf('00000000-0000-4000-8000-000000000000')).toBe(0x9318);
  expect(slotOf('01234567-89ab-4cde-8f01-23456789abcd')).toBe(0x01c5);
});

test.each(KINDS)('a %s says its slot, whole or not at all, and keeps its 256 random bits', (kind) => {
  for (const slot of [0, 1, 255, 256, 40_000, SLOTS - 1]) {
    const { value, hash } = mint(kind, slot);
    expect(slotPresented(kind, value)).toBe(slot);
    expect(hashPresented(kind, value)).toEqual(hash);
    expect(value).toMatch(/^gh[crsa]_[\w-]{51}$/);
  }
  const all = Array.from({ length: 500 }, () => mint(kind, 7).value);
  expect(new Set(all.map((value) => value.slice(-RANDOM))).size).toBe(all.length);
});

test.each(KINDS)('a %s of the version before is of its kind, and says no slot', (kind) => {
  const { value, hash } = mint(kind, null);
  expect(value).toMatch(/^gh[crsa]_[\w-]{43}$/);
  expect(hashPresented(kind, value)).toEqual(hash);
  expect(slotPresented(kind, value)).toBeNull();
});

test('no two tokens of one person show that they are of one person: what stands in front is noise', () => {
  const blocks = Array.from({ length: 2_000 }, () => mint('refresh', 7).value.slice(4, -RANDOM));
  expect(new Set(blocks).size).toBe(blocks.length);
  // each bit is set in about half of them: 2,000 tosses stray from 1,000 by 200 once in 10^18
  const bytes = blocks.map((block) => Buffer.from(block, 'base64url'));
  for (let bit = 0; bit < 48; bit += 1) {
    const set = bytes.filter((block) => ((block[bit >> 3] ?? 0) >> (bit & 7)) & 1).length;
    expect(Math.abs(set - 1_000), `bit ${bit}`).toBeLessThan(200);
  }
});

test('a slot is read under every secret that is known, and made under the first', () => {
  const { value } = mint('refresh', 7);
  withSecrets(second, first);
  expect(slotPresented('refresh', value)).toBe(7);
  const later = mint('refresh', 7).value;
  withSecrets(second);
  expect(slotPresented('refresh', later)).toBe(7);
  expect(slotPresented('refresh', value)).toBeNull();
  withSecrets(third);
  expect(slotPresented('refresh', later)).toBeNull();
});

test('a slot that somebody else put there is none, and one that was turned belongs to no credential', () => {
  const { value, hash } = mint('code', 7);
  const block = value.slice(4, -RANDOM);
  const random = value.slice(-RANDOM);
  for (let at = 0; at < block.length; at += 1) {
    const other = block[at] === 'A' ? 'B' : 'A';
    const turned = `ghc_${block.slice(0, at)}${other}${block.slice(at + 1)}${random}`;
    expect(slotPresented('code', turned)).not.toBe(7);
    expect(hashPresented('code', turned)).not.toEqual(hash);
  }
  expect(slotPresented('code', `ghc_${block}${mint('code', null).value.slice(-RANDOM)}`)).toBeNull();
  expect(slotPresented('code', `ghc_${'é'.repeat(8)}${random}`)).toBeNull();
  always(nasty, (text) => {
    for (const kind of KINDS) expect(slotPresented(kind, text)).toBeNull();
    expect(slotPresented('code', `ghc_${text}`.padEnd(55, 'A').slice(0, 55))).toBeNull();
  });
});
