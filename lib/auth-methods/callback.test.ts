import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { callbackOf, callbackOrigin, ownCallbackUris } from './callback.ts';

const base = {
  DATABASE_URL: 'postgres://localhost/none',
  GATEHOUSE_SECRET: randomBytes(32).toString('base64url'),
};

test.each([
  ['https://login.example', undefined, 'https://login.example'],
  ['https://app.example', 'https://auth.example', 'https://auth.example'],
  ['https://app.example', 'https://app.example:8443', 'https://app.example'],
  ['http://app.example', 'https://app.example', 'https://app.example'],
  ['http://localhost:3000', 'http://localhost:3001', 'http://localhost:3000'],
])(
  'AUTH_URL: BASE_URL %s and AUTH_URL %s use the callback origin %s, which receives the cookies',
  (BASE_URL, AUTH_URL, origin) => {
    loadSettings({ ...base, BASE_URL, AUTH_URL });
    expect(callbackOrigin()).toBe(origin);
  },
);

test('docs/how-to/brokers.md: each method has a separate callback address, and a method that used the shared address keeps it', () => {
  expect(callbackOf({ id: 'partner', config: {} })).toBe('/auth/callback/partner');
  expect(callbackOf({ id: 'partner', config: { shared_callback: true } })).toBe('/auth/callback/broker');
  // this path equals the shared address, so the address is treated as shared
  expect(callbackOf({ id: 'broker', config: {} })).toBe('/auth/callback/broker');
});

test('if BASE_URL and AUTH_URL have different hosts, each host needs a callback address, because a cookie belongs to one host', () => {
  loadSettings({ ...base, BASE_URL: 'https://app.example', AUTH_URL: 'https://auth.example' });
  expect(ownCallbackUris('partner')).toEqual([
    'https://auth.example/auth/callback/partner',
    'https://app.example/auth/callback/partner',
  ]);
  loadSettings({ ...base, BASE_URL: 'https://app.example' });
  expect(ownCallbackUris('partner')).toEqual(['https://app.example/auth/callback/partner']);
});
