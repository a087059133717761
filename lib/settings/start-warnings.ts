// What the start says of settings that are good, and that an operator will hardly have meant.
import { existsSync } from 'node:fs';
import { isLoopbackHost } from '#lib/kit/loopback.ts';
import { type Env, environment } from './environment.ts';
import { type Listening, reachWarning } from './reach.ts';
import { areRandom } from './secrets.ts';
import { serviceLinks } from './service-links.ts';

type Started = Listening & { secrets: string[] };

/** Each is one line. */
export function startWarnings(
  settings: Started,
  inContainer = isInContainer(),
  given: Env = process.env,
): string[] {
  const { local, host, secrets } = settings;
  const reach = reachWarning(settings);
  const warnings = reach === null ? [] : [reach];
  if (!local && !areRandom(secrets)) warnings.push(GUESSABLE);
  if (local && isLoopbackHost(host) && inContainer)
    warnings.push(
      `in this container HOST is ${host}, which nothing outside of it reaches: set BASE_URL to the address that people use, or HOST=0.0.0.0`,
    );
  for (const name of serviceLinks(given))
    warnings.push(
      `${name} is ignored: it is the address of a Kubernetes Service with that name; set enableServiceLinks: false in the pod, and ${name} if it is needed`,
    );
  return warnings;
}

export const GUESSABLE =
  'GATEHOUSE_SECRET is not random, and who guesses it opens what it seals: put a random one before it, see docs/settings.md';

/** A production service in Docker, Podman or Kubernetes: a developer's container forwards its ports by itself. */
function isInContainer(): boolean {
  const env = environment();
  if (env['NODE_ENV'] !== 'production') return false;
  return Boolean(env['KUBERNETES_SERVICE_HOST']) || ['/.dockerenv', '/run/.containerenv'].some(existsSync);
}
