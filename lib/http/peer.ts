// The caller's address: the socket's, or behind trusted proxies the right-most address that they vouch for.
import type { HttpRequest } from './message.ts';
import { parseAddress } from './peer-address.ts';

/** In one spelling (`parseAddress`); null where the door knows none. */
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
