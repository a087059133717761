// What is wrong with the addresses that an API's issuers have beside their paths, where only the stored registry, the
// settings or the clock show it: hosts of their own, and former issuers.
import { now } from '#lib/kit/clock.ts';
import type { Fault } from '#lib/registry/fields/definition.ts';
import type { ApiValues } from '#lib/registry/objects/api.ts';
import { type FormerIssuer, formerIssuerFaults, isPast } from '#lib/registry/objects/former-issuers.ts';
import { hostOf, issuerHostFaults } from '#lib/registry/objects/issuer-hosts.ts';
import { formerIssuerBase, sharedAddress } from '#lib/registry/objects/issuer-layouts.ts';
import { settings } from '#lib/settings/settings.ts';
import type { Db } from '#lib/store/database/prisma.ts';
import { selectAddressesAtHosts, selectHolderOfHosts } from '#lib/store/registry/apis.ts';
import type { Actor } from '../core/policy.ts';
import { faultAt } from '../core/refusals/codes.ts';

/** Of both; hosts of issuers first. */
export async function issuerAddressFaults(db: Db, api: ApiValues): Promise<Fault[]> {
  const { baseUrl, authUrl } = settings();
  const faults = issuerHostFaults(api, [baseUrl, authUrl]).map(({ method, message }) =>
    faultAt(`issuerHosts.${method}`, 'api.wrong_host', { why: message }),
  );
  const hosts = Object.values(api.issuerHosts ?? {}).map(hostOf);
  const holder = await selectHolderOfHosts(db, hosts, api.id);
  if (holder) faults.push(faultAt('issuerHosts', 'api.host_taken', { host: holder.host, api: holder.id }));
  return [...faults, ...(await formerIssuerFaultsOf(db, api, [baseUrl, authUrl]))];
}

async function formerIssuerFaultsOf(db: Db, api: ApiValues, own: string[]): Promise<Fault[]> {
  const faults = formerIssuerFaults(api, own).map(({ at, message }) =>
    faultAt(`formerIssuers.${at}.issuer`, 'api.wrong_former_issuer', { why: message }),
  );
  const formers = api.formerIssuers ?? [];
  const others = await selectAddressesAtHosts(
    db,
    formers.map(({ issuer }) => issuer),
    api.id,
  );
  for (const [at, former] of formers.entries()) {
    for (const { id, issuer, layout } of others) {
      const isSame = formerIssuerBase(issuer) === formerIssuerBase(former.issuer);
      const shared = layout === null ? null : sharedAddress(former, { issuer, layout });
      if (isSame || (layout === null && hostOf(issuer) === new URL(former.issuer).host))
        faults.push(faultAt('formerIssuers', 'api.former_issuer_taken', { issuer, api: id }));
      else if (shared !== null)
        faults.push(
          faultAt(`formerIssuers.${at}.issuer`, 'api.wrong_former_issuer', {
            why: `${issuer} of the API ${id} is answered at ${shared} too`,
          }),
        );
    }
  }
  return faults;
}

/** A date that has passed may stay, also in a file that was exported before, and no page sets one. */
export function pastFaults(
  actor: Actor,
  after: ApiValues,
  before: { formerIssuers?: ApiValues['formerIssuers'] | undefined } | null,
): Fault[] {
  const known = (one: FormerIssuer) =>
    before?.formerIssuers?.some(({ issuer, until }) => issuer === one.issuer && until === one.until);
  if (actor.kind === 'configuration') return [];
  return (after.formerIssuers ?? []).flatMap((one, at) =>
    isPast(one, now()) && !known(one) ? [faultAt(`formerIssuers.${at}.until`, 'api.former_until_past')] : [],
  );
}
