// Decides which addresses are public. All others are rejected: loopback, private, link-local (metadata services of
// clouds), shared, benchmark, documentation and multicast addresses, and all ways to write IPv4 addresses inside
// IPv6.
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { OutboundFailed } from './failed.ts';

/** The only block of global unicast addresses (RFC 4291 §2.4). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** The prefix that NAT64 gateways use (RFC 6052 §2.1). */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** True if the text is a public IP address according to the registries of special-purpose addresses (RFC 6890). */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js accepts more spellings of an address than a resolver returns
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast';
  // checks the IPv4 address that a NAT64 gateway would call (RFC 6052 §2.2)
  if (parsed.match(NAT64)) return isPublicAddress(parsed.toByteArray().slice(12).join('.'));
  return parsed.match(GLOBAL_IPV6) && parsed.range() === 'unicast';
}

/**
 * True if a URL names a host that is not public. It does no DNS lookup: the host is an IP address in any spelling
 * (the URL parser normalizes it), or `localhost` (RFC 6761 §6.3).
 */
export function namesPrivateHost({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(host) === 0 ? /(^|\.)localhost$/.test(host) : !isPublicAddress(host);
}

export type Resolve = (host: string) => Promise<LookupAddress[]>;

const resolveBySystem: Resolve = (host) => lookup(host, { all: true });

/**
 * The `lookup` function of a socket: the socket connects only to addresses that were checked, which prevents DNS
 * rebinding. If one address of a name is not public, the name is rejected.
 */
export function publicLookup(resolve: Resolve = resolveBySystem): LookupFunction {
  return (host, options, done) => {
    resolve(host).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
          done(new OutboundFailed('private-address'), []);
        } else if (options.all) done(null, addresses);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, []),
    );
  };
}
