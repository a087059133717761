// Which addresses are public. Everything else is refused: loopback, private, link-local (metadata services of clouds),
// shared, benchmark, documentation, multicast, and all ways to write IPv4 inside IPv6.
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { OutboundFailed } from './failed.ts';

const RESERVED_IPV4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
];
// inside 2000::/3, the only global unicast block: protocol assignments with Teredo, documentation, 6to4
const RESERVED_IPV6 = ['2001::/23 2001:db8::/32 2002::/16 3fff::/20'];

const reservedIpv4 = blockList(RESERVED_IPV4, 'ipv4');
const reservedIpv6 = blockList(RESERVED_IPV6, 'ipv6');
const globalIpv6 = blockList(['2000::/3'], 'ipv6');
const nat64 = blockList(['64:ff9b::/96'], 'ipv6');

function blockList(lines: string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of lines.flatMap((line) => line.split(' '))) {
    const [net = '', prefix] = range.split('/');
    list.addSubnet(net, Number(prefix), family);
  }
  return list;
}

export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !reservedIpv4.check(address, 'ipv4');
    case 6:
      if (address.includes('%')) return false;
      if (nat64.check(address, 'ipv6')) return isPublicAddress(lastFourBytes(address));
      return globalIpv6.check(address, 'ipv6') && !reservedIpv6.check(address, 'ipv6');
    default:
      return false;
  }
}

/**
 * Whether a URL names a host that is not public, without a DNS lookup: an IP address in any spelling (the URL parser
 * normalizes it), or `localhost` (RFC 6761 §6.3).
 */
export function namesPrivateHost({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(host) === 0 ? /(^|\.)localhost$/.test(host) : !isPublicAddress(host);
}

/** The IPv4 address that a NAT64 gateway calls (RFC 6052 §2.2). */
function lastFourBytes(address: string): string {
  // the URL parser normalizes IPv6 to groups of hexadecimal digits
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':');
  return groups
    .slice(-2)
    .map((group) => Number.parseInt(group || '0', 16))
    .map((value) => `${value >> 8}.${value & 255}`)
    .join('.');
}

export type Resolve = (host: string) => Promise<LookupAddress[]>;

const resolveBySystem: Resolve = (host) => lookup(host, { all: true });

/**
 * The `lookup` of a socket: the socket connects to the addresses that were checked here, so DNS rebinding is of no use.
 * One address that is not public refuses the name.
 */
export function publicLookup(resolve: Resolve = resolveBySystem): LookupFunction {
  return (host, options, done) => {
    resolve(host).then(
      (found) => {
        const [first] = found;
        if (!first || !found.every(({ address }) => isPublicAddress(address))) {
          done(new OutboundFailed('private-address'), []);
        } else if (options.all) done(null, found);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, []),
    );
  };
}
