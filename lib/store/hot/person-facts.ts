// Facts about the user of a sign-in: claims, methods, identity, groups, imported subject.

import { PERSON_ID } from '#lib/catalogue/clients/definition.ts';
import { typesThat } from '#lib/catalogue/methods/questions.ts';
import { PROFILE_KEYS } from '#lib/catalogue/people/profile.ts';
import { first, some } from '../prisma.ts';
import { listSql, narrowTo, type RowOf, statement } from '../statement.ts';

// Local methods that admit a local account. A self-registered account is admitted by its own method. Accounts from
// administrators or the configuration file (`let_in_at` is null) can sign in with every local method.

/** SQL condition: the users of method `m` have Gatehouse accounts. */
export const HAS_ACCOUNTS = `m.type in (${listSql(typesThat('hasAccounts'))})`;

/** SQL condition: user `p` can sign in with method `m`. */
export const LET_IN = `(p.let_in_at is null or not ${HAS_ACCOUNTS} or m.id = any(p.let_in_at)
    or coalesce(m.config->>'registration', '') = 'open')`;

const personLetIn = statement({
  name: 'person-let-in',
  takes: { personId: 'uuid', authMethodId: 'text' },
  returns: {},
  text: (value) =>
    `select from people p, auth_methods m where p.id = ${value.personId} and m.id = ${value.authMethodId} and ${LET_IN}`,
});

/** Returns true if the method admits the user. Returns false for a deleted user or method, too. */
export const isLetIn = (personId: string, authMethodId: string): Promise<boolean> =>
  some(personLetIn({ personId, authMethodId }));

// OpenID Connect data of a sign-in: request parameters, authentication, user claims.

/**
 * Parameters of an `openid` request, stored with the code. All except the nonce are also stored with the token family.
 */
export type OpenIdRequest = {
  nonce?: string;
  /** individually requested claims for the ID token */
  idToken: string[];
  /** individually requested claims for userinfo */
  userinfo: string[];
  /**
   * acr classes, one of which the ID token must contain (OpenID Connect Core §5.5.1.1); missing: the class of the
   * sign-in
   */
  acrs?: string[];
};

/**
 * Data for the ID tokens of a token family. Members from the session are missing if the family started without a
 * session.
 */
export type OpenIdFacts = OpenIdRequest & { sid?: string; amr?: string[]; brokerAcr?: string | null };

/** SQL: the OpenIdFacts of code `of` and its session; null for a request without `openid`. */
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
  returns: { claims: narrowTo<PersonClaims>('jsonb'), groups: 'text[]' },
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
  || jsonb_strip_nulls(jsonb_build_object(${PROFILE_KEYS.map((key) => `'${key}', p.${key}`).join(', ')})) as claims,
  case when ${value.withGroups} then array(select distinct k.group_id from group_members k where k.person_id = p.id order by 1)
    else '{}' end as groups
from people p left join (external_identities i join auth_methods m on m.id = i.auth_method_id)
  on i.person_id = p.id and i.auth_method_id = ${value.authMethodId}
where p.id = ${value.personId}`,
});

/**
 * Claims of a user. User name: from the local account, or the local part of its verified email unless another user has
 * that user name. Email: from the local account with its verification, otherwise from the method's last sign-in,
 * verified only if the method is trusted. Values chosen on the account page take precedence. `groups`: ids of groups.
 */
export async function findPersonClaims(whose: {
  personId: string;
  authMethodId: string;
  /** true: reads groups too */
  withGroups: boolean;
  /** true: looks for `preferred_username` of a local account */
  withUserName: boolean;
}): Promise<RowOf<typeof personClaims>> {
  const { personId, authMethodId, withGroups, withUserName } = whose;
  const [row] = await personClaims({
    personId,
    authMethodId,
    withGroups,
    withUserName,
  });
  return row ?? { claims: {}, groups: [] };
}

// Users of the external and broker methods. Method and `sub` together identify a user. An email address never does,
// because it may have belonged to another user. people.email stays empty, because it is for local accounts only.

export type Identity = {
  authMethodId: string;
  /** revocation counter (epoch) of the method when the user was verified */
  methodEpoch: string;
  subject: string;
  email: string | null;
  /** the provider verified the email, and the method trusts its emails */
  emailVerified: boolean;
  name: string | null;
  claims: PersonClaims;
  /**
   * Null: the claims are the complete data of a sign-in. Otherwise the time of an ID token, whose claims are merged
   * unless the stored data is newer.
   */
  saidAt: Date | null;
  /** a missing name keeps the stored name, because the broker sends it once */
  keepsName?: boolean;
};

const identityFindOrCreate = statement({
  name: 'identity-find-or-create',
  takes: {
    authMethodId: 'text',
    subject: 'text',
    email: 'text?',
    name: 'text?',
    methodEpoch: 'bigint',
    emailVerified: 'boolean',
    claims: 'jsonb',
    saidAt: 'timestamptz?',
    keepsName: 'boolean',
  },
  returns: { personId: 'uuid', personEpoch: 'bigint', disabled: 'boolean', hasFactor: 'boolean' },
  text: (value) => `
with method as (
  -- handing the method over locks this row first
  select id from auth_methods where id = ${value.authMethodId} and epoch = ${value.methodEpoch} for share
), fresh as (
  select gen_random_uuid() as id from method
), identity as (
  insert into external_identities as known (auth_method_id, subject, person_id, email, name, email_verified, claims)
  select ${value.authMethodId}, ${value.subject}, id, ${value.email}, ${value.name}, ${value.emailVerified}, ${value.claims} from fresh
  on conflict (auth_method_id, subject) do update set last_seen_at = now(),
    (email, email_verified, name, claims) = (select
      case when whole or added and ${value.email} is not null then ${value.email} else known.email end,
      case when whole or added and ${value.email} is not null then ${value.emailVerified} else known.email_verified end,
      case when whole and not ${value.keepsName} or (whole or added) and ${value.name} is not null then ${value.name} else known.name end,
      case when whole then ${value.claims} when added then known.claims || ${value.claims} else known.claims end
      from (select ${value.saidAt} is null as whole, ${value.saidAt} > known.last_seen_at as added) said)
  returning person_id
), created as (
  insert into people (id, name) select id, coalesce(${value.name}, '') from fresh join identity on person_id = id
), renamed as (
  update people p set name = ${value.name} from identity
  where p.id = identity.person_id and ${value.name} is not null and p.name <> ${value.name}
)
select identity.person_id as "personId", coalesce(p.epoch, 0) as "personEpoch", p.disabled_at is not null as disabled,
  coalesce(p.factor_level, 0) > 0 as "hasFactor"
from identity left join people p on p.id = identity.person_id`,
});

/**
 * Finds the user of this subject, creates the user at the first sign-in, and updates the data at every sign-in. Null:
 * the method switched to a different verifier or broker, or the user is disabled.
 */
export async function findOrCreateIdentity(
  identity: Identity,
): Promise<{ personId: string; personEpoch: string; hasFactor: boolean } | null> {
  // concurrent first sign-ins: one inserts the identity; the others wait, find it and create no user
  const [row] = await identityFindOrCreate({
    ...identity,
    claims: JSON.stringify(identity.claims),
    keepsName: identity.keepsName ?? false,
  });
  if (!row || row.disabled) return null;
  const { personId, personEpoch, hasFactor } = row;
  return { personId, personEpoch, hasFactor };
}

// Applies group rules to a user after sign-in.

/**
 * Groups by rule. `in`: groups whose rules match the user. `unknown`: the method sent no data for their rules, so
 * memberships stay unchanged.
 */
export type RuledGroups = { in: string[]; unknown: string[] };

const groupRulesApply = statement({
  name: 'group-rules-apply',
  takes: {
    personId: 'uuid',
    authMethodId: 'text',
    inGroups: 'text[]',
    unknown: 'text[]',
    saidAt: 'timestamptz?',
  },
  returns: { changed: 'int' },
  text: (value) =>
    `select apply_group_rules(${value.personId}, ${value.authMethodId}, ${value.inGroups}, ${value.unknown}, ${value.saidAt}) as changed`,
});

/**
 * Removes only memberships that a rule on this method added. `saidAt`: time of the data; null: now. Data older than the
 * last applied data changes nothing.
 */
export async function applyRuledGroups(input: {
  personId: string;
  authMethodId: string;
  groups: RuledGroups;
  saidAt: Date | null;
}): Promise<number> {
  const { groups, ...whose } = input;
  const values = { ...whose, inGroups: groups.in, unknown: groups.unknown };
  for (;;) {
    const [row] = await groupRulesApply(values);
    const changed = row?.changed ?? 0;
    if (changed >= 0) return changed;
  }
}

// Scopes that a user's groups permit, for decisions before the issuing statement, which checks them again.

const groupScopes = statement({
  name: 'group-scopes',
  takes: { personId: 'uuid', apiId: 'text', authMethodId: 'text', scopes: 'text[]' },
  returns: { mayUse: 'boolean', scopes: 'text[]' },
  text: (value) => `
select m.asked_groups is null or is_of_groups(m.asked_groups, ${value.personId}) as "mayUse",
  case when m.asked_groups is null then ${value.scopes}
    else scopes_of_groups(m.asked_groups, ${value.personId}, ${value.scopes}) end as scopes
from combinations m where m.auth_method_id = ${value.authMethodId} and m.api_id = ${value.apiId}`,
});

/** Returns the permitted scopes; null: the groups give no access to this API. */
export async function findScopesOfGroups(query: {
  personId: string;
  apiId: string;
  authMethodId: string;
  scopes: readonly string[];
}): Promise<string[] | null> {
  const [row] = await groupScopes({
    ...query,
    scopes: [...query.scopes],
  });
  return row?.mayUse ? row.scopes : null;
}

// Cache of database rows in this process. The rows are valid while a counter (epoch) in the database is unchanged.

export class EpochCache<Value> {
  readonly #most: number;
  #epoch = -1;
  #values = new Map<string, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns undefined if no value is cached for this epoch. */
  get(key: string, epoch: number): Value | undefined {
    return epoch === this.#epoch ? this.#values.get(key) : undefined;
  }

  /** Stores the value. `epoch`: read before the value. Values of an older epoch are not stored. */
  set(key: string, value: Value, epoch: number): void {
    if (epoch < this.#epoch) return;
    if (epoch > this.#epoch || this.#values.size >= this.#most) this.#values = new Map();
    this.#epoch = epoch;
    this.#values.set(key, value);
  }
}

// Imported subjects of users. Only imports write them, so a process reads each one once between imports.

const subjectCache = new EpochCache<string | null>(50_000);

const subjectOf = statement({
  name: 'kept-subject',
  takes: { personId: 'uuid' },
  returns: { subject: 'text?' },
  text: (value) => `select subject from people where id = ${value.personId}`,
});

/**
 * Returns null if the user has no imported subject, so that the id is the subject. `epoch`: import epoch of the
 * request's snapshot.
 */
export async function findKeptSubject(personId: string, epoch: number): Promise<string | null> {
  const cachedSubject = subjectCache.get(personId, epoch);
  if (cachedSubject !== undefined) return cachedSubject;
  const [row] = await subjectOf({ personId });
  if (!row) return null;
  subjectCache.set(personId, row.subject, epoch);
  return row.subject;
}

const personBySub = statement({
  name: 'person-by-sub',
  takes: { sub: 'text', id: 'uuid?' },
  returns: { id: 'uuid' },
  text: (value) =>
    `select id from people where subject = ${value.sub} or (id = ${value.id} and subject is null)`,
});

/** Returns the id of the user with this token subject; null: no such user. */
export async function findPersonBySub(sub: string): Promise<string | null> {
  const person = await first(personBySub({ sub, id: PERSON_ID.test(sub) ? sub : null }));
  return person?.id ?? null;
}
