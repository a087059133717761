// Questions about methods: the kind, a capability, and two settings that depend on a capability.

import { orList } from '#lib/kit/fault.ts';
import { ownValue } from '#lib/kit/wire.ts';
import {
  BROKER_CLAIMS,
  type RequiredClaim,
  SCOPE_CLAIMS,
  SECOND_FACTORS,
  type SecondFactor,
} from '#lib/registry/claims.ts';
import type { Capability, MethodConfig, MethodKind } from './kind.ts';
import { type AuthMethodType, METHOD_KINDS } from './kinds.ts';

export const METHOD_TYPES = METHOD_KINDS.map(({ type }) => type);
export const METHOD_TYPES_IN_WORDS = orList(METHOD_TYPES);

export function methodKind(type: AuthMethodType): MethodKind<AuthMethodType> {
  const definition = METHOD_KINDS.find((kind) => kind.type === type);
  if (!definition) throw new Error(`no kind of method is called ${type}`);
  return definition;
}

/** The configuration, completed with the defaults of its kind. */
export const wholeConfig = ({ type, config }: { type: AuthMethodType; config: MethodConfig }): MethodConfig =>
  methodKind(type).whole?.(config) ?? config;

/** An unknown type has no capabilities. */
export const methodCan = ({ type }: { type: string }, capability: Capability): boolean =>
  METHOD_KINDS.some((kind) => kind.type === type && kind.capabilities[capability]);

export const typesThat = (capability: Capability): AuthMethodType[] =>
  METHOD_TYPES.filter((type) => methodCan({ type }, capability));

/** True if methods of this type use a remote service that can be tested. */
export const asksElsewhere = (type: AuthMethodType): boolean => {
  const { probes, trial } = methodKind(type);
  return probes !== undefined || trial !== undefined;
};

type Configured = { type: AuthMethodType; config: MethodConfig };

/** The key of `config` to which the secret belongs: the secret is a signing key, or is nested in that key. Null: none. */
export const secretRestsOn = (type: AuthMethodType): string | null => {
  const { signing, within = null } = methodKind(type).secret ?? {};
  return signing?.in ?? within;
};

const hasPart = ({ type, config }: Configured): boolean => {
  const part = secretRestsOn(type);
  return part !== null && config[part] !== undefined;
};

/**
 * False if the change turns a sent secret into a signing key or the reverse, because the stored secret must then be
 * discarded.
 */
export const keepsSecret = (before: Configured, after: Configured): boolean =>
  before.type === after.type && hasPart(before) === hasPart(after);

type Method = { type: string; config: MethodConfig };

/** `own`: the method has no setting, and users who have a second factor must use it. */
export type SecondFactorPolicy = SecondFactor | 'own';

/** The setting of the method, by default the policy of its kind. */
export function secondFactorOf(method: Method): SecondFactorPolicy {
  const policy = SECOND_FACTORS.find((name) => name === method.config['second_factor']);
  return policy ?? (methodCan(method, 'hasAccounts') ? 'own' : 'off');
}

const lets = (method: Method, ...modes: unknown[]) =>
  methodCan(method, 'hasAccounts') && modes.includes(method.config['registration']);

/** True if people can register without an invitation. */
export const isOpenToAll = (method: Method): boolean => lets(method, 'open', 'approval');

/** True if registrations need approval. */
export const asksApproval = (method: Method): boolean => lets(method, 'approval');

// Decides whether a claim is proof. Group rules and `required_claim` give access, so the provider's administrators
// must control the claim. The name of the claim at the provider decides, because a claim map could rename an email
// address to `team`.

type TypedMethod = { type: AuthMethodType; config: MethodConfig };

/** Standard claims that users set themselves (OpenID Connect Core §5.1), or for which another proof exists. */
const PERSONAL_CLAIMS: ReadonlySet<string> = new Set(Object.values(SCOPE_CLAIMS).flat());

export type ClaimFault =
  | { kind: 'personal'; claim: string; member: string }
  /** `at`: the index of the value */
  | { kind: 'tenant'; at: number; value: string };

/** True for a personal claim. A claim map reads `address.locality` as a part of `address`. */
const isPersonal = (member: string): boolean => PERSONAL_CLAIMS.has(member.split('.')[0] ?? member);

/** Returns the claim's name at the provider, according to the claim map of the method. */
function memberOf(method: TypedMethod, claim: string): string {
  const map = wholeConfig(method)['claims'];
  return typeof map === 'object' && map !== null
    ? String(ownValue(map as Record<string, unknown>, claim) ?? claim)
    : claim;
}

/** Returns the reason why a claim of this method must not decide about access. Null: it can. */
export function claimFault(
  method: TypedMethod,
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

/** True if users of several tenants can sign in, so that values in rules need a tenant (`TENANT/VALUE`). */
export const hasTenants = (method: TypedMethod): boolean =>
  methodKind(method.type).hasTenants?.(method.config) ?? false;

const COLUMNS = ['email', 'email_verified'];

/** True if the method provides this claim about users. */
function gives(method: TypedMethod, claim: string): boolean {
  const map = wholeConfig(method)['claims'];
  const isMapped = typeof map === 'object' && map !== null && Object.hasOwn(map, claim);
  return isMapped || (methodKind(method.type).capabilities.tellsProfile && BROKER_CLAIMS.includes(claim));
}

/**
 * Returns the reason why the claim cannot restrict which users of this method use a client. Only verified addresses
 * are compared. Groups of Gatehouse are included in addition to the method's groups. Null: it can.
 */
export function requiredClaimFaultAt(
  method: TypedMethod,
  { name, values }: RequiredClaim,
): ClaimFault | null {
  if (COLUMNS.includes(name) || !gives(method, name)) return null;
  const fault = claimFault(method, { claim: name, values });
  if (fault?.kind !== 'tenant') return fault;
  const { tenantOf } = methodKind(method.type);
  return name === 'groups' || values.some((value) => tenantOf?.(method.config, value) != null) ? null : fault;
}
