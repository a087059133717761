// What the start says of HOST: it lets too many machines reach the service, or none.
import { networkInterfaces } from 'node:os';
import { isLoopbackHost } from '#lib/kit/loopback.ts';

export type Listening = { local: boolean; host: string; port: number };

/**
 * The warning at start if other machines reach a service with local URLs, or if this machine has no address of the kind
 * that it listens on; otherwise null.
 */
export function reachWarning(
  { local, host, port }: Listening,
  addresses = addressesOfMachine(),
): string | null {
  if (host === '0.0.0.0' && addresses.length > 0 && addresses.every((address) => address.includes(':')))
    return `HOST=${host} listens on IPv4, and this machine has IPv6 addresses alone: set HOST=::`;
  if (!local || isLoopbackHost(host)) return null;
  return (
    `HOST=${host} opens port ${port} to every machine on this network, unencrypted: the sign-in pages, the console, tokens and ` +
    'the management API, to whoever knows a password, and those of the demo are public. Without HOST only this machine reaches it.'
  );
}

/** Those that other machines can call. */
function addressesOfMachine(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter((one) => !one['internal'] && !one.address.startsWith('fe80:'))
    .map(({ address }) => address);
}
