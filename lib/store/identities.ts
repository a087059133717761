// Identities of people at sign-in methods.

import { canonicalEmail } from '#lib/kit/text.ts';
import { hasSignInName } from '#lib/registry/person.ts';
import { HAS_ACCOUNTS, LET_IN } from './hot/person-facts.ts';
import { sessionLives } from './hot/validity.ts';
import { type Db, first, some } from './prisma.ts';
import { raw, sql } from './sql.ts';

// Identities at external and broker methods, by which a person signs in beside their password. An identity moves from
// one person to another only by proof of both (lib/management/links.ts).

/**
 * Holds the identities of a person, the two people, and the session, so that nothing about them changes before the end
 * of the transaction. Identities come first, as at a sign-in. False: the method has been handed over, the session has
 * ended, or the identity is no longer this person's.
 */
export async function holdForJoin(
  db: Db,
  join: {
    authMethodId: string;
    methodEpoch: string;
    from: string;
    to: string;
    session: Uint8Array;
    idleSeconds: number;
  },
): Promise<boolean> {
  const { authMethodId, from, to } = join;
  const method = await some(
    db.$queryRaw(
      sql`select from auth_methods where id = ${authMethodId} and epoch = ${join.methodEpoch} for share`,
    ),
  );
  const held = await db.$queryRaw<
    { method: string }[]
  >(sql`select auth_method_id as method from external_identities
    where person_id in (${from}, ${to}) order by auth_method_id, subject for update`);
  if (!method || held.length === 0) return false;
  await db.$executeRaw(sql`select from people where id in (${from}, ${to}) order by id for update`);
  const identity = await some(
    db.$queryRaw(sql`select from external_identities i join people p on p.id = i.person_id
    where i.auth_method_id = ${authMethodId} and i.person_id = ${from} and p.disabled_at is null`),
  );
  const lives = raw(sessionLives('s', String(Math.trunc(join.idleSeconds))));
  const session = await some(
    db.$queryRaw(sql`select from sessions s join people p on p.id = s.person_id
    where s.id_hash = ${join.session} and s.kind = 'console' and s.person_id = ${to} and ${lives} for share of s`),
  );
  return identity && session;
}

/** The present owner of an identity, and what they would have left without it. */
export async function findIdentityOwner(db: Db, personId: string) {
  const person = await db.person.findUnique({
    where: { id: personId },
    select: {
      email: true,
      username: true,
      roles: true,
      createdAt: true,
      factorLevel: true,
      identities: {
        select: { authMethodId: true, subject: true, name: true, email: true, emailVerified: true },
      },
      _count: {
        select: {
          clients: true,
          consents: true,
          families: true,
          sessions: true,
          delegations: true,
          agents: true,
        },
      },
    },
  });
  if (!person) return null;
  const { email, username, roles, createdAt, factorLevel, identities, _count } = person;
  const hasFactor = factorLevel > 0;
  return {
    /** a person of our own store: they have a name to sign in by and a password of their own */
    local: hasSignInName({ email, username }) || roles.length > 0,
    clients: _count.clients,
    consents: _count.consents,
    /** the methods that know them, and how each calls them */
    identities: identities.map((one) => ({
      authMethodId: one.authMethodId,
      label: one.email ?? one.name ?? one.subject,
      /** the method says that it is proved, and is trusted in that; null: there is none */
      email: one.emailVerified ? one.email : null,
    })),
    hasFactor,
    createdAt,
    /** they are more than a first sign-in that was just made */
    known: hasFactor || identities.length > 1 || Object.values(_count).some((count) => count > 0),
  };
}

export async function moveIdentities(db: Db, from: string, to: string): Promise<void> {
  await db.$executeRaw(
    sql`update external_identities set person_id = ${to}, last_seen_at = now() where person_id = ${from}`,
  );
}

/**
 * Takes the identity from the person, who keeps another way in: a password, or another identity. `none`: there is no
 * such identity; `last`: it is the only way.
 */
export async function removeIdentity(
  db: Db,
  personId: string,
  authMethodId: string,
): Promise<'removed' | 'none' | 'last'> {
  const held = await db.$queryRaw<
    { method: string }[]
  >(sql`select auth_method_id as method from external_identities
    where person_id = ${personId} order by auth_method_id, subject for update`);
  if (!held.some(({ method }) => method === authMethodId)) return 'none';
  const person = await first<{ password: boolean }>(
    db.$queryRaw(
      sql`select password_hash is not null as password from people where id = ${personId} for update`,
    ),
  );
  if (!person?.password && held.every(({ method }) => method === authMethodId)) return 'last';
  await db.externalIdentity.deleteMany({ where: { personId, authMethodId } });
  return 'removed';
}

// For explanations: whether a person would come to a sign-in method, and what a client has of them. It is no sign-in.

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
