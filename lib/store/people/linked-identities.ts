// The identities of external and broker methods by which a person signs in beside their password. One moves from
// one person to another only by proof of both (lib/management/account/links.ts).
import { hasSignInName } from '#lib/registry/objects/person.ts';
import { type Db, first, some } from '../database/prisma.ts';
import { raw, sql } from '../database/sql.ts';
import { sessionLives } from '../tokens/validity.ts';

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
