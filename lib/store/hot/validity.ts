// Does the basis of a code or a token family still hold? Every statement that gives, renews or looks up a token asks
// in these words. Everything that tokens rest on has an epoch, which each ending of its tokens renews; what was given
// keeps the sum. Epochs only rise, so an unchanged sum means unchanged parts, also for a statement that was in flight
// meanwhile and for an ending that was undone since (docs/decisions/0003).
import { ACR_VALUES, type AcrLevel } from '#lib/registry/claims.ts';

/** What a token family rests on. */
export type Basis = 'consent' | 'trust' | 'password' | 'exchange' | 'assertion' | 'delegation' | 'device';

/** What codes and families rest on, for a FROM list. `epochNow` and `restsOn` use these aliases. */
export const BASES = 'people p, clients cl, subscriptions s, combinations m';

type EpochsOf = {
  basis: string;
  consentEpoch: string;
  delegationEpoch?: string | undefined;
  personEpoch?: string;
};

/**
 * The sum of epochs now. `basis` is 'consent', 'device', a consent given for a device, 'delegation' where its epoch is
 * given, 'assertion', which rests on machine, or anything that rests on trust.
 */
export const epochNow = ({
  basis,
  consentEpoch,
  delegationEpoch,
  personEpoch = 'p.epoch',
}: EpochsOf): string =>
  `${personEpoch} + cl.epoch + s.epoch + m.epoch + case ${basis} when 'consent' then ${consentEpoch}
    when 'device' then s.device_epoch + ${consentEpoch} when 'assertion' then s.machine_epoch ${delegationEpoch === undefined ? '' : `when 'delegation' then ${delegationEpoch}`} else s.trust_epoch end`;

/**
 * When the first of the scopes that `of` holds was allowed last, by its consent `co`; null: one of them is not allowed.
 */
const allowedAt = (of: string): string =>
  `allowed_at(co.scopes, co.updated_at, co.earlier_scopes, ${of}.scopes, ${of}.openid)`;

/**
 * How long each lasts, as a condition of the row `co`: as the subscription `s` and the identity of the client let it.
 */
const LASTS = {
  consents: (of: string) =>
    `(s.max_days is null or ${allowedAt(of)} > now() - make_interval(days => s.max_days))`,
  delegations: () => `delegation_end(co.client_id, co.api_id, co.given_at, co.until) > now()`,
};

/**
 * The epoch of the consent, or the delegation, of this person, client and API; null: there is none, or it does not
 * count any more.
 */
const epochIn = (table: keyof typeof LASTS, of: string): string =>
  `(select co.epoch from ${table} co
    where co.person_id = ${of}.person_id and co.client_id = ${of}.client_id and co.api_id = ${of}.api_id
      and ${LASTS[table](of)})`;

/**
 * Seconds for which what the person allowed the client `of` lasts from now, at least one; null: without an end of its
 * own. Reads the consent only where the subscription `s` sets an end.
 */
export const allowedSeconds = (of: string): string => `case when s.max_days is not null then (
      select greatest(1, extract(epoch from ${allowedAt(of)} + make_interval(days => s.max_days) - now()))::int from consents co
      where co.person_id = ${of}.person_id and co.client_id = ${of}.client_id and co.api_id = ${of}.api_id) end`;

/**
 * A condition: the subscription `s` is for everybody, or for this person as the method knows them: they have the claim
 * that it names. Calls and reads nothing where it names none (docs/decisions/0005).
 */
export const isFor = (personId: string, authMethodId: string): string =>
  `(s.required_claim is null or has_claim(s.required_claim, ${personId}, ${authMethodId}))`;

/**
 * A condition: the person may have something at the API, by the groups that it names. Calls and reads nothing where it
 * names none (docs/decisions/0005).
 */
const isOfGroups = (personId: string): string =>
  `(m.asked_groups is null or is_of_groups(m.asked_groups, ${personId}))`;

/** Those of the scopes that the person may have by their groups. */
export const scopesOfGroups = (personId: string, scopes: string): string =>
  `case when m.asked_groups is null then ${scopes} else scopes_of_groups(m.asked_groups, ${personId}, ${scopes}) end`;

/** A condition: the person may have all of the scopes by their groups. */
export const mayHaveScopes = (personId: string, scopes: string): string =>
  `(m.asked_groups is null or (is_of_groups(m.asked_groups, ${personId})
      and scopes_of_groups(m.asked_groups, ${personId}, ${scopes}) @> ${scopes}))`;

/** A condition: the person may have one of the scopes by their groups, or there are none. */
export const keepsScopeOfGroups = (personId: string, scopes: string): string =>
  `(m.asked_groups is null or ${scopes} = '{}' or scopes_of_groups(m.asked_groups, ${personId}, ${scopes}) <> '{}')`;

/** A condition of `of`, a code or a family: its person may have none of the scopes any more. */
export const isShutOut = (of: string, scopes: string): string => `exists (select from combinations m
    where m.auth_method_id = ${of}.auth_method_id and m.api_id = ${of}.api_id
      and not (${isOfGroups(`${of}.person_id`)} and ${keepsScopeOfGroups(`${of}.person_id`, scopes)}))`;

/**
 * A condition: the basis of `of`, a row of codes or token_families, is unchanged in BASES, and its person is one it is
 * for.
 */
export const restsOn = (of: string): string => `
    p.id = ${of}.person_id and p.disabled_at is null
    and cl.client_id = ${of}.client_id and cl.disabled_at is null
    and s.client_id = ${of}.client_id and s.api_id = ${of}.api_id and s.state = 'approved'
    and ${isFor(`${of}.person_id`, `${of}.auth_method_id`)} and ${isOfGroups(`${of}.person_id`)}
    and case ${of}.basis when 'consent' then true when 'delegation' then true when 'assertion' then s.machine when 'device' then s.device
      -- of a person with a second factor, only a password is not enough
      when 'password' then s.trusted and p.factor_level = 0 else s.trusted end
    and m.auth_method_id = ${of}.auth_method_id and m.api_id = ${of}.api_id
    and ${of}.epoch = ${epochNow({
      basis: `${of}.basis`,
      consentEpoch: epochIn('consents', of),
      delegationEpoch: epochIn('delegations', of),
    })}`;

/** What a client's tokens in its own name rest on, for a FROM list: there is no person, and no consent. */
export const MACHINE_BASES = 'clients cl, subscriptions s, combinations m';

/** The sum of epochs now. */
export const MACHINE_EPOCH = 'cl.epoch + s.epoch + m.epoch + s.machine_epoch';

/** A condition: the client may have such tokens now, of these scopes. `of` names client, API, method and scopes. */
export const mayBeMachine = (of: string): string => `
    cl.client_id = ${of}.client_id and cl.confidential and cl.disabled_at is null
    and s.client_id = ${of}.client_id and s.api_id = ${of}.api_id and s.state = 'approved' and s.machine
    and (s.scopes <@ '{offline_access}' or s.scopes @> ${of}.scopes)
    and m.auth_method_id = ${of}.auth_method_id and m.api_id = ${of}.api_id`;

/** A condition: the basis of `of`, a row of machine_tokens, is unchanged in MACHINE_BASES. */
export const machineRestsOn = (of: string): string =>
  `${mayBeMachine(of)} and ${of}.epoch = ${MACHINE_EPOCH}`;

/**
 * A condition: every family that `family` was exchanged from lives, and so does each token that was exchanged. Reads
 * nothing for a family that was not exchanged.
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
          where a.id = line.id and a.revoked_at is null and ${restsOn('a')})))`;

/**
 * A condition: the session `of` of the person `p` has neither ended nor expired, nor been idle for so many seconds, and
 * the person has been neither disabled nor signed out everywhere since it began.
 */
export const sessionLives = (of: string, idleSeconds: string): string => `${of}.ended_at is null
    and ${of}.expires_at > now() and ${of}.last_seen_at > now() - make_interval(secs => ${idleSeconds})
    and p.disabled_at is null and ${of}.person_epoch = p.epoch`;

// How strong a sign-in is, and whether that is enough: a condition inside the statements that give something, so that
// nothing is given between the question and the answer.

/** What a request asks of the sign-in. */
export type StrengthAsked = {
  /** the least level; null: none was requested, and what is given says nothing of it */
  level: AcrLevel | null;
  /**
   * What is asked of a sign-in of level 1. off: nothing. own: the second factor of those who have one. offer: that, and
   * those who have none were offered one. required: a second factor. postponed: that, unless the person's grace lasts
   */
  secondFactor: 'off' | 'own' | 'offer' | 'required' | 'postponed';
  /** how long a person who must have a second factor may do without, from when they were first told */
  graceSeconds: number;
  /** TRUSTED_BROWSER_DAYS: an older trust counts no more; 0: none does */
  trustedDays: number;
};

/** What is known of the person who signed in. */
export type StrengthFacts = {
  /** of the sign-in */
  level: AcrLevel;
  /** what the person's factors reach; 0: they have none */
  factorLevel: 0 | 2 | 3;
  /** the sign-in is of a browser that the person trusts, so the policy asks for nothing more */
  trusted: boolean;
  /** does the grace last? null: the person was not told yet */
  inGrace: boolean | null;
  offered: boolean;
};

/**
 * SQL: the columns of it, of the person `p`. `session`: alias of a row of sessions; null: without a session it is level
 * 1.
 */
export const strengthOf = ({
  session,
  grace,
  trustedDays,
}: {
  session: string | null;
  grace: string;
  trustedDays: string;
}): string => `
    ${session ? `${session}.acr_level` : '1::smallint'} as acr_level, p.factor_level,
    ${session ? isTrusted(session, trustedDays) : 'false'} as trusted,
    p.factor_grace_from + make_interval(secs => ${grace}) > now() as in_grace, p.factor_offered_at is not null as offered`;

const isTrusted = (
  session: string,
  days: string,
) => `${session}.trusted_browser is not null and exists (select 1 from trusted_browsers t
      where t.id = ${session}.trusted_browser and t.person_id = ${session}.person_id
        and t.auth_method_id = ${session}.auth_method_id and t.expires_at > now() and t.created_at > now() - make_interval(days => ${days}))`;

/** SQL: those columns of `of` under the names of StrengthFacts. */
export const strengthFacts = (of: string): string =>
  `${of}.acr_level as level, ${of}.factor_level as "factorLevel", ${of}.trusted, ${of}.in_grace as "inGrace", ${of}.offered`;

/** SQL, a condition: the sign-in `of` is as strong as `asked`, with columns level and second_factor, wants it. */
export const isStrongEnough = (asked: string, of: string): string => `
    (${asked}.level is null or ${of}.acr_level >= ${asked}.level)
    and (${asked}.second_factor = 'off' or ${of}.acr_level >= 2 or case when ${of}.factor_level > 0 then ${of}.trusted
      when ${asked}.second_factor = 'own' then true
      when ${asked}.second_factor = 'offer' then ${of}.offered
      else ${asked}.second_factor = 'postponed' and ${of}.in_grace end)`;

/** How strong the sign-in of a code or a family was; both null: a password, and no level was requested. */
export type SignInStrength = { acrLevel: AcrLevel | null; amr: string[] | null };

/** SQL: those columns of `of`. */
export const strengthKept = (of: string): string => `${of}.acr_level as "acrLevel", ${of}.amr`;

/** SQL: the level of a class; null is any sign-in. */
const levelSql = (acr: string): string =>
  `coalesce(array_position(array[${ACR_VALUES.map((one) => `'${one}'`).join(', ')}], ${acr}), 1)`;

/** SQL, a condition: `level`, where null is 1, is enough for the API `a` now. */
export const reachesApi = (level: string): string => `coalesce(${level}, 1) >= ${levelSql('a.required_acr')}`;

/** SQL, a condition: one of these scopes of the API `a` needs more now. */
export const isTooWeakFor = (scopes: string, level: string): string =>
  `level_of_scopes(a.id, ${scopes}) > coalesce(${level}, 1)`;

// Which key of the client new tokens are bound to (RFC 9449).

/** SHA-256 thumbprints of 32 bytes; left out or null: bearer tokens. */
export type KeyBinding = {
  /** of the access token, and of a proof that the code or the refresh token may ask for */
  jkt?: Uint8Array | null;
  /** of the refresh tokens, which only a public client's are bound to (§5) */
  refreshJkt?: Uint8Array | null;
};

export const boundTo = ({ jkt = null, refreshJkt = null }: KeyBinding) => ({ jkt, refreshJkt });

/** As `cnf` has it (RFC 9449 §6.1): base64url. */
export const thumbprintText = (jkt: Uint8Array | null): string | null =>
  jkt && Buffer.from(jkt).toString('base64url');
