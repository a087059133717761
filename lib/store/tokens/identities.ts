// People of the external and broker methods. Method and `sub` together identify a person; an e-mail address never does, since
// somebody else may have had it before. people.email stays empty: it belongs to the local store.

import { query } from '../database/index.ts';
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
   * Null: at a sign-in, it is all there is to know. Otherwise an ID token said it then: it adds to what is known, unless
   * something newer is.
   */
  saidAt: Date | null;
};

/**
 * The person whom the method knows by this subject; made at the first sign-in, brought up to date at each. Null: the method
 * has been handed to another verifier or broker since this one was asked, or the person is disabled.
 */
export async function findOrCreateIdentity(
  identity: Identity,
): Promise<{ personId: string; personEpoch: string; hasFactor: boolean } | null> {
  // of parallel first sign-ins one inserts the identity; the others wait for it, find it and make no person
  const [row] = await query<{ personId: string; personEpoch: string; hasFactor: boolean; disabled: boolean }>(
    {
      name: 'identity-find-or-create',
      text: `
with method as (
  -- handing the method over locks this row first
  select id from auth_methods where id = $1 and epoch = $5 for share
), fresh as (
  select gen_random_uuid() as id from method
), identity as (
  insert into external_identities as known (auth_method_id, subject, person_id, email, name, email_verified, claims)
  select $1, $2, id, $3, $4, $6, $7::jsonb from fresh
  on conflict (auth_method_id, subject) do update set last_seen_at = now(),
    (email, email_verified, name, claims) = (select
      case when whole or added and $3 is not null then $3 else known.email end,
      case when whole or added and $3 is not null then $6 else known.email_verified end,
      case when whole or added and $4 is not null then $4 else known.name end,
      case when whole then $7::jsonb when added then known.claims || $7::jsonb else known.claims end
      from (select $8::timestamptz is null as whole, $8 > known.last_seen_at as added) said)
  returning person_id
), created as (
  insert into people (id, name) select id, coalesce($4, '') from fresh join identity on person_id = id
), renamed as (
  update people p set name = $4 from identity
  where p.id = identity.person_id and $4 is not null and p.name <> $4
)
select identity.person_id as "personId", coalesce(p.epoch, 0) as "personEpoch", p.disabled_at is not null as disabled,
  coalesce(p.factor_level, 0) > 0 as "hasFactor"
from identity left join people p on p.id = identity.person_id`,
      values: [
        identity.authMethodId,
        identity.subject,
        identity.email,
        identity.name,
        identity.methodEpoch,
        identity.emailVerified,
        JSON.stringify(identity.claims),
        identity.saidAt,
      ],
    },
  );
  if (!row || row.disabled) return null;
  const { personId, personEpoch, hasFactor } = row;
  return { personId, personEpoch, hasFactor };
}
