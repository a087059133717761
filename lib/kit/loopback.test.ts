import { expect, test } from 'vitest';
import { isLoopbackAddress, isLoopbackHost, isSafeAddress } from './loopback.ts';

test.each([
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['::FFFF:127.0.0.1', true],
  ['192.0.2.1', false],
  ['::ffff:192.0.2.1', false],
  ['::', false],
  ['0.0.0.0', false],
  ['127.0.0.1.example', false],
  ['1127.0.0.1', false],
  ['', false],
])('the address %s is local: %s', (address, own) => {
  expect(isLoopbackAddress(address)).toBe(own);
});

test.each([
  ['localhost', true],
  ['LOCALHOST', true],
  ['orders.localhost', true],
  ['127.0.0.1', true],
  ['[::1]', true],
  ['::1', true],
  ['localhost.example', false],
  ['notlocalhost', false],
  ['127.0.0.1.nip.example', false],
  ['0.0.0.0', false],
  ['[::]', false],
  ['', false],
])('the host %s is a loopback host: %s', (host, own) => {
  expect(isLoopbackHost(host)).toBe(own);
});

test.each([
  ['https://auth.example/a', true],
  ['http://localhost:3000', true],
  ['http://[::1]/', true],
  ['http://auth.example', false],
  ['ftp://localhost', false],
  ['localhost', false],
  ['', false],
])('OAuth 2.1 §1.5: tokens may be sent to the address %s: %s', (address, safe) => {
  expect(isSafeAddress(address)).toBe(safe);
});
