// People of the external and broker methods. Method and `sub` together identify a person; an e-mail address never does, since
// somebody else may have had it before. people.email stays empty: it belongs to the local store.
import { query } from './pool.ts';

export type Identity = {
  authMethodId: string;
  /** the method's when its verifier or broker was asked */
  methodEpoch: string;
  subject: string;
  email: string | null;
  name: string | null;
};

/**
 * The person whom the method knows by this subject; made at the first sign-in, brought up to date at each. Null: the method
 * has been handed to another verifier or broker since this one was asked, or the person is disabled.
 */
export async function findOrCreateIdentity(
  identity: Identity,
): Promise<{ personId: string; personEpoch: string } | null> {
  // of parallel first sign-ins one inserts the identity; the others wait for it, find it and make no person
  const [row] = await query<{ personId: string; personEpoch: string; disabled: boolean }>({
    name: 'identity-find-or-create',
    text: `
with method as (
  -- handing the method over locks this row first
  select id from auth_methods where id = $1 and epoch = $5 for share
), fresh as (
  select gen_random_uuid() as id from method
), identity as (
  insert into external_identities (auth_method_id, subject, person_id, email, name)
  select $1, $2, id, $3, $4 from fresh
  on conflict (auth_method_id, subject)
    do update set email = excluded.email, name = excluded.name, last_seen_at = now()
  returning person_id
), created as (
  insert into people (id, name) select id, coalesce($4, '') from fresh join identity on person_id = id
), renamed as (
  update people p set name = $4, updated_at = now() from identity
  where p.id = identity.person_id and $4 is not null and p.name <> $4
)
select identity.person_id as "personId", coalesce(p.epoch, 0) as "personEpoch", p.disabled_at is not null as disabled
from identity left join people p on p.id = identity.person_id`,
    values: [identity.authMethodId, identity.subject, identity.email, identity.name, identity.methodEpoch],
  });
  return row && !row.disabled ? { personId: row.personId, personEpoch: row.personEpoch } : null;
}
