// Proofs by passkeys (WebAuthn Level 3 §7.2). A challenge works once: the statement that accepts an answer notes its challenge, and
// changes nothing where that was noted before.
import { query } from '../database/index.ts';

/** SQL: how long a used challenge is remembered: longer than it would have been accepted. */
export const REMEMBERED = "interval '10 minutes'";

export type PasskeyUse = {
  /** SHA-256 of what names the challenge */
  challengeHash: Buffer;
  requestId: string;
  ip: string | null;
};

type KnownPasskey = {
  personId: string;
  publicKey: Buffer;
  backupEligible: boolean;
};

/** By the authenticator's id of it, where it works for this host; null: there is none, or its person is disabled. */
export async function findPasskey(credentialId: Uint8Array, rpId: string): Promise<KnownPasskey | null> {
  const [row] = await query<KnownPasskey>({
    name: 'passkey-find',
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
    name: 'passkey-accept',
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
    name: 'passkey-names',
    text: `select credential_id as "credentialId", transports from passkeys where person_id = $1::uuid and rp_id = $2
order by created_at`,
    values: [personId, rpId],
  });
}
