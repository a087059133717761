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
  'AUTH_URL: with %s and %s brokers send people to %s, where their cookies are',
  (BASE_URL, AUTH_URL, origin) => {
    loadSettings({ ...base, BASE_URL, AUTH_URL });
    expect(callbackOrigin()).toBe(origin);
  },
);

test('docs/brokers.md: each method has an address of its own; one that is registered with the shared one keeps that', () => {
  expect(callbackOf({ id: 'partner', config: {} })).toBe('/auth/callback/partner');
  expect(callbackOf({ id: 'partner', config: { shared_callback: true } })).toBe('/auth/callback/broker');
  // its own address is the shared one, and counts as that
  expect(callbackOf({ id: 'broker', config: {} })).toBe('/auth/callback/broker');
});

test('with two hosts a broker has to know two addresses: the console’s cookie is on the other one', () => {
  loadSettings({ ...base, BASE_URL: 'https://app.example', AUTH_URL: 'https://auth.example' });
  expect(ownCallbackUris('partner')).toEqual([
    'https://auth.example/auth/callback/partner',
    'https://app.example/auth/callback/partner',
  ]);
  loadSettings({ ...base, BASE_URL: 'https://app.example' });
  expect(ownCallbackUris('partner')).toEqual(['https://app.example/auth/callback/partner']);
});
