import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LIST_FILE, makeKnownPasswords, sourcePasswords } from '../../scripts/known-passwords.ts';
import { isKnownPassword } from './password-policy.ts';

test('the shipped list of known passwords matches its source', () => {
  const made = makeKnownPasswords();
  expect(made === readFileSync(LIST_FILE, 'utf8'), 'run: node scripts/known-passwords.ts').toBe(true);
});

describe('NIST SP 800-63B-4 §3.1.1.2: known passwords', () => {
  test('known passwords include the 10,000 most common ones (8 characters minimum)', async () => {
    const most = sourcePasswords().slice(0, 10_000);
    expect(most).toHaveLength(10_000);
    const known = await Promise.all(most.map((password) => isKnownPassword(password)));
    expect(known.every(Boolean)).toBe(true);
  });

  test.each(['PASSWORD', 'Password1', 'QwErTyUiOp', 'ｐａｓｓｗｏｒｄ'])(
    '%s is a known password, in any letter case or width',
    async (password) => {
      expect(await isKnownPassword(password)).toBe(true);
    },
  );

  test.each(['', 'correct horse battery staple', 'long-enough-9', 'häuser-am-meer', '🐎🔋📎🐎🔋📎🐎🔋'])(
    '%j is not a known password',
    async (password) => {
      expect(await isKnownPassword(password)).toBe(false);
    },
  );
});
