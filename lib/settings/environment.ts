// The environment as it is, before it is checked.
import path from 'node:path';
import { isLoopbackHost } from '#lib/kit/loopback.ts';
import { withoutServiceLinks } from './service-links.ts';
import { withVercel } from './vercel.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * The environment of the process, without what Kubernetes sets for a Service of the same name, and with what Vercel and
 * its databases set under names of their own.
 */
export function environment(): Env {
  return withVercel(withoutServiceLinks(process.env));
}

/** Next takes its configuration from here, where what next.config.mjs needs is not installed. */
export function giveNext(configuration: object): void {
  process.env['__NEXT_PRIVATE_STANDALONE_CONFIG'] = JSON.stringify(configuration);
}

/** Where the embedded database and local secrets live. */
export function dataDirectory(env: Env = process.env): string {
  return path.resolve(/*turbopackIgnore: true*/ process.cwd(), env['GATEHOUSE_DATA_DIR'] || '.data');
}

/** Whether a missing secret may be generated and kept in a file: not for a service with several hosts. */
export function mayMakeSecret(env: Env): boolean {
  if (env['NODE_ENV'] !== 'production') return true;
  const addresses = [env['BASE_URL'], env['AUTH_URL']].filter((address) => address);
  return addresses.every((address) => isLocal(address ?? ''));
}

/** Does it name this machine? */
export function isLocal(address: string): boolean {
  return isLoopbackHost(URL.parse(address)?.hostname ?? '');
}
