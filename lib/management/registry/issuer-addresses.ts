// What is wrong with the addresses that an API's issuers have beside their paths, where only the stored registry, the
// settings or the clock show it: hosts of their own, and former issuers.
import { now } from '#lib/kit/index.ts';
import {
  type ApiValues,
  type Fault,
  type FormerIssuer,
  formerIssuerFaults,
  hostOf,
  isPast,
  issuerHostFaults,
} from '#lib/registry/index.ts';
import { settings } from '#lib/settings/index.ts';
import { type Db, selectHolderOfFormerIssuers, selectHolderOfHosts } from '#lib/store/index.ts';
import { type Actor, faultAt } from '../core/index.ts';

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
  const issuers = (api.formerIssuers ?? []).map(({ issuer }) => issuer);
  const holder = await selectHolderOfFormerIssuers(db, issuers, api.id);
  if (holder) {
    const { id, issuer } = holder;
    faults.push(faultAt('formerIssuers', 'api.former_issuer_taken', { issuer, api: id }));
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
