// Which claims of a person a client gets (OpenID Connect Core §5.4, §5.5): those of the scopes, and those that it asked
// for one by one. What is not known of the person is left out, never null.
import { z } from 'zod';
import { recordEvent } from '#lib/audit/audit-log.ts';
import { inBackground } from '#lib/kit/background.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import { keepMade } from '#lib/kit/kept.ts';
import { log } from '#lib/kit/log.ts';
import { BROKER_CLAIMS } from '#lib/registry/fields/claims.ts';
import { methodCan } from '#lib/registry/methods/questions.ts';
import { groupsTold, rolesOf, tellsGroups } from '#lib/registry/objects/api-groups.ts';
import { OPENID_SCOPE_NAMES, SCOPE_CLAIMS } from '#lib/registry/objects/openid-scopes.ts';
import type { SnapshotApi, SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import { findPersonClaims, type PersonClaims } from '#lib/store/tokens/openid.ts';

/** In every ID token, or by what was requested or happened. No claim map and no request changes them. */
export const ID_TOKEN_CLAIMS: readonly string[] = [
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'auth_time',
  'nonce',
  'at_hash',
  'sid',
  'acr',
  'amr',
];

/** What people of every method may choose themselves. */
const CHOSEN_CLAIMS = ['picture', 'locale', 'zoneinfo'];

const SCOPES = Object.entries(SCOPE_CLAIMS);

/** Claims of a method's own come with `profile`. */
export function scopeOfClaim(claim: string): string {
  return SCOPES.find(([, claims]) => claims.includes(claim))?.[0] ?? 'profile';
}

/** The claims of every ID token, and those that people of this method may have, for the metadata. */
export function supportedClaims(api: SnapshotApi, method: SnapshotMethod): string[] {
  const mapped = Object.keys(z.record(z.string(), z.unknown()).safeParse(method.config['claims']).data ?? {});
  const own = [...ID_TOKEN_CLAIMS, 'name', ...CHOSEN_CLAIMS, 'email', 'email_verified', 'updated_at'];
  return [
    ...new Set([
      ...own,
      ...(methodCan(method, 'hasAccounts') ? ['preferred_username'] : []),
      ...(methodCan(method, 'tellsProfile') ? BROKER_CLAIMS : []),
      ...mapped,
      ...ownClaims(api),
    ]),
  ];
}

/** The scopes of OpenID Connect whose claims people of this method may have, for the metadata. */
export function supportedScopes(api: SnapshotApi, method: SnapshotMethod): string[] {
  const claims = supportedClaims(api, method);
  return OPENID_SCOPE_NAMES.filter((scope) => {
    const brought = SCOPES.find(([name]) => name === scope)?.[1];
    return brought?.some((claim) => claims.includes(claim)) ?? true;
  });
}

type Whose = { personId: string; authMethodId: string };
type Asked = { scopes: readonly string[]; names: readonly string[] };

/** Claims of the groups of this service; each comes with the scope of its name, if the API has one. */
const GROUP_CLAIMS = ['groups', 'roles'] as const;

/** The scopes of these that bring a claim of groups, also into ID tokens. */
export const groupScopes = (api: SnapshotApi, scopes: readonly string[]): string[] =>
  ownClaims(api).filter((claim) => scopes.includes(claim));

/** Those that are about the groups of this service at the API; others are what the method says. */
const ownClaims = (api: SnapshotApi): string[] =>
  GROUP_CLAIMS.filter((claim) => (claim === 'groups' ? tellsGroups(api) : api.roles !== null));

/**
 * The person's claims of these scopes, and those asked for by name. Where the API has a scope of the name of a claim of
 * groups, only that scope brings the claim: it may be for some clients or people only.
 */
export async function claimsFor(api: SnapshotApi, whose: Whose, asked: Asked): Promise<PersonClaims> {
  const { scopes, names } = asked;
  const own = ownClaims(api);
  const hasScope = (claim: string) => api.scopes.some(({ name }) => name === claim);
  const ofGroups = own.filter(
    (claim) => scopes.includes(claim) || (names.includes(claim) && !hasScope(claim)),
  );
  if (names.length === 0 && ofGroups.length === 0 && !SCOPES.some(([scope]) => scopes.includes(scope)))
    return {};
  const wanted = (claim: string) =>
    !own.includes(claim) && (names.includes(claim) || scopes.includes(scopeOfClaim(claim)));
  const { claims, groups } = await findPersonClaims({
    ...whose,
    withGroups: ofGroups.length > 0,
    withUserName: wanted('preferred_username'),
  });
  return {
    ...Object.fromEntries(Object.entries(claims).filter(([claim]) => wanted(claim))),
    ...(ofGroups.includes('groups') && { groups: groupsTold(api, groups) }),
    ...(ofGroups.includes('roles') && { roles: rolesOf(api, groups) }),
  };
}

/** Of all claims of a person in one access token, as JSON: proxies refuse longer headers. */
const MAX_TOKEN_CLAIMS = 8_192;

/**
 * The person's claims in access tokens of the API (RFC 9068 §2.2.3); no statement where it wants none. Where they are
 * too large together, the largest go first.
 */
export async function tokenClaims(api: SnapshotApi, whose: Whose): Promise<PersonClaims> {
  const names = api.tokenClaims;
  // what the API wants in its tokens depends on no scope
  const claims = await claimsFor(api, whose, { scopes: groupScopes(api, names), names });
  const sized = Object.entries(claims).map(([claim, value]) => ({
    claim,
    value,
    bytes: Buffer.byteLength(JSON.stringify([claim, value])),
  }));
  let left = MAX_TOKEN_CLAIMS;
  if (sized.reduce((sum, { bytes }) => sum + bytes, 0) <= left) return claims;
  const kept: PersonClaims = {};
  const leftOut: string[] = [];
  for (const { claim, value, bytes } of sized.sort((a, b) => a.bytes - b.bytes)) {
    left -= bytes;
    if (left >= 0) kept[claim] = value;
    else leftOut.push(claim);
  }
  noteLeftOut({ ...whose, apiId: api.id }, leftOut);
  return kept;
}

const once = keepMade<void>('claims left out', 10_000);

/** Once an hour for a person and an API in this process: what does not fit does not fit in the next token either. */
function noteLeftOut({ personId, apiId, authMethodId }: Whose & { apiId: string }, claims: string[]): void {
  const hour = Math.floor(nowSeconds() / 3_600);
  once([apiId, personId, hour].join(' '), () => {
    log().warn({ api: apiId, claims }, 'claims were left out of an access token: all have over 8 KiB');
    const event = { event: 'claims.left_out', personId, apiId, authMethodId, details: { claims } } as const;
    const failed = (error: unknown) => log().error({ err: error }, 'an event could not be recorded');
    inBackground(recordEvent(event).catch(failed));
  });
}
