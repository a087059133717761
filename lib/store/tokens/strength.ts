// How strong a sign-in is, and whether that is enough: a condition inside the statements that give something, so that
// nothing is given between the question and the answer.

import { ACR_VALUES, type AcrLevel } from '#lib/registry/fields/acr.ts';

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
