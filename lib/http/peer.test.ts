import { expect, test } from 'vitest';
import { addressBlock, callerAddress, parseAddress, wideAddressBlock } from './forwarding.ts';
import type { HttpRequest } from './message.ts';

const from = (peerAddress: string | undefined, forwarded?: string) =>
  ({
    peerAddress,
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as HttpRequest;

test('LG-04: without trusted proxies, only the socket’s IP address is used', () => {
  expect(callerAddress(from('192.0.2.1', '198.51.100.7'), 0)).toBe('192.0.2.1');
  expect(callerAddress(from(undefined, '198.51.100.7'), 0)).toBeNull();
});

test('LG-05: behind trusted proxies, the address that the outermost trusted proxy added is used', () => {
  expect(callerAddress(from('10.0.0.1', '1.1.1.1, 203.0.113.9'), 1)).toBe('203.0.113.9');
  expect(callerAddress(from('10.0.0.1', '1.1.1.1, 203.0.113.9, 10.0.0.2'), 2)).toBe('203.0.113.9');
  expect(callerAddress(from('10.0.0.1'), 1)).toBe('10.0.0.1');
});

test('the limit of an IPv6 caller applies to its /64 network, and of an IPv4 caller to its address, in any spelling', () => {
  expect(addressBlock('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(addressBlock('2001:0DB8:1:2::9')).toBe('2001:db8:1:2::/64');
  expect(addressBlock('2001:db8::1')).toBe(addressBlock('2001:db8::ffff'));
  expect(addressBlock('::1')).toBe('0:0:0:0::/64');
  expect(addressBlock('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
  expect(addressBlock('::ffff:192.0.2.1')).toBe('192.0.2.1');
  expect(addressBlock('192.0.2.1')).toBe('192.0.2.1');
});

test.each([
  '::ffff:198.51.100.7',
  '::ffff:c633:6407',
  '::FFFF:C633:6407',
  '0:0:0:0:0:ffff:c633:6407',
  '0000:0000:0000:0000:0000:ffff:198.51.100.7',
  '198.51.100.7:51234',
  '[::ffff:c633:6407]:443',
])('LG-04: the IP address %s is another form of 198.51.100.7, and equals no other address', (address) => {
  expect(callerAddress(from(address), 0)).toBe('198.51.100.7');
  expect(addressBlock(address)).toBe('198.51.100.7');
  expect(addressBlock(address)).not.toBe(addressBlock('::ffff:c633:6408'));
  expect(wideAddressBlock(address)).toBeNull();
});

test('LG-05: the port that a proxy adds to an IP address is ignored', () => {
  expect(callerAddress(from('10.0.0.1', '203.0.113.7:51234'), 1)).toBe('203.0.113.7');
  expect(callerAddress(from('10.0.0.1', '203.0.113.7:51235'), 1)).toBe('203.0.113.7');
  for (const port of ['', ':443', ':65535'])
    expect(callerAddress(from('10.0.0.1', `[2001:db8::1]${port}`), 1)).toBe('2001:db8::1');
});

test('LG-05: an invalid forwarded IP address is replaced by the address of the proxy that forwarded it', () => {
  for (const junk of [
    'unknown',
    '_hidden',
    '203.0.113',
    '010.0.0.1',
    '1.2.3.4:x',
    '[::1',
    'a:b',
    '::1::',
    '1e3',
  ])
    expect(callerAddress(from('10.0.0.1', junk), 1), junk).toBe('10.0.0.1');
  expect(callerAddress(from('@'), 0)).toBeNull();
  expect(parseAddress('')).toBeNull();
});

test('an IPv6 caller also belongs to a /48 network, and translated IPv4 addresses count as IPv4', () => {
  expect(wideAddressBlock('2001:db8:1:2::9')).toBe('2001:db8:1::/48');
  expect(wideAddressBlock('2001:db8:1:ffff::9')).toBe('2001:db8:1::/48');
  for (const address of ['64:ff9b::c633:6407', '2002:c633:6407:1::1', '2002:c633:6407:ffff::2']) {
    expect(addressBlock(address)).toBe('198.51.100.7');
    expect(wideAddressBlock(address)).toBeNull();
  }
});
