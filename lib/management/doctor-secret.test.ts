import { afterAll, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { examineSecret } from './doctor.ts';

const DATABASE_URL = 'postgres://localhost/none';
afterAll(() => loadSettings({ DATABASE_URL, GATEHOUSE_SECRET: 'A'.repeat(43) }));

test('doctor warns about a hand-typed GATEHOUSE_SECRET if the service has a public address', () => {
  const secret = 'A'.repeat(43);
  loadSettings({ DATABASE_URL, GATEHOUSE_SECRET: secret, BASE_URL: 'https://login.example' });
  expect(examineSecret()).toEqual([
    { check: 'secret', state: 'warning', detail: expect.stringMatching(/^GATEHOUSE_SECRET is not random/) },
  ]);
  loadSettings({ DATABASE_URL, GATEHOUSE_SECRET: secret });
  expect(examineSecret()).toEqual([]);
});
