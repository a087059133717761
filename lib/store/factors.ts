// Factors of a user: lists and removes them.

import { lockOwner } from '#lib/catalogue/people/rows.ts';
import { type PasskeyUse, REMEMBERED } from './hot/factor-proofs.ts';
import { type Db, database, inTransaction, readRow, readRows, some } from './prisma.ts';
import { raw, sql } from './sql.ts';

// Trusted browsers, which skip the second factor (hot/sessions.ts).

const TRUSTED_BROWSER = {
  id: 'uuid',
  authMethodId: 'text',
  userAgent: 'text?',
  /** name given by the person */
  name: 'text?',
  createdAt: 'timestamptz',
  lastUsedAt: 'timestamptz',
  expiresAt: 'timestamptz',
} as const;

/** Lists trusted browsers by last use, the newest first. */
export function listTrustedBrowsers(db: Db, personId: string) {
  return readRows(db, TRUSTED_BROWSER)`
    select id, auth_method_id as "authMethodId", user_agent as "userAgent", name, created_at as "createdAt",
    last_used_at as "lastUsedAt", expires_at as "expiresAt"
    from trusted_browsers where person_id = ${personId} and expires_at > now() order by last_used_at desc, id`;
}

/** Returns false for an unknown browser. */
export async function nameTrustedBrowser(
  db: Db,
  { personId, id, name }: { personId: string; id: string; name: string | null },
): Promise<boolean> {
  const { count } = await db.trustedBrowser.updateMany({ where: { personId, id }, data: { name } });
  return count > 0;
}

/** Deletes one or all trusted browsers and returns their number. Sessions that skipped the factor must now prove it. */
export async function forgetTrustedBrowsers(db: Db, personId: string, id: string | 'all'): Promise<number> {
  const { count } = await db.trustedBrowser.deleteMany({ where: { personId, ...(id !== 'all' && { id }) } });
  return count;
}

/**
 * Lists apps and passkeys, oldest first, and trusted browsers, last used first. The `id` of a passkey is base64url,
 * as in browsers.
 */
export async function listFactors(personId: string, transactionClient?: Db) {
  const db = transactionClient ?? database();
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

/** Returns the last use of a stored recovery code. Null if none was used. */
export async function lastRecoveryCodeUse(personId: string): Promise<Date | null> {
  const { _max } = await database().recoveryCode.aggregate({
    where: { personId },
    _max: { usedAt: true },
  });
  return _max.usedAt;
}

const whereCredential = (personId: string, id: string) =>
  sql`person_id = ${personId} and credential_id = ${Buffer.from(id, 'base64url')}`;

/** Returns the previous name, or null for an unknown passkey. */
export async function renamePasskey(
  db: Db,
  passkey: { personId: string; id: string; name: string },
): Promise<string | null> {
  const row = await readRow(db, { before: 'text' })`
    update passkeys k set name = ${passkey.name}
    from passkeys was where was.credential_id = k.credential_id
      and k.credential_id in (select credential_id from passkeys where ${whereCredential(passkey.personId, passkey.id)})
    returning was.name as before`;
  return row?.before ?? null;
}

/**
 * Locks the user's row before the rows of factors, like every other statement, so that a concurrent reset cannot
 * deadlock.
 */
const lockedPerson = (personId: string) =>
  sql`person as materialized (select id from people where id = ${personId} for no key update)`;

/**
 * Returns the name of the app, if set, or null for an unknown app. A trigger updates dependent data
 * (docs/project/decisions/0023).
 */
export function removeTotp(db: Db, personId: string, id: string): Promise<{ name: string | null } | null> {
  return readRow(db, { name: 'text?' })`
    with ${lockedPerson(personId)} delete from totp_secrets using person
    where person_id = ${personId} and totp_secrets.id = ${id}::uuid returning totp_secrets.name`;
}

/** Returns false for an unknown app. */
export async function renameTotp(
  db: Db,
  { personId, id, name }: { personId: string; id: string; name: string },
): Promise<boolean> {
  const { count } = await db.totpSecret.updateMany({ where: { personId, id }, data: { name } });
  return count > 0;
}

/**
 * Returns the name of the passkey, or null if the user has no such passkey. A trigger updates dependent data
 * (docs/project/decisions/0023).
 */
export async function removePasskey(db: Db, personId: string, id: string): Promise<string | null> {
  const row = await readRow(db, { name: 'text' })`
    with ${lockedPerson(personId)} delete from passkeys using person
      where ${whereCredential(personId, id)} returning name`;
  return row?.name ?? null;
}

/** Deletes every factor and returns their counts. Locks the user's row first, like the triggers. */
export async function takeFactors(db: Db, personId: string) {
  await db.$executeRaw(sql`select 1 from people where id = ${personId} for no key update`);
  // deleted and counted first, because deleting the last factor also deletes the recovery codes and trusted browsers
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

// Passkeys: credentials of users' authenticators (WebAuthn Level 3 §4). A challenge works once, both for a new
// passkey and for a sign-in (hot/factor-proofs.ts).

type NewPasskey = {
  credentialId: Buffer<ArrayBuffer>;
  personId: string;
  rpId: string;
  /** public key in COSE_Key format */
  publicKey: Buffer<ArrayBuffer>;
  counter: number;
  transports: string[];
  /** model of the authenticator; null: unspecified */
  aaguid: string | null;
  backupEligible: boolean;
  backedUp: boolean;
  name: string;
};

/**
 * `gone`: unknown or disabled user. `used`: challenge already used. `taken`: the credential has an owner. `full`: limit
 * reached.
 */
type PasskeyAddition = 'added' | 'gone' | 'used' | 'taken' | 'full';

/** Adds a passkey, up to `max` per user. The lock prevents concurrent calls from exceeding this number. */
export function addPasskey(
  passkey: NewPasskey,
  { challengeHash, requestId, ip }: PasskeyUse,
  max: number,
): Promise<PasskeyAddition> {
  return inTransaction(async (db) => {
    const { personId, name } = passkey;
    const owner = await lockOwner(db, personId);
    if (owner === null || owner.disabled) return 'gone';
    // one statement while the lock is held, because each waiting call occupies a pool connection
    const row = await readRow(db, { fresh: 'boolean', room: 'boolean', added: 'boolean' })`
with spent as (
  insert into used_assertions (id_hash, expires_at)
  values (${challengeHash}, now() + ${raw(REMEMBERED)}) on conflict do nothing returning id_hash
), held as (
  select count(*) < ${max}::int as room from passkeys where person_id = ${personId}
), added as (
  insert into passkeys (credential_id, person_id, rp_id, public_key, counter, transports, aaguid, backup_eligible,
    backed_up, name)
  select ${passkey.credentialId}, ${personId}::uuid, ${passkey.rpId}, ${passkey.publicKey}, ${passkey.counter}::bigint,
    ${passkey.transports}::text[], ${passkey.aaguid}::uuid, ${passkey.backupEligible}, ${passkey.backedUp}, ${name}
  from spent, held where held.room
  on conflict do nothing returning person_id
), audit as (
  insert into audit_events (event, actor, person_id, request_id, ip, details)
  select 'factor.added', person_id::text, person_id, ${requestId}, ${ip},
    jsonb_build_object('factor', 'passkey', 'name', ${name}::text) from added
)
select exists (select from spent) as fresh, room, exists (select from added) as added from held`;
    if (row?.added) return 'added';
    if (!row?.fresh) return 'used';
    return row.room ? 'taken' : 'full';
  });
}

/**
 * Counts passkeys with former RP IDs, which browsers no longer offer. Returns the number of passkeys and users, and at
 * most ten RP IDs.
 */
export async function countOldPasskeys(
  rpId: string,
): Promise<{ passkeys: number; people: number; rpIds: string[] }> {
  const row = await readRow(database(), { passkeys: 'int', people: 'int', rpIds: 'text[]?' })`
    select count(*)::int as passkeys, count(distinct person_id)::int as people,
      (array_agg(distinct rp_id))[1:10] as "rpIds" from passkeys where rp_id <> ${rpId}`;
  return { passkeys: row?.passkeys ?? 0, people: row?.people ?? 0, rpIds: row?.rpIds ?? [] };
}

// Recovery codes, stored as hashes: creates and counts them (hot/factor-proofs.ts consumes them).

/** Replaces every recovery code. Returns false, without a change, if the user has no factor. */
export async function replaceRecoveryCodes(
  db: Db,
  personId: string,
  hashes: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  // Factor triggers lock this row, too. The last factor is therefore deleted before this statement, or its deletion
  // also removes the new codes.
  const has = await some(
    db.$executeRaw(sql`select 1 from people where id = ${personId} and factor_level > 0 for no key update`),
  );
  if (!has) return false;
  await db.recoveryCode.deleteMany({ where: { personId } });
  await db.recoveryCode.createMany({ data: hashes.map((codeHash) => ({ codeHash, personId })) });
  return true;
}

/** Returns the number of unused codes. */
export async function countRecoveryCodes(personId: string): Promise<number> {
  return database().recoveryCode.count({ where: { personId, usedAt: null } });
}
