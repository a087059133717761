// Which claims of a person a client gets (OpenID Connect Core §5.4, §5.5): those of the scopes, and those that it asked
// for one by one. What is not known of the person is left out, never null.
import { z } from 'zod';
import { BROKER_CLAIMS, methodCan, SCOPE_CLAIMS } from '#lib/registry/index.ts';
import {
  findPersonClaims,
  type PersonClaims,
  type SnapshotApi,
  type SnapshotMethod,
} from '#lib/store/index.ts';

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
export function supportedClaims(method: SnapshotMethod): string[] {
  const mapped = Object.keys(z.record(z.string(), z.unknown()).safeParse(method.config['claims']).data ?? {});
  const own = [...ID_TOKEN_CLAIMS, 'name', ...CHOSEN_CLAIMS, 'email', 'email_verified', 'updated_at'];
  return [...new Set([...own, ...(methodCan(method, 'tellsProfile') ? BROKER_CLAIMS : []), ...mapped])];
}

type Whose = { personId: string; authMethodId: string };

/** The person's claims of these scopes, and those asked for by name. */
export async function claimsFor(
  whose: Whose,
  { scopes, names }: { scopes: readonly string[]; names: readonly string[] },
): Promise<PersonClaims> {
  const wanted = (claim: string) => names.includes(claim) || scopes.includes(scopeOfClaim(claim));
  if (names.length === 0 && !SCOPES.some(([scope]) => scopes.includes(scope))) return {};
  const known = Object.entries(await findPersonClaims(whose));
  return Object.fromEntries(known.filter(([claim]) => wanted(claim)));
}

/** The person's claims in access tokens of the API (RFC 9068 §2.2.3); no statement where it wants none. */
export function tokenClaims(api: SnapshotApi, whose: Whose): Promise<PersonClaims> {
  return claimsFor(whose, { scopes: [], names: api.tokenClaims });
}
