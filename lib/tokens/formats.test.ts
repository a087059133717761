import { expect, test } from 'vitest';
import { hashPresented, mint } from './formats.ts';

const KINDS = ['code', 'refresh', 'access', 'machine', 'session', 'clientSecret', 'mail'] as const;

test.each(KINDS)('a credential of the kind %s consists of its prefix and 256 random bits', (kind) => {
  const made = Array.from({ length: 500 }, () => mint(kind));
  const random = made.map(({ value }) => /^gh[a-z]{1,2}_([\w-]{43})$/.exec(value)?.[1] ?? '');
  for (const text of random) expect(Buffer.from(text, 'base64url')).toHaveLength(32);
  // the first and the last six bytes are unique
  for (const part of [random.map((text) => text.slice(0, 8)), random.map((text) => text.slice(-8))])
    expect(new Set(part).size).toBe(made.length);
});

test.each(KINDS)('a credential of the kind %s with a wrong length is rejected', (kind) => {
  const { value, hash } = mint(kind);
  expect(hashPresented(kind, value)).toEqual(hash);
  for (const other of [value.slice(0, -1), `${value}A`, `${value.slice(0, -43)}AAAAAAAA${value.slice(-43)}`])
    expect(hashPresented(kind, other)).toBeNull();
});
