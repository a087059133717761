// Addresses that issuers have beside their paths, of all APIs of the file together: hosts of their own, former issuers.
import { hostOf, issuerHostFaults } from '#lib/registry/objects/issuer-hosts.ts';
import {
  answeredAt,
  formerIssuerBase,
  ISSUER_LAYOUTS,
  type IssuerLayout,
} from '#lib/registry/objects/issuer-layouts.ts';
import { type Found, isObject, objects, type Raw, strings, text } from './raw.ts';

/** Hosts that issuers of this API have of their own. */
const hostsOf = ({ issuer_hosts: hosts }: Raw): string[] =>
  isObject(hosts)
    ? Object.values(hosts).flatMap((origin) => (typeof origin === 'string' ? [hostOf(origin)] : []))
    : [];

const layoutOf = ({ layout }: Raw): IssuerLayout => ISSUER_LAYOUTS.find((one) => one === layout) ?? 'same';

export function checkIssuerAddresses(document: Raw, found: Found): void {
  const holders = new Map<string, number>();
  /** by each address at which it is answered */
  const formers = new Map<string, { index: number; issuer: string }>();
  for (const [index, api] of objects(document.apis)) {
    const at: Found = (path, message) => found(['apis', index, ...path], message);
    const listed = strings(api.auth_methods);
    const hosts = isObject(api.issuer_hosts) ? Object.entries(api.issuer_hosts) : [];
    const origins = hosts.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    const given = { authMethods: listed.map(([, id]) => id), issuerHosts: Object.fromEntries(origins) };
    for (const { method, message } of issuerHostFaults(given, [])) at(['issuer_hosts', method], message);
    for (const [method, origin] of origins) {
      const before = holders.get(hostOf(origin));
      holders.set(hostOf(origin), before ?? index);
      if (before !== undefined && before !== index)
        at(['issuer_hosts', method], `the same host as in apis[${before}]`);
    }
    for (const [place, one] of objects(api.former_issuers)) {
      const issuer = text(one.issuer) ?? '';
      const addresses = answeredAt({ issuer, layout: layoutOf(one) });
      const shared = addresses.find((address) => (formers.get(address)?.index ?? index) !== index);
      const other = formers.get(shared ?? '');
      if (other && formerIssuerBase(other.issuer) === formerIssuerBase(issuer))
        at(['former_issuers', place, 'issuer'], `the same issuer as in apis[${other.index}]`);
      else if (other)
        at(
          ['former_issuers', place, 'issuer'],
          `${other.issuer} of apis[${other.index}] is answered at ${shared} too`,
        );
      for (const address of addresses) if (!formers.has(address)) formers.set(address, { index, issuer });
      const host = URL.parse(issuer)?.host ?? '';
      const holder = objects(document.apis).find(
        ([nth, one]) => nth !== index && hostsOf(one).includes(host),
      );
      if (holder) at(['former_issuers', place, 'issuer'], `at a host of an issuer of apis[${holder[0]}]`);
    }
  }
}
