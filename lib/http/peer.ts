// Whose address counts: the socket's, unless so many proxies are trusted; then the right-most that they vouch for.
import type { HttpRequest } from './message.ts';
import { parseAddress } from './peer-address.ts';

/** The caller's address in its one spelling, or null where the door knows none. */
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
    // what is no address (`unknown`) is the proxy's fault: its own address counts, and nobody chooses his
    if (address) return address;
  }
  return parseAddress(request.peerAddress ?? '');
}
