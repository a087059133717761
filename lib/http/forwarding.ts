// Data that trusted proxies forward: the caller's address in canonical form, with the address blocks used for
// limits, and the requested host (RFC 9110 §7.2). The host can be forged, like any header. It only selects
// which of Gatehouse's addresses handles the request, and no generated address contains it.
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { settings } from '#lib/settings/settings.ts';
import type { HttpRequest } from './message.ts';

/**
 * Returns the socket address or, behind trusted proxies, the right-most address that they forward, in the canonical
 * form of `parseAddress`. `null`: unknown.
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
    // if a proxy forwards no address (`unknown`), the proxy itself is treated as caller, so no caller can choose an
    // address
    if (address) return address;
  }
  return parseAddress(request.peerAddress ?? '');
}

/** `203.0.113.7:51234` and `[2001:db8::1]:443`: some proxies also write the port. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

/** Returns IPv4 with dots, IPv6 as in RFC 5952, and an IPv4-mapped address as IPv4. `null`: not an address. */
export function parseAddress(text: string): string | null {
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? [];
  const bare = (bracketed ?? dotted ?? text).split('%')[0] as string;
  // ipaddr.js accepts more spellings of IPv4 addresses than sockets and proxies produce
  switch (isIP(bare)) {
    case 4:
      return bare;
    case 6: {
      const address = ipaddr.IPv6.parse(bare);
      return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toRFC5952String();
    }
    default:
      return null;
  }
}

/**
 * Block of one caller: an IPv4 address, or an IPv6 /64. An address of NAT64 (RFC 6052) or 6to4 (RFC 3056) is treated
 * as the IPv4 address that it contains. Otherwise all callers behind NAT64 would share one block, and one IPv4
 * address would have 65,536 blocks with 6to4.
 */
export function addressBlock(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === null || isIPv4(parsed)) return parsed ?? 'unknown';
  return embeddedIPv4(parsed) ?? `${groups(parsed, 4)}::/64`;
}

/** Returns the /48 around an IPv6 address, because one customer may have a whole /48. `null`: IPv4. */
export function wideAddressBlock(address: string): string | null {
  const parsed = parseAddress(address);
  if (parsed === null || isIPv4(parsed) || embeddedIPv4(parsed) !== null) return null;
  return `${groups(parsed, 3)}::/48`;
}

/** The block that counters use: the /48 of an IPv6 address, or the IPv4 address. */
export const widestAddressBlock = (address: string): string =>
  wideAddressBlock(address) ?? addressBlock(address);

/** Returns the first groups of an IPv6 address, without leading zeros. */
const groups = (address: string, count: number): string =>
  ipaddr.IPv6.parse(address)
    .parts.slice(0, count)
    .map((group) => group.toString(16))
    .join(':');

const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** The IPv4 address inside a translated IPv6 address. */
function embeddedIPv4(address: string): string | null {
  const parsed = ipaddr.IPv6.parse(address);
  const bytes = parsed.toByteArray();
  if (parsed.match(NAT64)) return bytes.slice(12).join('.');
  return parsed.range() === '6to4' ? bytes.slice(2, 6).join('.') : null;
}

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * The requested host if it is neither the host of BASE_URL nor of AUTH_URL: in lower case, without a trailing dot,
 * with its port if present. `null`: the host is one of these, missing or invalid.
 */
export function foreignHost(headers: Headers): string | null {
  const { trustProxy } = settings();
  const named = (trustProxy > 0 ? forwardedHost(headers, trustProxy) : undefined) ?? headers['host'];
  const ours = ownHosts();
  if (named === undefined || ours.has(named)) return null;
  const host = HOST.exec(named.toLowerCase());
  if (!host) return null;
  const plain = `${host[1]}${host[2] ?? ''}`;
  return ours.has(plain) ? null : plain;
}

/** A name or address, with an optional dot and port. International names arrive in `xn--` form. */
const HOST = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])\.?(:\d{1,5})?$/;

/**
 * Follows the same rule as X-Forwarded-For: the value from the outermost trusted proxy is used. Without a proxy,
 * `Host` is used.
 */
function forwardedHost(headers: Headers, trustedProxies: number): string | undefined {
  const hosts = headers['x-forwarded-host']?.split(',').map((host) => host.trim());
  return hosts && (hosts[hosts.length - trustedProxies] ?? hosts[0]);
}

let hostCache: { baseUrl: string; authUrl: string; hosts: ReadonlySet<string> } | undefined;

function ownHosts(): ReadonlySet<string> {
  const { baseUrl, authUrl } = settings();
  if (hostCache?.baseUrl !== baseUrl || hostCache.authUrl !== authUrl) {
    const names = [baseUrl, authUrl].flatMap((address) => {
      const { host, port, protocol } = new URL(address);
      return port === '' ? [host, `${host}:${protocol === 'https:' ? 443 : 80}`] : [host];
    });
    hostCache = { baseUrl, authUrl, hosts: new Set(names) };
  }
  return hostCache.hosts;
}
