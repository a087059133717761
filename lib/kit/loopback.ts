// Names and addresses of the local machine (loopback), which other machines cannot reach.

/** True for 127.0.0.0/8, ::1, and 127.0.0.0/8 mapped to IPv6, in the form that a socket reports. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d)/, '');
  return plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain);
}

/**
 * True for the host of a URL or setting if it is this machine. IPv6 addresses can have brackets. Includes `*.localhost`
 * (RFC 6761 §6.3).
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name.endsWith('.localhost') || isLoopbackAddress(name);
}

/** True for https, or http on this machine (OAuth 2.1 §1.5). Tokens and users are sent to such addresses only. */
export function isSafeAddress(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
}
