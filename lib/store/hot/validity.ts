// Validity of the basis of codes and token families, shared by every statement that issues, renews or finds tokens.
// Each part of the basis has a revocation counter (epoch), which increases when tokens of that part are revoked.
// Issued rows store the sum of these counters. They never decrease, so an equal sum means that each part is unchanged,
// even for concurrent statements and reversed changes (docs/project/decisions/0003).
import { ACR_VALUES, type AcrLevel } from '#lib/registry/claims.ts';
import { listSql, narrowTo } from '../statement.ts';

/** Permission on which a token family is based. */
export type Basis = 'consent' | 'trust' | 'password' | 'exchange' | 'assertion' | 'delegation' | 'device';

/** Aliases of the tables that the validity of codes and token families depends on. */
type BaseAliases = { person: string; client: string; subscription: string; combination: string };

/** The aliases in `BASES`. */
export const BASE: BaseAliases = { person: 'p', client: 'cl', subscription: 's', combination: 'm' };

/** Tables that the validity of codes and token families depends on, for a FROM list. */
export const BASES = `people ${BASE.person}, clients ${BASE.client}, subscriptions ${BASE.subscription}, combinations ${BASE.combination}`;

type EpochsOf = BaseAliases & {
  basis: string;
  consentEpoch: string;
  delegationEpoch?: string | undefined;
  personEpoch?: string;
};

/**
 * SQL: the current sum of the revocation counters (epochs). `basis`: 'consent'; 'device', a consent for a device;
 * 'delegation', if its epoch is given; 'assertion', which depends on machine permission. Every other basis depends on
 * trust.
 */
export function epochNow({ basis, consentEpoch, delegationEpoch, personEpoch, ...bases }: EpochsOf): string {
  const { person, client, subscription: s, combination } = bases;
  return `${personEpoch ?? `${person}.epoch`} + ${client}.epoch + ${s}.epoch + ${combination}.epoch + case ${basis} when 'consent' then ${consentEpoch}
    when 'device' then ${s}.device_epoch + ${consentEpoch} when 'assertion' then ${s}.machine_epoch ${delegationEpoch === undefined ? '' : `when 'delegation' then ${delegationEpoch}`} else ${s}.trust_epoch end`;
}

/** SQL: oldest approval time among the scopes of row `of`, from the consent `co`; null: a scope is not approved. */
const allowedAt = (of: string): string =>
  `allowed_at(co.scopes, co.updated_at, co.earlier_scopes, ${of}.scopes, ${of}.openid)`;

/**
 * SQL condition: the consent or delegation in row `co` has not expired. A consent expires `max_days` days after the
 * oldest approval of its scopes. `delegation_end` returns the expiry of a delegation.
 */
const LASTS = {
  consents: (of: string, subscription: string) =>
    `(${subscription}.max_days is null or ${allowedAt(of)} > now() - make_interval(days => ${subscription}.max_days))`,
  delegations: () => `delegation_end(co.client_id, co.api_id, co.given_at, co.until) > now()`,
};

/**
 * SQL: revocation counter (epoch) of the consent or delegation of this user, client and API; null: missing or expired.
 */
const epochIn = (table: keyof typeof LASTS, of: string, subscription: string): string =>
  `(select co.epoch from ${table} co
    where co.person_id = ${of}.person_id and co.client_id = ${of}.client_id and co.api_id = ${of}.api_id
      and ${LASTS[table](of, subscription)})`;

/**
 * SQL: seconds until the user's approval for client `of` ends, at least one; null: unlimited. Reads the consent only if
 * the subscription sets a limit.
 */
export const allowedSeconds = ({ of, subscription }: { of: string; subscription: string }): string =>
  `case when ${subscription}.max_days is not null then (
      select greatest(1, extract(epoch from ${allowedAt(of)} + make_interval(days => ${subscription}.max_days) - now()))::int from consents co
      where co.person_id = ${of}.person_id and co.client_id = ${of}.client_id and co.api_id = ${of}.api_id) end`;

/** Alias of a subscription, and SQL of the ids of a user and a method. */
type ClaimOf = { subscription: string; personId: string; authMethodId: string };

/**
 * SQL condition: the subscription requires no claim, or the user has its required claim at this method. If no claim is
 * required, it reads nothing (docs/project/decisions/0004).
 */
export const isFor = ({ subscription, personId, authMethodId }: ClaimOf): string =>
  `(${subscription}.required_claim is null or has_claim(${subscription}.required_claim, ${personId}, ${authMethodId}))`;

/** Alias of a combination, and a user's id. */
type GroupsOf = { combination: string; personId: string };
type ScopesOf = GroupsOf & { scopes: string };

/**
 * SQL condition: the user's groups give access to the API. Reads nothing for an API without groups
 * (docs/project/decisions/0004).
 */
const isOfGroups = ({ combination: m, personId }: GroupsOf): string =>
  `(${m}.asked_groups is null or is_of_groups(${m}.asked_groups, ${personId}))`;

/** SQL: scopes that the user's groups permit. */
export const scopesOfGroups = ({ combination: m, personId, scopes }: ScopesOf): string =>
  `case when ${m}.asked_groups is null then ${scopes} else scopes_of_groups(${m}.asked_groups, ${personId}, ${scopes}) end`;

/** SQL condition: the user's groups permit every scope. */
export const mayHaveScopes = ({ combination: m, personId, scopes }: ScopesOf): string =>
  `(${m}.asked_groups is null or (is_of_groups(${m}.asked_groups, ${personId})
      and scopes_of_groups(${m}.asked_groups, ${personId}, ${scopes}) @> ${scopes}))`;

/** SQL condition: the user's groups permit at least one scope, or no scopes exist. */
export const keepsScopeOfGroups = ({ combination: m, personId, scopes }: ScopesOf): string =>
  `(${m}.asked_groups is null or ${scopes} = '{}' or scopes_of_groups(${m}.asked_groups, ${personId}, ${scopes}) <> '{}')`;

/** SQL condition on `of`, a code or token family: the user's groups no longer permit any of these scopes. */
export const isShutOut = (of: string, scopes: string): string => `exists (select from combinations m
    where m.auth_method_id = ${of}.auth_method_id and m.api_id = ${of}.api_id
      and not (${isOfGroups({ combination: 'm', personId: `${of}.person_id` })} and ${keepsScopeOfGroups({ combination: 'm', personId: `${of}.person_id`, scopes })}))`;

/**
 * SQL condition on the tables BASES: nothing has ended the basis of `of`, and the user is admitted. `of`: a row of
 * codes or token_families.
 */
export function restsOn({ of, ...bases }: BaseAliases & { of: string }): string {
  const { person, client, subscription, combination } = bases;
  const personId = `${of}.person_id`;
  return `
    ${person}.id = ${of}.person_id and ${person}.disabled_at is null
    and ${client}.client_id = ${of}.client_id and ${client}.disabled_at is null
    and ${subscription}.client_id = ${of}.client_id and ${subscription}.api_id = ${of}.api_id and ${subscription}.state = 'approved'
    and ${isFor({ subscription, personId, authMethodId: `${of}.auth_method_id` })} and ${isOfGroups({ combination, personId })}
    and case ${of}.basis when 'consent' then true when 'delegation' then true when 'assertion' then ${subscription}.machine when 'device' then ${subscription}.device
      -- of a person with a second factor, only a password is not enough
      when 'password' then ${subscription}.trusted and ${person}.factor_level = 0 else ${subscription}.trusted end
    and ${combination}.auth_method_id = ${of}.auth_method_id and ${combination}.api_id = ${of}.api_id
    and ${of}.epoch = ${epochNow({
      ...bases,
      basis: `${of}.basis`,
      consentEpoch: epochIn('consents', of, subscription),
      delegationEpoch: epochIn('delegations', of, subscription),
    })}`;
}

type MachineAliases = Omit<BaseAliases, 'person'>;
type MachineOf = MachineAliases & { of: string };

/** SQL: the current sum of the revocation counters (epochs) of machine tokens. */
export const machineEpoch = ({ client, subscription, combination }: MachineAliases): string =>
  `${client}.epoch + ${subscription}.epoch + ${combination}.epoch + ${subscription}.machine_epoch`;

/**
 * SQL condition: the client may currently receive machine tokens with these scopes. The row `of` contains client, API,
 * method and scopes.
 */
export const mayBeMachine = ({ of, client, subscription: s, combination: m }: MachineOf): string => `
    ${client}.client_id = ${of}.client_id and ${client}.confidential and ${client}.disabled_at is null
    and ${s}.client_id = ${of}.client_id and ${s}.api_id = ${of}.api_id and ${s}.state = 'approved' and ${s}.machine
    and (${s}.scopes <@ '{offline_access}' or ${s}.scopes @> ${of}.scopes)
    and ${m}.auth_method_id = ${of}.auth_method_id and ${m}.api_id = ${of}.api_id`;

/** SQL condition: no revocation has ended the basis of the token. `of`: a row of machine_tokens. */
export const machineRestsOn = (aliases: MachineOf): string =>
  `${mayBeMachine(aliases)} and ${aliases.of}.epoch = ${machineEpoch(aliases)}`;

/**
 * SQL condition: every token family from which `family` was exchanged is active, and no exchanged subject token is
 * revoked. Reads nothing if `family` was not exchanged.
 */
export const ancestorsLive = (family: string): string => `
    (${family}.parent_id is null or not exists (
      with recursive line as (
        select ${family}.parent_id as id, ${family}.subject_jti as jti, ${family}.subject_hash as hash
        union all
        select a.parent_id, a.subject_jti, a.subject_hash from line join token_families a on a.id = line.id
        where a.parent_id is not null
      )
      select 1 from line where exists (select 1 from revoked_tokens t where t.jti = line.jti)
        or exists (select 1 from opaque_tokens o where o.token_hash = line.hash and o.revoked_at is not null)
        or not exists (select 1 from token_families a, ${BASES}
          where a.id = line.id and a.revoked_at is null and ${restsOn({ of: 'a', ...BASE })})))`;

type SessionOf = { session: string; person: string; idleSeconds: string };

/**
 * SQL condition: the session is active. It has neither ended nor expired, and was used within this number of seconds. The
 * user must not be disabled or signed out everywhere.
 */
export const sessionLives = ({
  session,
  person,
  idleSeconds,
}: SessionOf): string => `${session}.ended_at is null
    and ${session}.expires_at > now() and ${session}.last_seen_at > now() - make_interval(secs => ${idleSeconds})
    and ${person}.disabled_at is null and ${session}.person_epoch = ${person}.epoch`;

// Sign-in strength as a condition of the statements that issue codes and tokens, so that nothing can change between
// check and issue.

/** The sign-in strength that a request requires. */
export type StrengthAsked = {
  /** minimum level; null: none requested, and tokens omit it */
  level: AcrLevel | null;
  /**
   * Requirement for level 1. `off`: no second factor. `own`: the second factor of users who have one. `offer`: like
   * `own`, and other users receive an offer. `required`: a second factor of every user. `postponed`: like `required`,
   * except during the grace period
   */
  secondFactor: 'off' | 'own' | 'offer' | 'required' | 'postponed';
  /** length of the grace period without the required second factor, from the first notice */
  graceSeconds: number;
  /** TRUSTED_BROWSER_DAYS: trust that is older is ignored; 0: all trust is ignored */
  trustedDays: number;
};

/** Facts about the signed-in user, for strength checks. */
export type StrengthFacts = {
  /** level of the sign-in */
  level: AcrLevel;
  /** level of the user's factors; 0: no factor */
  factorLevel: 0 | 2 | 3;
  /** true: trusted browser, so the policy requires no further step */
  trusted: boolean;
  /** true: the grace period is active; null: the user was not yet notified */
  inGrace: boolean | null;
  offered: boolean;
};

/**
 * SQL: strength columns of a user. `session`: alias of a row of sessions, or null without a session, which means
 * level 1.
 */
export const strengthOf = ({
  person,
  session,
  grace,
  trustedDays,
}: {
  person: string;
  session: string | null;
  grace: string;
  trustedDays: string;
}): string => `
    ${session ? `${session}.acr_level` : '1::smallint'} as acr_level, ${person}.factor_level,
    ${session ? isTrusted(session, trustedDays) : 'false'} as trusted,
    ${person}.factor_grace_from + make_interval(secs => ${grace}) > now() as in_grace, ${person}.factor_offered_at is not null as offered`;

const isTrusted = (
  session: string,
  days: string,
) => `${session}.trusted_browser is not null and exists (select 1 from trusted_browsers t
      where t.id = ${session}.trusted_browser and t.person_id = ${session}.person_id
        and t.auth_method_id = ${session}.auth_method_id and t.expires_at > now() and t.created_at > now() - make_interval(days => ${days}))`;

/** SQL: the strength columns of `of`, named like the members of StrengthFacts. */
export const strengthFacts = (of: string): string =>
  `${of}.acr_level as level, ${of}.factor_level as "factorLevel", ${of}.trusted, ${of}.in_grace as "inGrace", ${of}.offered`;

/** The strength columns of `strengthFacts`. */
export const STRENGTH_FACTS = {
  level: narrowTo<AcrLevel>('smallint'),
  factorLevel: narrowTo<StrengthFacts['factorLevel']>('smallint'),
  trusted: 'boolean',
  inGrace: 'boolean?',
  offered: 'boolean',
} as const;

/** SQL condition: the sign-in `of` satisfies `requirement`, which has the columns level and second_factor. */
export const isStrongEnough = (requirement: string, of: string): string => `
    (${requirement}.level is null or ${of}.acr_level >= ${requirement}.level)
    and (${requirement}.second_factor = 'off' or ${of}.acr_level >= 2 or case when ${of}.factor_level > 0 then ${of}.trusted
      when ${requirement}.second_factor = 'own' then true
      when ${requirement}.second_factor = 'offer' then ${of}.offered
      else ${requirement}.second_factor = 'postponed' and ${of}.in_grace end)`;

/**
 * Sign-in strength of a code or token family. Both null: the user signed in with a password, and no level was
 * requested.
 */
export type SignInStrength = { acrLevel: AcrLevel | null; amr: string[] | null };

/** SQL: the strength columns of `of`. */
export const strengthKept = (of: string): string => `${of}.acr_level as "acrLevel", ${of}.amr`;

/** The strength columns of `strengthKept`. */
export const STRENGTH_KEPT = { acrLevel: narrowTo<AcrLevel>('smallint?'), amr: 'text[]?' } as const;

/** SQL: level of an acr value; null means any sign-in. */
const levelSql = (acr: string): string =>
  `coalesce(array_position(array[${listSql(ACR_VALUES)}], ${acr}), 1)`;

/** SQL condition: `level` satisfies the current requirement of the API. A null level counts as 1. */
export const reachesApi = ({ api, level }: { api: string; level: string }): string =>
  `coalesce(${level}, 1) >= ${levelSql(`${api}.required_acr`)}`;

/** SQL condition: at least one of these scopes of the API currently requires more than `level`. */
export const isTooWeakFor = ({
  api,
  scopes,
  level,
}: {
  api: string;
  scopes: string;
  level: string;
}): string => `level_of_scopes(${api}.id, ${scopes}) > coalesce(${level}, 1)`;

// The client's keys to which new tokens are bound (RFC 9449).

/** The keys to which tokens are bound, as SHA-256 thumbprints of 32 bytes; missing or null: bearer tokens. */
export type KeyBinding = {
  /** key of the access token; a proof for the code or refresh token must use the same key */
  jkt?: Uint8Array | null;
  /** key of the refresh tokens, for public clients only (§5) */
  refreshJkt?: Uint8Array | null;
};

export const boundTo = ({ jkt = null, refreshJkt = null }: KeyBinding) => ({ jkt, refreshJkt });

/** The thumbprint in base64url, as in `cnf` (RFC 9449 §6.1). */
export const thumbprintText = (jkt: Uint8Array | null): string | null =>
  jkt && Buffer.from(jkt).toString('base64url');
