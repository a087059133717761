import fc from 'fast-check';
import { expect, test } from 'vitest';
import { always, nasty } from '../../scripts/fuzz/values.ts';
import { seal, unseal } from './seal.ts';

const secrets = ['A'.repeat(43), 'B'.repeat(43)];

test('a sealed text opens only for its purpose, and equals the original text', () => {
  always(nasty, nasty, nasty, (plain, purpose, other) => {
    const text = plain.toWellFormed();
    const sealed = seal(text, purpose, secrets);
    expect(unseal(sealed, purpose, secrets)).toBe(text);
    expect(unseal(sealed, purpose, [...secrets].reverse())).toBe(text);
    expect(unseal(sealed, purpose, secrets.slice(1))).toBeNull();
    if (Buffer.compare(Buffer.from(other), Buffer.from(purpose)) !== 0)
      expect(unseal(sealed, other, secrets)).toBeNull();
  });
});

test('random text and a seal with another body never open', () => {
  const sealed = seal('the text', 'purpose', secrets);
  always(nasty, fc.base64String(), (text, more) => {
    expect(unseal(text, 'purpose', secrets)).toBeNull();
    expect(unseal(`${sealed.split('.').slice(0, 3).join('.')}.${more}`, 'purpose', secrets)).toBeNull();
  });
});
