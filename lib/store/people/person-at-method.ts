// For explanations: whether a person would come to a sign-in method, and what a client has of them. It is no sign-in.
import { canonicalEmail } from '#lib/kit/text/email-address.ts';
import { type Db, first } from '../database/prisma.ts';
import { raw, sql } from '../database/sql.ts';
import { HAS_ACCOUNTS, LET_IN } from '../tokens/let-in.ts';

/** Who would come to a sign-in method. */
export type PersonAtMethod = {
  personId: string;
  epoch: string;
  disabled: boolean;
  /** the method knows them; of our own accounts: it lets them in */
  signsIn: boolean;
};

/**
 * By id, or by the address of an account or of an identity of this method, who signs in here before others. Null: no
 * person here has it.
 */
export function findPersonAtMethod(
  db: Db,
  who: { id: string } | { email: string },
  authMethodId: string,
): Promise<PersonAtMethod | null> {
  const email = 'email' in who ? who.email : '';
  const named =
    'id' in who
      ? sql`select ${who.id}::uuid as id`
      : sql`select id from people where email = ${canonicalEmail(email)}
    union select person_id from external_identities
      where auth_method_id = ${authMethodId} and email = any(${[email, canonicalEmail(email)]}::text[])`;
  return first(
    db.$queryRaw(sql`select p.id as "personId", p.epoch::text, p.disabled_at is not null as disabled,
      case when ${raw(HAS_ACCOUNTS)} then (p.email is not null or p.username is not null) and ${raw(LET_IN)}
        else exists (select from external_identities i where i.person_id = p.id and i.auth_method_id = m.id)
      end as "signsIn"
    from (${named}) named join people p using (id) join auth_methods m on m.id = ${authMethodId}
    order by "signsIn" desc, p.id limit 1`),
  );
}

type OfPerson = { personId: string; clientId: string; apiId: string; authMethodId: string };

/** The hash of a refresh token, and the thumbprint of the key that it works with; null: it needs none. */
type NewestRefreshToken = { hash: Uint8Array; jkt: Uint8Array | null };

/** What the client would use, given at the issuer's path; null: it has none. */
export function findNewestRefreshToken(db: Db, of: OfPerson): Promise<NewestRefreshToken | null> {
  return first(
    db.$queryRaw<NewestRefreshToken[]>(sql`select r.token_hash as hash, f.dpop_jkt as jkt
      from token_families f join refresh_tokens r on r.family_id = f.id
      where f.person_id = ${of.personId}::uuid and f.client_id = ${of.clientId} and f.api_id = ${of.apiId}
        and f.auth_method_id = ${of.authMethodId} and f.issuer_host is null
      order by f.revoked_at is null desc, r.used_at is null desc, r.issued_at desc limit 1`),
  );
}
