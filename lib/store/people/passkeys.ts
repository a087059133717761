// Passkeys: credentials of people's authenticators (WebAuthn Level 3 §4). A challenge works once, for a new passkey as for a
// sign-in: the statement that accepts an answer notes its challenge, and changes nothing where that was noted before. People do this at
// their own pace, so no statement here is prepared.
import { database, first, inTransaction, query, raw, sql } from '../database/index.ts';
import { lockOwner } from '../registry/index.ts';

/** How long a used challenge is remembered: longer than it would have been accepted. */
const REMEMBERED = "interval '10 minutes'";

type PasskeyUse = {
  /** SHA-256 of what names the challenge */
  challengeHash: Buffer;
  requestId: string;
  ip: string | null;
};

type NewPasskey = PasskeyUse & {
  credentialId: Buffer;
  personId: string;
  rpId: string;
  /** COSE_Key */
  publicKey: Buffer;
  counter: number;
  transports: readonly string[];
  /** the authenticator's model; null: it does not say */
  aaguid: string | null;
  backupEligible: boolean;
  backedUp: boolean;
  name: string;
};

/** `gone`: no such person, or disabled. `used`: the challenge was. `taken`: the credential is somebody's. `full`: there are too many. */
type PasskeyAddition = 'added' | 'gone' | 'used' | 'taken' | 'full';

/** Adds it to the person's, who has at most `max`. The lock lets nobody count past that at the same time. */
export function addPasskey(passkey: NewPasskey, max: number): Promise<PasskeyAddition> {
  return inTransaction(async (db) => {
    const owner = await lockOwner(db, passkey.personId);
    if (owner === null || owner.disabled) return 'gone';
    const row = await first<{ fresh: boolean; room: boolean; added: boolean }>(
      db.$queryRaw(sql`
with spent as (
  insert into used_assertions (id_hash, expires_at)
  values (${passkey.challengeHash}, now() + ${raw(REMEMBERED)}) on conflict do nothing returning id_hash
), held as (
  select count(*) < ${max}::int as room from passkeys where person_id = ${passkey.personId}
), added as (
  insert into passkeys (credential_id, person_id, rp_id, public_key, counter, transports, aaguid, backup_eligible,
    backed_up, name)
  select ${passkey.credentialId}, ${passkey.personId}::uuid, ${passkey.rpId}, ${passkey.publicKey},
    ${passkey.counter}::bigint, ${[...passkey.transports]}::text[], ${passkey.aaguid}::uuid, ${passkey.backupEligible},
    ${passkey.backedUp}, ${passkey.name} from spent, held where held.room
  on conflict do nothing returning person_id
), audit as (
  insert into audit_events (event, actor, person_id, request_id, ip, details)
  select 'factor.added', person_id::text, person_id, ${passkey.requestId}, ${passkey.ip},
    jsonb_build_object('factor', 'passkey', 'name', ${passkey.name}::text) from added
)
select exists (select from spent) as fresh, room, exists (select from added) as added from held`),
    );
    if (row?.added) return 'added';
    if (!row?.fresh) return 'used';
    return row.room ? 'taken' : 'full';
  });
}

type KnownPasskey = {
  personId: string;
  publicKey: Buffer;
  backupEligible: boolean;
};

/** By the authenticator's id of it, where it works for this host; null: there is none, or its person is disabled. */
export async function findPasskey(credentialId: Uint8Array, rpId: string): Promise<KnownPasskey | null> {
  const [row] = await query<KnownPasskey>({
    text: `select k.person_id as "personId", k.public_key as "publicKey", k.backup_eligible as "backupEligible"
from passkeys k join people p on p.id = k.person_id and p.disabled_at is null
where k.credential_id = $1 and k.rp_id = $2`,
    values: [credentialId, rpId],
  });
  return row ?? null;
}

type UsedPasskey = {
  personEpoch: string;
  email: string | null;
  /** its counter of signatures did not go on: there may be a copy of it */
  counterBack: boolean;
};

/**
 * Accepts an answer whose signature was good, and keeps what it says of the passkey. Null: the challenge was used, the passkey was
 * removed meanwhile or its person disabled, or they have no password and `local` asks for people who have one.
 */
export async function acceptPasskey(
  use: PasskeyUse & {
    credentialId: Buffer;
    counter: number;
    backupEligible: boolean;
    backedUp: boolean;
    local: boolean;
  },
): Promise<UsedPasskey | null> {
  const [row] = await query<UsedPasskey>({
    // the row is locked after the challenge was noted, by whoever comes: no two wait for each other
    text: `
with spent as (
  insert into used_assertions (id_hash, expires_at)
  select $1, now() + ${REMEMBERED} from passkeys k join people p on p.id = k.person_id and p.disabled_at is null
  where k.credential_id = $2 and (not $5::boolean or p.password_hash is not null)
  on conflict do nothing returning id_hash
), before as (
  select k.credential_id, k.person_id, k.name, k.counter, ($3::bigint > 0 or k.counter > 0) and $3 <= k.counter as back
  from spent, passkeys k where k.credential_id = $2 for no key update of k
), used as (
  update passkeys k set counter = greatest(k.counter, $3), backed_up = $4, backup_eligible = backup_eligible or $8,
    last_used_at = now()
  from before where k.credential_id = before.credential_id returning k.person_id
), audit as (
  insert into audit_events (event, actor, person_id, request_id, ip, details)
  select 'factor.counter_back', person_id::text, person_id, $6, $7,
    jsonb_build_object('name', name) from before where back
)
select p.epoch as "personEpoch", p.email, before.back as "counterBack"
from used join before using (person_id) join people p on p.id = used.person_id and p.disabled_at is null`,
    values: [
      use.challengeHash,
      use.credentialId,
      use.counter,
      use.backedUp,
      use.local,
      use.requestId,
      use.ip,
      use.backupEligible,
    ],
  });
  return row ?? null;
}

type PasskeyName = { credentialId: Buffer; transports: string[] };

/** The person's that work for this host, for the browser to choose from or to leave out. */
export function selectPasskeyNames(personId: string, rpId: string): Promise<PasskeyName[]> {
  return query<PasskeyName>({
    text: `select credential_id as "credentialId", transports from passkeys where person_id = $1::uuid and rp_id = $2
order by created_at`,
    values: [personId, rpId],
  });
}

/** Those of other domains than this one, which no browser offers any more: how many, of how many people, and of which (at most ten). */
export async function countOldPasskeys(
  rpId: string,
): Promise<{ passkeys: number; people: number; rpIds: string[] }> {
  const row = await first<{ passkeys: number; people: number; rpIds: string[] | null }>(
    (
      await database()
    ).$queryRaw(sql`select count(*)::int as passkeys, count(distinct person_id)::int as people,
      (array_agg(distinct rp_id))[1:10] as "rpIds" from passkeys where rp_id <> ${rpId}`),
  );
  return { passkeys: row?.passkeys ?? 0, people: row?.people ?? 0, rpIds: row?.rpIds ?? [] };
}
