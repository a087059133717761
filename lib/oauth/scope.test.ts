import { expect, test } from 'vitest';
import { InvalidScope } from './errors.ts';
import { parseScope, withoutOfflineAccess } from './rules.ts';

const ALL = ['read', 'write', 'orders:delete'];

test('AZ-12: the order and repetition of requested scopes are irrelevant, and the result has the API’s order', () => {
  for (const value of ['read write', 'write read', ' write  read ', 'write read write'])
    expect(parseScope(value, ALL)).toEqual(['read', 'write']);
});

test('AZ-11: an unknown scope, a wrong character, and an empty or endless list return invalid_scope', () => {
  const long = Array.from({ length: 5_000 }, (_, n) => `s${n}`).join(' ');
  for (const bad of ['admin', 'Read', 'read,write', 're"ad', 're\\ad', 'read\twrite', 'é', ' ', long])
    expect(() => parseScope(bad, ALL), JSON.stringify(bad.slice(0, 20))).toThrow(InvalidScope);
});

test('the error names the unknown scope, and for the scope groups the settings that return groups', () => {
  expect(() => parseScope('read fly', ALL)).toThrow("The scope 'fly' is unknown");
  expect(() => parseScope('openid groups', ['openid'])).toThrow(
    /The scope 'groups' is unknown.*Groups are a claim.*token_claims.*claims/,
  );
  expect(() => parseScope('constructor', ALL)).toThrow(/Allowed: read write orders:delete\.$/);
  expect(parseScope('groups', ['groups'])).toEqual(['groups']);
});

test('scopes outside the subscription are rejected', () => {
  expect(() => parseScope('read write', ['read'])).toThrow(InvalidScope);
});

test('offline_access is removed only as a whole scope name', () => {
  expect(withoutOfflineAccess('read offline_access  write')).toBe('read  write');
  expect(withoutOfflineAccess('offline_access')).toBe('');
  for (const same of ['read write', ' read', 'offline_accessible', 'Offline_Access'])
    expect(withoutOfflineAccess(same)).toBe(same);
});
