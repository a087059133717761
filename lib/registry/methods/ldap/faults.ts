// What no single key of a directory's configuration can say.
import { namesPrivateHost } from '#lib/outbound/addresses.ts';
import type { MethodConfig } from '../kind.ts';
import { addressOf, groupSourceOf } from './directory.ts';

type Fault = { path: string[]; message: string };

/** What no directory should give, and no method should ask for. */
const SECRETS =
  /^(userpassword|unicodepwd|ntpwdhash|lmpwdhash|sambantpassword|sambalmpassword|krbprincipalkey)$/i;

export function ldapFaults(config: MethodConfig): Fault[] {
  const has = (key: string) => config[key] !== undefined && config[key] !== null;
  const faults: Fault[] = [...addressFaults(config), ...secretFaults(config)];
  if (has('filter') && has('bind_as'))
    faults.push({ path: ['bind_as'], message: 'must not stand beside filter' });
  if (has('bind_as') && has('bind_dn'))
    faults.push({ path: ['bind_dn'], message: 'must not stand beside bind_as' });
  // no account looks for people: anonymously many directories show none, which would look as if all had left
  if (has('recheck_seconds') && has('bind_as'))
    faults.push({ path: ['recheck_seconds'], message: 'must not stand beside bind_as' });
  const { bind_as } = config;
  if (!has('base_dn') && !(typeof bind_as === 'string' && bind_as.includes('=')))
    faults.push({ path: ['base_dn'], message: 'is missing' });
  const { groups } = config;
  const from = groupSourceOf(config);
  // it would look as if groups were left out by it
  if (from !== 'search' && typeof groups === 'object' && groups !== null && 'filter' in groups)
    faults.push({ path: ['groups', 'filter'], message: `must not stand beside ${from}` });
  return faults;
}

/** Without TLS a password is sent in the clear. */
function addressFaults({ urls, start_tls, allow_private_network }: MethodConfig): Fault[] {
  if (!Array.isArray(urls)) return [];
  return urls.flatMap((url: unknown, at): Fault[] => {
    const server = typeof url === 'string' ? addressOf(url) : null;
    if (!server) return [];
    const path = ['urls', String(at)];
    if (server.secure && start_tls === true)
      return [{ path: ['start_tls'], message: 'must not stand beside ldaps://' }];
    if (allow_private_network === true) return [];
    const { host } = server;
    if (!server.secure && start_tls !== true)
      return [{ path, message: 'must be ldaps:// or have start_tls unless allow_private_network is true' }];
    return namesPrivateHost(new URL(`https://${host.includes(':') ? `[${host}]` : host}`))
      ? [{ path, message: 'must not be a private address unless allow_private_network is true' }]
      : [];
  });
}

function secretFaults({ claims, filter, reject_filter }: MethodConfig): Fault[] {
  const members = typeof claims === 'object' && claims !== null ? Object.entries(claims) : [];
  const named = members.flatMap(([claim, attribute]) =>
    SECRETS.test(String(attribute)) ? [['claims', claim]] : [],
  );
  const compared = Object.entries({ filter, reject_filter }).flatMap(([key, value]) =>
    /userpassword|unicodepwd/i.test(String(value)) ? [[key]] : [],
  );
  return [...named, ...compared].map((path) => ({ path, message: 'must not name a password' }));
}
