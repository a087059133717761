import { expect, test } from 'vitest';
import { needsReseal, seal, unseal } from './seal.ts';

const OLD = ['a'.repeat(43)];
const BOTH = ['b'.repeat(43), ...OLD];
const NEW = BOTH.slice(0, 1);

test('rotation: the new secret seals, both secrets unseal, and old seals need resealing', () => {
  const sealed = seal('secret', 'p', OLD);
  expect(sealed).not.toContain('secret');
  expect(unseal(sealed, 'p', BOTH)).toBe('secret');
  expect(needsReseal(sealed, BOTH)).toBe(true);
  const again = seal('secret', 'p', BOTH);
  expect(needsReseal(again, BOTH)).toBe(false);
  expect(unseal(again, 'p', NEW)).toBe('secret');
  expect(unseal(sealed, 'p', NEW)).toBeNull();
});

test('a sealed text that was changed, extended, cut or reshaped is not opened, and no error is thrown', () => {
  const sealed = seal('secret', 'p', OLD);
  for (let at = 0; at < sealed.length; at += 1) {
    const other = sealed[at] === 'A' ? 'B' : 'A';
    const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
    expect(unseal(changed, 'p', OLD), changed).toBeNull();
  }
  const more = ['\u0000', '\r\n', '=', ' ', '<', 'é'].map((junk) => `${sealed}${junk}`);
  for (const bad of ['', '.', 'v1', 'v1...', sealed.slice(0, -20), `${sealed}.x`, 'v2.a.b.c', ...more])
    expect(unseal(bad, 'p', OLD), bad).toBeNull();
});
