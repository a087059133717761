// What a person has to prove a sign-in with, in one look, and how all of it is taken away.
import { type Db, database, first, some, sql } from '../database/index.ts';
import { listTrustedBrowsers } from './trusted-browsers.ts';

export type PasskeyRow = {
  /** base64url, as browsers name it */
  id: string;
  name: string;
  /** the host, or the domain, that it works for */
  rpId: string;
  backedUp: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
};

export type Factors = {
  totp: { createdAt: Date; lastUsedAt: Date | null } | null;
  passkeys: PasskeyRow[];
  /** how many still work */
  recoveryCodes: number;
  trustedBrowsers: Awaited<ReturnType<typeof listTrustedBrowsers>>;
};

const ID = sql`rtrim(translate(replace(encode(credential_id, 'base64'), e'\n', ''), '+/', '-_'), '=')`;

/** The oldest passkey first, and the browser that was used last. */
export async function listFactors(personId: string, given?: Db): Promise<Factors> {
  const db = given ?? (await database());
  const totp = await first<{ createdAt: Date; lastUsedAt: Date | null }>(
    db.$queryRaw(
      sql`select created_at as "createdAt", last_used_at as "lastUsedAt" from totp_secrets where person_id = ${personId}`,
    ),
  );
  const passkeys = await db.$queryRaw<
    PasskeyRow[]
  >(sql`select ${ID} as id, name, rp_id as "rpId", backed_up as "backedUp",
    created_at as "createdAt", last_used_at as "lastUsedAt"
    from passkeys where person_id = ${personId} order by created_at, credential_id`);
  const codes = await first<{ n: number }>(
    db.$queryRaw(sql`select count(*)::int as n from recovery_codes
    where person_id = ${personId} and used_at is null`),
  );
  const trustedBrowsers = await listTrustedBrowsers(db, personId);
  return { totp, passkeys, recoveryCodes: codes?.n ?? 0, trustedBrowsers };
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

/** The row of the person is locked before that of a factor, as everywhere: a reset at the same time would wait in a circle. */
const lockedPerson = (personId: string) =>
  sql`person as materialized (select id from people where id = ${personId} for no key update)`;

/** False: there was none. A trigger sees to what follows (docs/decisions/0052). */
export function removeTotp(db: Db, personId: string): Promise<boolean> {
  return some(
    db.$executeRaw(sql`with ${lockedPerson(personId)} delete from totp_secrets using person
    where person_id = ${personId}`),
  );
}

/** Its name; null: the person has no such passkey. A trigger sees to what follows (docs/decisions/0052). */
export async function removePasskey(db: Db, personId: string, id: string): Promise<string | null> {
  const row = await first<{
    name: string;
  }>(
    db.$queryRaw(sql`with ${lockedPerson(personId)} delete from passkeys using person
      where ${named(personId, id)} returning name`),
  );
  return row?.name ?? null;
}

export type FactorsTaken = { passkeys: number; totp: boolean; recoveryCodes: number; browsers: number };

/** Takes all of a person's; what there was. The row of the person is locked first, as the triggers do. */
export async function takeFactors(db: Db, personId: string): Promise<FactorsTaken> {
  await db.$executeRaw(sql`select 1 from people where id = ${personId} for no key update`);
  const taken = await first<FactorsTaken>(
    db.$queryRaw(sql`
with keys as (
  delete from passkeys where person_id = ${personId} returning 1
), app as (
  delete from totp_secrets where person_id = ${personId} returning 1
), codes as (
  delete from recovery_codes where person_id = ${personId} returning used_at
), browsers as (
  delete from trusted_browsers where person_id = ${personId} returning 1
)
select (select count(*)::int from keys) as passkeys, exists (select from app) as totp,
  (select count(*)::int from codes where used_at is null) as "recoveryCodes",
  (select count(*)::int from browsers) as browsers`),
  );
  if (!taken) throw new Error('a count gave no row');
  return taken;
}
