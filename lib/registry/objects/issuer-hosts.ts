// Issuers on hosts of their own, because real clients drop the path of an issuer (docs/decisions/0009): of an API, by
// authentication method, an origin beside the path address. Pure, and shared by the configuration file, the
// command line and the console.
import { z } from 'zod';
import { isLoopbackHost } from '#lib/kit/loopback.ts';

const NAME = /^(?:[a-z0-9]([a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:]+\])$/;

/** What is wrong with the address of an issuer's own host, or null. It is `iss` in tokens, so one spelling is good. */
export function issuerHostFault(origin: string): string | null {
  const url = URL.parse(origin);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '' || origin.length > 300)
    return 'must be an origin such as https://login-orders.example';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (url.pathname !== '/' || /[?#]/.test(origin)) return `must be an origin, without a path: ${url.origin}`;
  if (url.hostname.endsWith('.')) return 'must not end with a dot';
  if (!NAME.test(url.hostname)) return 'must name one host: letters, digits, hyphens and dots';
  if (url.origin !== origin) return `must be written as ${url.origin}`;
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    return 'must be https (or http on this machine, for development)';
  return null;
}

/** Host and port as a request's Host has them. Two origins of one host are one host. */
export const hostOf = (origin: string): string => origin.replace(/^https?:\/\//, '');

const origin = z.string().refine((value) => issuerHostFault(value) === null, {
  error: ({ input }) => issuerHostFault(String(input)) ?? '',
});

/** Origins by method; null: none. `issuerHostFaults` says what is wrong with the methods. */
export const issuerHosts = z
  .record(z.string(), origin, 'must be keys and values')
  .transform((hosts) => (Object.keys(hosts).length === 0 ? null : hosts))
  .nullable()
  .default(null);

type WithHosts = { authMethods: readonly string[]; issuerHosts: Readonly<Record<string, string>> | null };

/** The host of its own that the issuer of this method has; null: it has none. */
export function issuerHostOf({ authMethods, issuerHosts: hosts }: WithHosts, method: string): string | null {
  const has = hosts !== null && authMethods.includes(method) && Object.hasOwn(hosts, method);
  return has ? (hosts[method] ?? null) : null;
}

/** Methods that the API does not list, a repeated host, and a host of the service itself (`own`: origins). */
export function issuerHostFaults(
  { authMethods, issuerHosts: hosts }: WithHosts,
  own: readonly string[],
): { method: string; message: string }[] {
  const seen = new Map<string, string>();
  return Object.entries(hosts ?? {}).flatMap(([method, given]) => {
    if (!authMethods.includes(method))
      return [{ method, message: `${method} is none of the sign-in methods of this API` }];
    const host = hostOf(given);
    const first = seen.get(host);
    seen.set(host, method);
    if (first !== undefined) return [{ method, message: `${given} is the host of ${first} already` }];
    const ours = own.some((address) => hostOf(address) === host);
    return ours ? [{ method, message: `${given} is the address of this service itself` }] : [];
  });
}
