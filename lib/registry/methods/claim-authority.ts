// Whether a claim proves anything: a group rule or `required_claim` gives access, so the administrators of the provider
// must control the claim. Decided by the provider's name of the claim: a map may call an e-mail address `team`.
import { ownValue } from '#lib/kit/wire.ts';
import { BROKER_CLAIMS, type RequiredClaim } from '../claims.ts';
import type { MethodConfig } from './kind.ts';
import type { AuthMethodType } from './kinds.ts';
import { methodKind, wholeConfig } from './questions.ts';

type Method = { type: AuthMethodType; config: MethodConfig };

/** Standard claims that users set themselves (OpenID Connect Core §5.1), or that have a proof of another kind. */
const PERSONAL_CLAIMS: ReadonlySet<string> = new Set([
  ...[
    'name',
    'given_name',
    'family_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
  ],
  ...['website', 'email', 'email_verified', 'gender', 'birthdate', 'zoneinfo', 'locale', 'phone_number'],
  ...['phone_number_verified', 'address', 'updated_at'],
]);

export type ClaimFault =
  | { kind: 'personal'; claim: string; member: string }
  /** `at`: the index of the value */
  | { kind: 'tenant'; at: number; value: string };

/** `address.locality` is a part of `address`, as a map reads it. */
const isPersonal = (member: string): boolean => PERSONAL_CLAIMS.has(member.split('.')[0] ?? member);

/** The provider's name of a claim, by the method's map. */
function memberOf(method: Method, claim: string): string {
  const map = wholeConfig(method)['claims'];
  return typeof map === 'object' && map !== null
    ? String(ownValue(map as Record<string, unknown>, claim) ?? claim)
    : claim;
}

/** May a claim of this method decide access? Null: nothing is wrong. */
export function claimFault(
  method: Method,
  { claim, values }: { claim: string; values: readonly string[] },
): ClaimFault | null {
  const { provesClaim, hasTenants, tenantOf } = methodKind(method.type);
  const member = memberOf(method, claim);
  const proves = !isPersonal(member) && (provesClaim?.(method.config, member) ?? true);
  if (!proves) return { kind: 'personal', claim, member };
  if (!hasTenants?.(method.config)) return null;
  const at = values.findIndex((value) => tenantOf?.(method.config, value) == null);
  return at < 0 ? null : { kind: 'tenant', at, value: values[at] ?? '' };
}

/** Do users of several tenants sign in, so that a value counts only with its tenant (`TENANT/VALUE`)? */
export const hasTenants = (method: Method): boolean =>
  methodKind(method.type).hasTenants?.(method.config) ?? false;

const COLUMNS = ['email', 'email_verified'];

/** Does the method keep this claim of its users? */
function gives(method: Method, claim: string): boolean {
  const map = wholeConfig(method)['claims'];
  const isMapped = typeof map === 'object' && map !== null && Object.hasOwn(map, claim);
  return isMapped || (methodKind(method.type).capabilities.tellsProfile && BROKER_CLAIMS.includes(claim));
}

/**
 * May the claim decide who uses a client, where users sign in with this method? An address is compared if it is proved,
 * and groups of the service count beside those of the method. Null: nothing is wrong.
 */
export function requiredClaimFaultAt(method: Method, { name, values }: RequiredClaim): ClaimFault | null {
  if (COLUMNS.includes(name) || !gives(method, name)) return null;
  const fault = claimFault(method, { claim: name, values });
  if (fault?.kind !== 'tenant') return fault;
  const { tenantOf } = methodKind(method.type);
  return name === 'groups' || values.some((value) => tenantOf?.(method.config, value) != null) ? null : fault;
}
