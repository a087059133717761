// What a person has to prove a sign-in with, in one look, and how all of it is taken away.
import { type Db, database, first } from '../database/prisma.ts';
import { sql } from '../database/sql.ts';
import { forgetTrustedBrowsers, listTrustedBrowsers } from './trusted-browsers.ts';

/**
 * The oldest app and passkey first, and the browser that was used last. `id` of a passkey is base64url, as browsers
 * name it.
 */
export async function listFactors(personId: string, given?: Db) {
  const db = given ?? (await database());
  const totps = await db.totpSecret.findMany({
    where: { personId },
    select: { id: true, name: true, createdAt: true, lastUsedAt: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  const passkeys = await db.passkey.findMany({
    where: { personId },
    select: { credentialId: true, name: true, rpId: true, backedUp: true, createdAt: true, lastUsedAt: true },
    orderBy: [{ createdAt: 'asc' }, { credentialId: 'asc' }],
  });
  return {
    totps,
    passkeys: passkeys.map(({ credentialId, ...passkey }) => ({
      id: Buffer.from(credentialId).toString('base64url'),
      ...passkey,
    })),
    recoveryCodes: await db.recoveryCode.count({ where: { personId, usedAt: null } }),
    trustedBrowsers: await listTrustedBrowsers(db, personId),
  };
}

/** When a recovery code was used last; null: never, of those that are kept. */
export async function lastRecoveryCodeUse(personId: string): Promise<Date | null> {
  const { _max } = await (await database()).recoveryCode.aggregate({
    where: { personId },
    _max: { usedAt: true },
  });
  return _max.usedAt;
}

const named = (personId: string, id: string) =>
  sql`person_id = ${personId} and credential_id = ${Buffer.from(id, 'base64url')}`;

/** The name that it had; null: the person has no such passkey. */
export async function renamePasskey(
  db: Db,
  passkey: { personId: string; id: string; name: string },
): Promise<string | null> {
  const row = await first<{ before: string }>(
    db.$queryRaw(sql`update passkeys k set name = ${passkey.name}
    from passkeys was where was.credential_id = k.credential_id
      and k.credential_id in (select credential_id from passkeys where ${named(passkey.personId, passkey.id)})
    returning was.name as before`),
  );
  return row?.before ?? null;
}

/**
 * The row of the person is locked before that of a factor, as everywhere: a reset at the same time would wait in a
 * circle.
 */
const lockedPerson = (personId: string) =>
  sql`person as materialized (select id from people where id = ${personId} for no key update)`;

/**
 * Its name, where it has one; null: the person has no such app. A trigger sees to what follows (docs/decisions/0023).
 */
export function removeTotp(db: Db, personId: string, id: string): Promise<{ name: string | null } | null> {
  return first(
    db.$queryRaw(sql`with ${lockedPerson(personId)} delete from totp_secrets using person
    where person_id = ${personId} and totp_secrets.id = ${id}::uuid returning totp_secrets.name`),
  );
}

/** False: the person has no such app. */
export async function renameTotp(
  db: Db,
  { personId, id, name }: { personId: string; id: string; name: string },
): Promise<boolean> {
  const { count } = await db.totpSecret.updateMany({ where: { personId, id }, data: { name } });
  return count > 0;
}

/** Its name; null: the person has no such passkey. A trigger sees to what follows (docs/decisions/0023). */
export async function removePasskey(db: Db, personId: string, id: string): Promise<string | null> {
  const row = await first<{
    name: string;
  }>(
    db.$queryRaw(sql`with ${lockedPerson(personId)} delete from passkeys using person
      where ${named(personId, id)} returning name`),
  );
  return row?.name ?? null;
}

/** Takes all of a person's; what there was. The row of the person is locked first, as the triggers do. */
export async function takeFactors(db: Db, personId: string) {
  await db.$executeRaw(sql`select 1 from people where id = ${personId} for no key update`);
  // the last factor takes the codes and the browsers with it, so they are counted before
  const codes = await db.recoveryCode.deleteMany({ where: { personId, usedAt: null } });
  const browsers = await forgetTrustedBrowsers(db, personId, 'all');
  const passkeys = await db.passkey.deleteMany({ where: { personId } });
  const { count: totps } = await db.totpSecret.deleteMany({ where: { personId } });
  return {
    passkeys: passkeys.count,
    totp: totps > 0,
    totpCount: totps,
    recoveryCodes: codes.count,
    browsers,
  };
}
