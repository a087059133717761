import { expect, test } from 'vitest';
import { InvalidScope } from './errors.ts';
import { isScope, parseScope, withoutOfflineAccess } from './rules.ts';

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

test('the error names the unknown scope, and if that is "groups", the error also names the settings that return groups', () => {
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

test('RFC 6749 §3.3: isScope accepts names of at most 4,096 characters in total', () => {
  for (const good of ['', 'a', ' a  b ', 'https://a.example/x', '!#[]~', 'a'.repeat(4_096)])
    expect(isScope(good), good.slice(0, 20)).toBe(true);
  for (const bad of ['a"', '"a', 'a\\b', 'a\tb', 'é', 'a é', 'a'.repeat(4_097)])
    expect(isScope(bad), bad.slice(0, 20)).toBe(false);
});

test.each([
  ['4,097 characters', `read ${'a'.repeat(4_092)}`, ALL, 'The scope is too long.'],
  ['a wrong character', 're"ad', ['re"ad'], 'scope contains a character that is not allowed in a scope.'],
  [
    'a wrong character at the end',
    'read"',
    ['read"'],
    'scope contains a character that is not allowed in a scope.',
  ],
  ['no name', ' ', ALL, 'The scope is empty.'],
  [
    'a name without allowed scopes',
    'read',
    [],
    "The scope 'read' is unknown or not allowed here. Allowed: none.",
  ],
  [
    'a long name',
    'x'.repeat(101),
    ['a', 'b'],
    `'${'x'.repeat(100)}' is unknown or not allowed here. Allowed: a b.`,
  ],
  ['a name outside of 400 characters', 'x', ['a'.repeat(400)], ` Allowed: ${'a'.repeat(400)}.`],
  ['a name outside of 401 characters', 'x', ['a'.repeat(401)], ` Allowed: ${'a'.repeat(400)}....`],
])('the error describes a scope with %s', (_, value, allowed, message) => {
  expect(() => parseScope(value, allowed)).toThrow(InvalidScope);
  expect(() => parseScope(value, allowed)).toThrow(new RegExp(`${RegExp.escape(message)}$`));
});

test('parseScope accepts 4,096 characters', () => {
  const name = 'a'.repeat(4_096);
  expect(parseScope(name, [name])).toEqual([name]);
});
