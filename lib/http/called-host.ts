// Host named by a request (RFC 9110 §7.2), behind trusted proxies. Like any header it can be forged. It only selects
// which Gatehouse address answers; addresses never contain it.
import { settings } from '#lib/settings/settings.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Requested host if it differs from BASE_URL and AUTH_URL: lower case, without trailing dot, with port if given.
 * `null`: own host, missing or invalid.
 */
export function foreignHost(headers: Headers): string | null {
  const { trustProxy } = settings();
  const named = (trustProxy > 0 ? forwardedHost(headers, trustProxy) : undefined) ?? headers['host'];
  const ours = ownHosts();
  if (named === undefined || ours.has(named)) return null;
  const host = HOST.exec(named.toLowerCase());
  if (!host) return null;
  const plain = `${host[1]}${host[2] ?? ''}`;
  return ours.has(plain) ? null : plain;
}

/** Name or address, optional dot, optional port. IDNs arrive in `xn--` form. */
const HOST = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])\.?(:\d{1,5})?$/;

/** Same rule as X-Forwarded-For: value of the outermost trusted proxy; default: Host. */
function forwardedHost(headers: Headers, trustedProxies: number): string | undefined {
  const hosts = headers['x-forwarded-host']?.split(',').map((host) => host.trim());
  return hosts && (hosts[hosts.length - trustedProxies] ?? hosts[0]);
}

let known: { baseUrl: string; authUrl: string; hosts: ReadonlySet<string> } | undefined;

function ownHosts(): ReadonlySet<string> {
  const { baseUrl, authUrl } = settings();
  if (known?.baseUrl !== baseUrl || known.authUrl !== authUrl) {
    const names = [baseUrl, authUrl].flatMap((address) => {
      const { host, port, protocol } = new URL(address);
      return port === '' ? [host, `${host}:${protocol === 'https:' ? 443 : 80}`] : [host];
    });
    known = { baseUrl, authUrl, hosts: new Set(names) };
  }
  return known.hosts;
}
