import { expect, test } from 'vitest';
import { meantKey } from './schema.ts';

test.each([
  [['apis', 0], 'acces_token_ttl', '; did you mean access_token_ttl?'],
  [['apis', 0, 'scopes', 1], 'descripton', '; did you mean description?'],
  [['auth_methods', 3], 'verify_uri', '; did you mean verify_url?'],
  [[], 'client', '; did you mean clients?'],
  [['apis', 0], 'frobnicate', ''],
] as const)('the fault for an unknown key suggests the intended key: at %j the key %s', (path, key, words) =>
  expect(meantKey(path, key)).toBe(words),
);
