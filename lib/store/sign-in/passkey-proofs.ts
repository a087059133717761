// Proofs by passkeys (WebAuthn Level 3 §7.2). A challenge works once: the statement that accepts an answer notes its
// challenge, and changes nothing where that was noted before.
import { statement } from '../database/statement.ts';

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

const passkeyFind = statement({
  name: 'passkey-find',
  takes: { credentialId: 'bytea', rpId: 'text' },
  text: (
    value,
  ) => `select k.person_id as "personId", k.public_key as "publicKey", k.backup_eligible as "backupEligible"
from passkeys k join people p on p.id = k.person_id and p.disabled_at is null
where k.credential_id = ${value.credentialId} and k.rp_id = ${value.rpId}`,
});

/** By the authenticator's id of it, where it works for this host; null: there is none, or its person is disabled. */
export async function findPasskey(credentialId: Uint8Array, rpId: string): Promise<KnownPasskey | null> {
  const [row] = await passkeyFind<KnownPasskey>({ credentialId, rpId });
  return row ?? null;
}

type UsedPasskey = {
  personEpoch: string;
  email: string | null;
  /** its counter of signatures did not rise: there may be a copy of it */
  counterBack: boolean;
};

const passkeyAccept = statement({
  name: 'passkey-accept',
  takes: {
    challengeHash: 'bytea',
    credentialId: 'bytea',
    counter: 'bigint',
    backedUp: 'boolean',
    local: 'boolean',
    requestId: 'text',
    ip: 'text?',
    backupEligible: 'boolean',
  },
  // the challenge is noted before the row is locked, by every caller: no two wait for each other
  text: (value) => `
with spent as (
  insert into used_assertions (id_hash, expires_at)
  select ${value.challengeHash}, now() + ${REMEMBERED} from passkeys k join people p on p.id = k.person_id and p.disabled_at is null
  where k.credential_id = ${value.credentialId} and (not ${value.local} or p.password_hash is not null)
  on conflict do nothing returning id_hash
), before as (
  select k.credential_id, k.person_id, k.name, k.counter, (${value.counter} > 0 or k.counter > 0) and ${value.counter} <= k.counter as back
  from spent, passkeys k where k.credential_id = ${value.credentialId} for no key update of k
), used as (
  update passkeys k set counter = greatest(k.counter, ${value.counter}), backed_up = ${value.backedUp}, backup_eligible = backup_eligible or ${value.backupEligible},
    last_used_at = now()
  from before where k.credential_id = before.credential_id returning k.person_id
), audit as (
  insert into audit_events (event, actor, person_id, request_id, ip, details)
  select 'factor.counter_back', person_id::text, person_id, ${value.requestId}, ${value.ip},
    jsonb_build_object('name', name) from before where back
)
select p.epoch as "personEpoch", p.email, before.back as "counterBack"
from used join before using (person_id) join people p on p.id = used.person_id and p.disabled_at is null`,
});

/**
 * Accepts an answer whose signature was good, and keeps what it says of the passkey. Null: the challenge was used, the
 * passkey was removed meanwhile or its person disabled, or they have no password and `local` asks for people who have
 * one.
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
  const [row] = await passkeyAccept<UsedPasskey>(use);
  return row ?? null;
}

type PasskeyName = { credentialId: Buffer; transports: string[] };

const passkeyNames = statement({
  name: 'passkey-names',
  takes: { personId: 'uuid', rpId: 'text' },
  text: (
    value,
  ) => `select credential_id as "credentialId", transports from passkeys where person_id = ${value.personId} and rp_id = ${value.rpId}
order by created_at`,
});

/** The person's that work for this host, for the browser to choose from or to leave out. */
export function selectPasskeyNames(personId: string, rpId: string): Promise<PasskeyName[]> {
  return passkeyNames<PasskeyName>({ personId, rpId });
}
