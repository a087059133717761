// People of the external and broker methods. Method and `sub` together identify a person; an e-mail address never does,
// since another person may have had it before. people.email stays empty: it belongs to the local store.

import { statement } from '../database/statement.ts';
import type { PersonClaims } from './openid.ts';

export type Identity = {
  authMethodId: string;
  /** the method's when its verifier or broker was asked */
  methodEpoch: string;
  subject: string;
  email: string | null;
  /** the method trusts its addresses, and this one was said to be proved */
  emailVerified: boolean;
  name: string | null;
  claims: PersonClaims;
  /**
   * Null: at a sign-in, it is all there is to know. Otherwise an ID token said it then: it adds to what is known,
   * unless something newer is.
   */
  saidAt: Date | null;
  /** no name is no news: the broker says it once */
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
 * The person of this subject at the method; made at the first sign-in, brought up to date at each. Null: the method
 * has been handed to another verifier or broker since this one was asked, or the person is disabled.
 */
export async function findOrCreateIdentity(
  identity: Identity,
): Promise<{ personId: string; personEpoch: string; hasFactor: boolean } | null> {
  // of parallel first sign-ins one inserts the identity; the others wait for it, find it and make no person
  const [row] = await identityFindOrCreate<{
    personId: string;
    personEpoch: string;
    hasFactor: boolean;
    disabled: boolean;
  }>({ ...identity, claims: JSON.stringify(identity.claims), keepsName: identity.keepsName ?? false });
  if (!row || row.disabled) return null;
  const { personId, personEpoch, hasFactor } = row;
  return { personId, personEpoch, hasFactor };
}
