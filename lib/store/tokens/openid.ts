// What OpenID Connect keeps with a sign-in: what the request asked for, how the person proved who they are, and the
// claims that we have of a person.
import { statement } from '../database/statement.ts';
import { HAS_ACCOUNTS } from './let-in.ts';

/** What an `openid` request asked for; kept with its code, and without the nonce with the family. */
export type OpenIdRequest = {
  nonce?: string;
  /** names of claims asked for one by one, for the ID token */
  idToken: string[];
  /** and for userinfo */
  userinfo: string[];
  /** classes of which the ID token must name one (OpenID Connect Core §5.5.1.1); missing: it names the sign-in's */
  acrs?: string[];
};

/** What the ID tokens of a family tell; the members of the session are missing where it began on none. */
export type OpenIdFacts = OpenIdRequest & { sid?: string; amr?: string[]; brokerAcr?: string | null };

/** SQL: an OpenIdFacts, of the code `of` with its session; null for a request without `openid`. */
export const openIdFacts = (
  of: string,
): string => `case when ${of}.openid is not null then ${of}.openid || coalesce(
    (select jsonb_build_object('sid', x.sid, 'amr', to_jsonb(x.amr), 'brokerAcr', x.broker_acr)
      from sessions x where x.id_hash = ${of}.session_hash), '{}') end`;

/** Claims by name (OpenID Connect Core §5.1), none of them null. */
export type PersonClaims = Record<string, unknown>;

const personClaims = statement({
  name: 'person-claims',
  takes: { personId: 'uuid', authMethodId: 'text', withGroups: 'boolean', withUserName: 'boolean' },
  text: (value) => `
select jsonb_strip_nulls(jsonb_build_object(
    'name', nullif(p.name, ''),
    'email', coalesce(p.email, i.email),
    'email_verified', case when p.email is not null then p.email_verified_at is not null
      when i.email is not null then i.email_verified and m.config @> '{"trust_email": true}' end,
    'preferred_username', case when ${value.withUserName} and exists (
      select from auth_methods m where m.id = ${value.authMethodId} and ${HAS_ACCOUNTS})
      then coalesce(p.username, case when p.email_verified_at is not null and not exists (
        select from people_names n where n.name = lower(split_part(p.email, '@', 1)) and n.person_id <> p.id)
        then nullif(split_part(p.email, '@', 1), '') end) end,
    'updated_at', floor(extract(epoch from p.updated_at))::int)) || coalesce(i.claims, '{}')
  || jsonb_strip_nulls(jsonb_build_object('picture', p.picture, 'locale', p.locale, 'zoneinfo', p.zoneinfo)) as claims,
  case when ${value.withGroups} then array(select distinct k.group_id from group_members k where k.person_id = p.id order by 1)
    else '{}' end as groups
from people p left join (external_identities i join auth_methods m on m.id = i.auth_method_id)
  on i.person_id = p.id and i.auth_method_id = ${value.authMethodId}
where p.id = ${value.personId}`,
});

/**
 * What is known of a person: a user name of an account of ours, or the local part of its verified address unless that is
 * another's user name; an address of our own store with the proof of it, otherwise what the method's verifier or
 * broker said at the last sign-in. An address from there is proved while the method trusts such addresses. What the
 * person chose on the account page counts more than what is said of them elsewhere. `groups`: the ids of their groups.
 */
export async function findPersonClaims(whose: {
  personId: string;
  authMethodId: string;
  /** read the groups too */
  withGroups: boolean;
  /** look for `preferred_username` of an account of ours */
  withUserName: boolean;
}): Promise<{ claims: PersonClaims; groups: string[] }> {
  const { personId, authMethodId, withGroups, withUserName } = whose;
  const [row] = await personClaims<{ claims: PersonClaims; groups: string[] }>({
    personId,
    authMethodId,
    withGroups,
    withUserName,
  });
  return row ?? { claims: {}, groups: [] };
}
