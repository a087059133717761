// Which host a request names (RFC 9110 §7.2), behind the proxies that are trusted. It is forged as easily as any
// header: it decides which of our addresses answers, and no address is ever built of it.
import { settings } from '#lib/settings/settings.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * The host that the request names, where it is another than those of BASE_URL and AUTH_URL: in small letters, without
 * the dot of the root, with the port that it names. Null: it is one of ours, none, or no host at all.
 */
export function foreignHost(headers: Headers): string | null {
  const { trustProxy } = settings();
  const named = (trustProxy > 0 ? forwarded(headers, trustProxy) : undefined) ?? headers['host'];
  const ours = ownHosts();
  if (named === undefined || ours.has(named)) return null;
  const host = HOST.exec(named.toLowerCase());
  if (!host) return null;
  const plain = `${host[1]}${host[2] ?? ''}`;
  return ours.has(plain) ? null : plain;
}

/** A name or an address, perhaps a dot, perhaps a port. An IDN comes as the `xn--` name that it is sent as. */
const HOST = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])\.?(:\d{1,5})?$/;

/** As with X-Forwarded-For: what the outermost trusted proxy says; a proxy that sends none leaves Host. */
function forwarded(headers: Headers, trustedProxies: number): string | undefined {
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
