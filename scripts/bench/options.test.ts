import { expect, test } from 'vitest';
import { PEERS, readOptions } from './options.ts';

test.each([
  { flags: [], peers: null },
  { flags: ['--peers'], peers: PEERS },
  { flags: ['--peers', '--publish'], peers: PEERS },
  { flags: ['--publish', '--peers'], peers: PEERS },
  { flags: ['--peers', 'keycloak'], peers: ['keycloak'] },
  { flags: ['--peers=hydra, gatehouse'], peers: ['gatehouse', 'hydra'] },
])('bench: $flags measures the peers $peers', ({ flags, peers }) => {
  expect(readOptions(flags)?.peers).toEqual(peers);
});

test.each([
  { flags: ['--peers', 'keycloack'], message: `no such peer: keycloack; peers: ${PEERS.join(', ')}` },
  { flags: ['--peers='], message: `no such peer: ''; peers: ${PEERS.join(', ')}` },
  { flags: ['--peers', 'hydra', '--publish'], message: '--publish replaces the whole table of peers' },
  { flags: ['--peers', '--cold'], message: 'one measurement in a run: omit --peers' },
  { flags: ['--scenarios', 'logout'], message: 'no such scenario: logout' },
])('bench: $flags fails with "$message"', ({ flags, message }) => {
  expect(() => readOptions(flags)).toThrow(message);
});

test('bench: --help returns no options', () => {
  expect(readOptions(['--help', '--peers'])).toBeNull();
});
