import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/index.ts';
import { brokerRedirectUri } from './pending-sign-in.ts';

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
  'contract 2: with %s and %s brokers send people to %s, where their cookies are',
  (BASE_URL, AUTH_URL, origin) => {
    loadSettings({ ...base, BASE_URL, AUTH_URL });
    expect(brokerRedirectUri()).toBe(`${origin}/auth/callback/broker`);
  },
);
