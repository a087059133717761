import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseSettings } from './settings.ts';
import { startWarnings } from './start-warnings.ts';

const DATABASE_URL = 'postgres://u:p@db.example:5432/g';
const made = randomBytes(32).toString('base64url');

function warnings(env: Record<string, string>, inContainer = false): string[] {
  return startWarnings(parseSettings({ DATABASE_URL, GATEHOUSE_SECRET: made, ...env }), inContainer);
}

test.each([
  ['of one letter', 'A'.repeat(43)],
  ['of one byte', Buffer.alloc(32, 7).toString('base64url')],
  ['of a word again and again', 'secret'.repeat(8)],
  ['after a random one, which it may open for', `${made},${'A'.repeat(43)}`],
])(
  'if the address is public, a secret %s causes a start warning that does not contain the secret',
  (_, secret) => {
    const [said = '', ...others] = warnings({ GATEHOUSE_SECRET: secret, BASE_URL: 'https://login.example' });
    expect(said).toMatch(/^GATEHOUSE_SECRET is not random/);
    expect(said).not.toContain(secret);
    expect(others).toEqual([]);
    expect(warnings({ GATEHOUSE_SECRET: secret })).toEqual([]);
  },
);

test('generated secrets never cause the warning about typed secrets', () => {
  for (let times = 0; times < 10_000; times += 1)
    expect(
      warnings({
        GATEHOUSE_SECRET: randomBytes(32).toString('base64url'),
        BASE_URL: 'https://login.example',
      }),
    ).toEqual([]);
});

test('a container that listens only on its loopback address logs a warning', () => {
  const said = [expect.stringMatching(/^HOST is 127\.0\.0\.1, .*HOST=0\.0\.0\.0$/)];
  expect(warnings({}, true)).toEqual(said);
  expect(warnings({ BASE_URL: 'https://login.example' }, true)).toEqual([]);
  // a proxy in the same pod (side-car) can reach 127.0.0.1
  expect(warnings({ BASE_URL: 'https://login.example', HOST: '127.0.0.1' }, true)).toEqual([]);
  expect(warnings({}, false)).toEqual([]);
});
