// The caller's address in one spelling, and the blocks that limits count by. The parsers are Node's and the WHATWG URL's.
import { isIPv4, isIPv6 } from 'node:net';
import type { HttpRequest } from './message.ts';

/**
 * The socket's address, or behind trusted proxies the right-most one that they vouch for; in the spelling of
 * `parseAddress`. Null where the door knows none.
 */
export function callerAddress(
  request: Pick<HttpRequest, 'headers' | 'peerAddress'>,
  trustedProxies: number,
): string | null {
  if (trustedProxies > 0) {
    const hops = (request.headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((hop) => hop.trim())
      .filter(Boolean);
    const address = parseAddress(hops[hops.length - trustedProxies] ?? hops[0] ?? '');
    // a proxy that forwards no address (`unknown`) counts as the caller, so that nobody chooses an address
    if (address) return address;
  }
  return parseAddress(request.peerAddress ?? '');
}

/** `203.0.113.7:51234` and `[2001:db8::1]:443`: proxies write the port too. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

/** IPv4 with dots, IPv6 as in RFC 5952, an IPv4-mapped address as IPv4; null: no address. */
export function parseAddress(text: string): string | null {
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? [];
  const bare = (bracketed ?? dotted ?? text).split('%')[0] as string;
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return null;
  const groups = groupsOf(bare);
  return isMapped(groups) ? dottedOf(groups, 6) : new URL(`http://[${bare}]/`).hostname.slice(1, -1);
}

/**
 * The block of one caller: an IPv4 address, or an IPv6 /64. NAT64 (RFC 6052) and 6to4 (RFC 3056) addresses count as the IPv4
 * address in them: NAT64 would be one block for all of IPv4, 6to4 65,536 blocks for one address.
 */
export function addressBlock(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === null || isIPv4(parsed)) return parsed ?? 'unknown';
  const groups = groupsOf(parsed);
  return embeddedIPv4(groups) ?? `${hex(groups.slice(0, 4))}::/64`;
}

/** The /48 around an IPv6 address, which one customer may have; null: IPv4. */
export function wideAddressBlock(address: string): string | null {
  const parsed = parseAddress(address);
  if (parsed === null || isIPv4(parsed)) return null;
  const groups = groupsOf(parsed);
  return embeddedIPv4(groups) === null ? `${hex(groups.slice(0, 3))}::/48` : null;
}

/** The block where only a number is kept: the /48, or the IPv4 address. */
export const widestAddressBlock = (address: string): string =>
  wideAddressBlock(address) ?? addressBlock(address);

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const numbers = (part = '') => (part === '' ? [] : part.split(':').map((one) => Number.parseInt(one, 16)));
  const [left, right] = [numbers(head), numbers(tail)];
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

const isMapped = (groups: readonly number[]) =>
  groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);

function embeddedIPv4(groups: readonly number[]): string | null {
  const nat64 =
    groups[0] === 0x64 && groups[1] === 0xff9b && groups.slice(2, 6).every((group) => group === 0);
  if (nat64) return dottedOf(groups, 6);
  return groups[0] === 0x2002 ? dottedOf(groups, 1) : null;
}

function dottedOf(groups: readonly number[], at: number): string {
  return [groups[at], groups[at + 1]].flatMap((group = 0) => [group >> 8, group & 0xff]).join('.');
}

const hex = (groups: readonly number[]) => groups.map((group) => group.toString(16)).join(':');
