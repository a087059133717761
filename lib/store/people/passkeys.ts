// Passkeys: credentials of people's authenticators (WebAuthn Level 3 §4). A challenge works once, for a new passkey as
// for a sign-in (sign-in/passkey-proofs.ts).
import { database, first, inTransaction } from '../database/prisma.ts';
import { raw, sql } from '../database/sql.ts';
import { lockOwner } from '../registry/quotas.ts';
import { type PasskeyUse, REMEMBERED } from '../sign-in/passkey-proofs.ts';

type NewPasskey = {
  credentialId: Buffer<ArrayBuffer>;
  personId: string;
  rpId: string;
  /** COSE_Key */
  publicKey: Buffer<ArrayBuffer>;
  counter: number;
  transports: string[];
  /** the authenticator's model; null: it does not say */
  aaguid: string | null;
  backupEligible: boolean;
  backedUp: boolean;
  name: string;
};

/**
 * `gone`: no such person, or disabled. `used`: the challenge was. `taken`: the credential has an owner. `full`: there
 * are too many.
 */
type PasskeyAddition = 'added' | 'gone' | 'used' | 'taken' | 'full';

/** Adds it to the person's, who has at most `max`. The lock prevents a parallel count. */
export function addPasskey(
  passkey: NewPasskey,
  { challengeHash, requestId, ip }: PasskeyUse,
  max: number,
): Promise<PasskeyAddition> {
  return inTransaction(async (db) => {
    const { personId, name } = passkey;
    const owner = await lockOwner(db, personId);
    if (owner === null || owner.disabled) return 'gone';
    // one statement under the lock: each that waits for it holds a connection of the pool
    const row = await first<{ fresh: boolean; room: boolean; added: boolean }>(
      db.$queryRaw(sql`
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
select exists (select from spent) as fresh, room, exists (select from added) as added from held`),
    );
    if (row?.added) return 'added';
    if (!row?.fresh) return 'used';
    return row.room ? 'taken' : 'full';
  });
}

/**
 * Those of other domains than this one, which no browser offers any more: how many, of how many people, and of which
 * (at most ten).
 */
export async function countOldPasskeys(
  rpId: string,
): Promise<{ passkeys: number; people: number; rpIds: string[] }> {
  const db = await database();
  const row = await first<{ passkeys: number; people: number; rpIds: string[] | null }>(
    db.$queryRaw(sql`select count(*)::int as passkeys, count(distinct person_id)::int as people,
      (array_agg(distinct rp_id))[1:10] as "rpIds" from passkeys where rp_id <> ${rpId}`),
  );
  return { passkeys: row?.passkeys ?? 0, people: row?.people ?? 0, rpIds: row?.rpIds ?? [] };
}
