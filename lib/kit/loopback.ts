// What is this machine's own: names and addresses that no other machine can be reached by, or reach us from.

/** An address as a socket tells it: 127.0.0.0/8, ::1, and the former inside IPv6. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d)/, '');
  return plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain);
}

/** The host of an address or of a setting, with an IPv6 address in brackets or not (RFC 6761 §6.3: `*.localhost`). */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name.endsWith('.localhost') || isLoopbackAddress(name);
}
