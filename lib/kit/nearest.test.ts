import { expect, test } from 'vitest';
import { nearest } from './text.ts';

const NAMES = ['access_token_ttl', 'refresh_token_ttl', 'apply', 'doctor', 'url'];

test.each([
  ['acces_token_ttl', 'access_token_ttl'],
  ['accessTokenTtl', 'access_token_ttl'],
  ['aply', 'apply'],
  ['docter', 'doctor'],
  ['uri', 'url'],
  ['colour', null],
  ['', null],
  ['x'.repeat(100_000), null],
])('the nearest known name to %.20s is %s', (typed, name) => expect(nearest(typed, NAMES)).toBe(name));
