// Whose address counts: the socket's, unless so many proxies are trusted; then the right-most that they vouch for.
import type { HttpRequest } from './exchange.ts';

/** The caller's address, or null where the door knows none. */
export function callerAddress(
  request: Pick<HttpRequest, 'headers' | 'peerAddress'>,
  trustedProxies: number,
): string | null {
  if (trustedProxies > 0) {
    const hops = (request.headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((hop) => hop.trim())
      .filter(Boolean);
    const address = hops[hops.length - trustedProxies] ?? hops[0];
    if (address) return address;
  }
  return request.peerAddress ?? null;
}

/** What a limit by address counts: an IPv4 address, or an IPv6 /64. */
export function addressBlock(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('%')[0]?.toLowerCase().split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
