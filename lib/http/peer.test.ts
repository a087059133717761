import { expect, test } from 'vitest';
import type { HttpRequest } from './exchange.ts';
import { addressBlock, callerAddress } from './peer.ts';

const from = (peerAddress: string | undefined, forwarded?: string) =>
  ({
    peerAddress,
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as HttpRequest;

test('LG-04: without trusted proxies only the socket’s address counts', () => {
  expect(callerAddress(from('192.0.2.1', '198.51.100.7'), 0)).toBe('192.0.2.1');
  expect(callerAddress(from(undefined, '198.51.100.7'), 0)).toBeNull();
});

test('LG-05: behind proxies the right-most address that they vouch for counts', () => {
  expect(callerAddress(from('10.0.0.1', '1.1.1.1, 203.0.113.9'), 1)).toBe('203.0.113.9');
  expect(callerAddress(from('10.0.0.1', '1.1.1.1, 203.0.113.9, 10.0.0.2'), 2)).toBe('203.0.113.9');
  expect(callerAddress(from('10.0.0.1'), 1)).toBe('10.0.0.1');
});

test('an IPv6 caller counts by its /64, an IPv4 caller by its address, however it is written', () => {
  expect(addressBlock('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(addressBlock('2001:0DB8:1:2::9')).toBe('2001:db8:1:2::/64');
  expect(addressBlock('2001:db8::1')).toBe(addressBlock('2001:db8::ffff'));
  expect(addressBlock('::1')).toBe('0:0:0:0::/64');
  expect(addressBlock('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
  expect(addressBlock('::ffff:192.0.2.1')).toBe('192.0.2.1');
  expect(addressBlock('192.0.2.1')).toBe('192.0.2.1');
});
