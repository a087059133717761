import { expect, test } from 'vitest';
import type { SnapshotClient } from '#lib/store/snapshot.ts';
import { appendParameters, isRegisteredRedirectUri } from './rules.ts';

const client = (applicationType: 'web' | 'browser' | 'native', ...redirectUris: string[]) =>
  ({ applicationType, confidential: applicationType === 'web', redirectUris }) as unknown as SnapshotClient;

test('RU-01: a redirect_uri is compared as text, character by character', () => {
  const web = client('web', 'https://conf.example/cb');
  expect(isRegisteredRedirectUri(web, 'https://conf.example/cb')).toBe(true);
  for (const other of [
    'https://conf.example/cb/',
    'https://conf.example/CB',
    'https://conf.example/cb?',
    'https://conf.example/cb#',
    'https://conf.example:443/cb',
    'https://CONF.example/cb',
    'HTTPS://conf.example/cb',
    'http://conf.example/cb',
    'https://conf.example/cb/../evil',
  ])
    expect(isRegisteredRedirectUri(web, other), other).toBe(false);
});

test('RU-10: for a native client, a loopback address matches with any port', () => {
  const native = client('native', 'http://127.0.0.1/cb', 'http://[::1]/cb', 'com.example.app:/cb');
  for (const good of [
    'http://127.0.0.1/cb',
    'http://127.0.0.1:51004/cb',
    'http://[::1]:1/cb',
    'com.example.app:/cb',
  ])
    expect(isRegisteredRedirectUri(native, good), good).toBe(true);
});

test('RU-10: localhost matches any port if registered with the same path, query and scheme', () => {
  const native = client('native', 'http://localhost/callback', 'http://localhost:3118/two?a=b');
  for (const good of [
    'http://localhost/callback',
    'http://localhost:51004/callback',
    'http://localhost/two?a=b',
    'http://localhost:1/two?a=b',
  ])
    expect(isRegisteredRedirectUri(native, good), good).toBe(true);
  for (const bad of [
    'http://localhost:51004/callback/',
    'http://localhost:51004/callback?a=b',
    'http://localhost:51004/two',
    'https://localhost:51004/callback',
    'http://127.0.0.1:51004/callback',
    'http://LOCALHOST:51004/callback',
    'http://localhost.:51004/callback',
    'http://localhost.evil.example:51004/callback',
    'http://localhost:51004@evil.example/callback',
    'http://localhost:123456/callback',
  ])
    expect(isRegisteredRedirectUri(native, bad), bad).toBe(false);
  for (const kind of ['web', 'browser'] as const)
    expect(isRegisteredRedirectUri(client(kind, 'http://localhost/cb'), 'http://localhost:5/cb')).toBe(false);
});

test('RU-11: an address that only looks like a loopback address does not match', () => {
  const native = client('native', 'http://127.0.0.1/cb');
  for (const bad of [
    'http://127.0.0.1:51004/other',
    'https://127.0.0.1:51004/cb',
    'http://127.0.0.1.nip.io/cb',
    'http://127.000.000.001:1/cb',
    'http://localhost:1/cb',
    'http://0.0.0.0:1/cb',
    'http://2130706433/cb',
    'http://127.0.0.1:1@evil.example/cb',
    'http://127.0.0.1:123456/cb',
    'http://127.0.0.1:/cb',
    'http://user@127.0.0.1:1/cb',
    'http://127.0.0.1:1/cb#part',
    ' http://127.0.0.1:1/cb',
    'x:http://127.0.0.1:1/cb',
    'http://127.0.0.1:1/cb\n',
    'http://127.0.0.1:1cb',
    'com.example.app:/cb',
  ])
    expect(isRegisteredRedirectUri(native, bad), bad).toBe(false);
});

test('RU-10: only native public clients can use any port', () => {
  const kept = { ...client('native', 'http://127.0.0.1/cb'), confidential: true };
  expect(isRegisteredRedirectUri(kept, 'http://127.0.0.1:5/cb')).toBe(false);
  for (const kind of ['web', 'browser'] as const)
    expect(isRegisteredRedirectUri(client(kind, 'http://127.0.0.1/cb'), 'http://127.0.0.1:5/cb')).toBe(false);
});

test('RU-15, RU-16: the redirect starts with the unchanged registered URI, and the parameters follow', () => {
  const given = [
    ['code', 'c'],
    ['state', 'a b&c=é'],
  ] as const;
  const tail = 'code=c&state=a%20b%26c%3D%C3%A9';
  expect(appendParameters('https://conf.example', given)).toBe(`https://conf.example?${tail}`);
  expect(appendParameters('https://conf.example/cb?tenant=7', given)).toBe(
    `https://conf.example/cb?tenant=7&${tail}`,
  );
  expect(appendParameters('com.example.app:/cb', given)).toBe(`com.example.app:/cb?${tail}`);
  for (const open of ['https://conf.example/cb?', 'https://conf.example/cb?a=b&'])
    expect(appendParameters(open, given)).toBe(`${open}${tail}`);
  expect(appendParameters('https://conf.example/cb?&a=b', given)).toBe(
    `https://conf.example/cb?&a=b&${tail}`,
  );
});
