// Warnings at the start about settings that are valid but probably not intended.
import { existsSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { isLoopbackHost } from '#lib/kit/loopback.ts';
import { type Env, environment, quotedSettings, serviceLinks } from './environment.ts';
import { areRandom } from './settings.ts';

// Warnings at the start about HOST, if too many machines can reach the service, or none.

export type Listening = { local: boolean; host: string; port: number };

/**
 * Returns a warning if other machines can reach a service whose URLs are local, or if this machine has no address in
 * the family of HOST. Otherwise returns null.
 */
export function reachWarning(
  { local, host, port }: Listening,
  addresses = addressesOfMachine(),
): string | null {
  if (host === '0.0.0.0' && addresses.length > 0 && addresses.every((address) => address.includes(':')))
    return `HOST=${host} listens on IPv4, but this machine has only IPv6 addresses: set HOST=::`;
  if (!local || isLoopbackHost(host)) return null;
  return (
    `HOST=${host} opens port ${port} to every machine on this network, without encryption. The sign-in pages, the console, tokens and ` +
    'the management API are open to anyone who knows a password, and the demo passwords are public. Without HOST, only this machine can connect.'
  );
}

/** Addresses of this machine that other machines can call. */
function addressesOfMachine(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter((address) => !address['internal'] && !address.address.startsWith('fe80:'))
    .map(({ address }) => address);
}

type Started = Listening & { secrets: string[] };

/** Returns the warnings, each as one line. */
export function startWarnings(
  settings: Started,
  inContainer = isInContainer(),
  env: Env = process.env,
): string[] {
  const { local, host, secrets } = settings;
  const reach = reachWarning(settings);
  const warnings = reach === null ? [] : [reach];
  if (!local && !areRandom(secrets)) warnings.push(GUESSABLE);
  if (local && isLoopbackHost(host) && inContainer)
    warnings.push(
      `HOST is ${host}, which is not reachable from outside this container: set BASE_URL to the public address, or HOST=0.0.0.0`,
    );
  for (const name of serviceLinks(env))
    warnings.push(
      `${name} is ignored, because it is the address of a Kubernetes Service with that name: set enableServiceLinks: false in the pod, and ${name} if it is needed`,
    );
  for (const name of quotedSettings(env))
    warnings.push(
      `${name} contains quotes (docker run --env-file keeps them): remove them, except from a GATEHOUSE_SECRET that has already sealed values`,
    );
  return warnings;
}

export const GUESSABLE =
  'GATEHOUSE_SECRET is not random, and anyone who guesses it can decrypt the stored secrets: put a random one before it, see docs/reference/settings.md';

/**
 * True for a production service in Docker, Podman or Kubernetes. A container on a developer's machine is excluded,
 * because its ports are forwarded explicitly.
 */
function isInContainer(): boolean {
  const env = environment();
  if (env['NODE_ENV'] !== 'production') return false;
  return Boolean(env['KUBERNETES_SERVICE_HOST']) || ['/.dockerenv', '/run/.containerenv'].some(existsSync);
}
