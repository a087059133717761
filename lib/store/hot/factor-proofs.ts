// Proofs by authenticator apps, passkeys and recovery codes.
import { MOST_TOTPS } from '#lib/registry/values.ts';
import { first, some } from '../prisma.ts';
import { type RowOf, statement } from '../statement.ts';

// Secrets of authenticator apps, and the last accepted code of each (RFC 6238 §5.2). The statement that accepts a
// code compares and stores its time step (docs/project/decisions/0023), so exactly one of many concurrent uses is the
// first. A wrong code belongs to no app, so each row of the user contains the number of wrong codes.

/** Maximum number of consecutive failures (NIST SP 800-63B-4 §3.2.2). */
const MOST_WRONG_CODES = 100;

const totpFind = statement({
  name: 'totp-find',
  takes: { personId: 'uuid' },
  returns: { id: 'uuid', sealedSecret: 'text', since: 'text', usedUp: 'boolean' },
  text: (
    value,
  ) => `select id, sealed_secret as "sealedSecret", created_at::text as since, wrong_codes >= ${MOST_WRONG_CODES} as "usedUp"
from totp_secrets where person_id = ${value.personId} order by id`,
});

/**
 * Returns the secrets of the user's apps. `since` distinguishes a secret from its replacement. It is text, because
 * Date drops microseconds.
 */
export function findTotpSecrets(personId: string): Promise<RowOf<typeof totpFind>[]> {
  return totpFind({ personId });
}

const totpAdd = statement({
  name: 'totp-add',
  takes: {
    personId: 'uuid',
    id: 'uuid',
    name: 'text?',
    onlyFirst: 'boolean',
    sealedSecret: 'text',
    step: 'bigint',
    requestId: 'text',
    ip: 'text?',
  },
  returns: { added: 'boolean', owned: 'boolean', room: 'boolean', known: 'boolean' },
  text: (value) => `
with owner as materialized (
  select id from people where id = ${value.personId} and disabled_at is null and (factor_level = 0 or not ${value.onlyFirst}) for no key update
), held as materialized (
  select min(slot) as slot from generate_series(1, ${MOST_TOTPS}) slot
  where not exists (select from totp_secrets t where t.person_id = ${value.personId} and t.slot = slot.slot)
), made as (
  insert into totp_secrets (id, person_id, slot, name, sealed_secret, last_step, wrong_codes)
  select ${value.id}, owner.id, held.slot, ${value.name}, ${value.sealedSecret}, ${value.step},
    coalesce((select max(wrong_codes) from totp_secrets t where t.person_id = owner.id), 0)
  from owner, held where held.slot is not null
  on conflict do nothing returning person_id, name
), audit as (
  insert into audit_events (event, actor, person_id, request_id, ip, details)
  select 'factor.added', person_id::text, person_id, ${value.requestId}, ${value.ip},
    jsonb_strip_nulls(jsonb_build_object('factor', 'totp', 'name', name)) from made
)
select exists (select from made) as added, exists (select from owner) as owned, held.slot is not null as room,
  exists (select from totp_secrets where id = ${value.id}) as known
from held`,
});

/**
 * Stores an app's secret and consumes its current code. `onlyFirst`: the session proved no factor, so the user must
 * have none. `exists`: the user has a factor, added this app before, or is unknown. `full`: the user has five apps.
 */
export async function insertTotpSecret(input: {
  personId: string;
  /** id of the new row, so that one page adds only one app */
  id: string;
  name: string | null;
  onlyFirst: boolean;
  sealedSecret: string;
  step: number;
  requestId: string;
  ip: string | null;
}): Promise<'added' | 'exists' | 'full'> {
  // a concurrent request may insert an app at this position, so the loop tries the next position
  for (let round = 0; round < MOST_TOTPS; round += 1) {
    const outcome = await first(totpAdd(input));
    if (outcome?.added) return 'added';
    if (!outcome?.owned || outcome.known) return 'exists';
    if (!outcome.room) return 'full';
  }
  return 'full';
}

const totpReplace = statement({
  name: 'totp-replace',
  takes: {
    personId: 'uuid',
    id: 'uuid',
    session: 'bytea',
    since: 'timestamptz',
    sealedSecret: 'text',
    step: 'bigint',
    requestId: 'text',
    ip: 'text?',
  },
  returns: { '?column?': 'int' },
  text: (value) => `
with person as materialized (
  select id from people where id = ${value.personId} and disabled_at is null for no key update
), alive as materialized (
  select s.person_id from sessions s join person p on p.id = s.person_id
  where s.id_hash = ${value.session} and s.ended_at is null and s.expires_at > now() for no key update of s
), made as (
  update totp_secrets t set sealed_secret = ${value.sealedSecret}, last_step = ${value.step},
    created_at = clock_timestamp(), last_used_at = null
  from alive where t.person_id = alive.person_id and t.id = ${value.id} and t.created_at = ${value.since}
  returning t.person_id, t.name
)
insert into audit_events (event, actor, person_id, request_id, ip, details)
select 'factor.added', person_id::text, person_id, ${value.requestId}, ${value.ip},
  jsonb_strip_nulls(jsonb_build_object('factor', 'totp', 'name', name, 'replaced', true)) from made
returning 1`,
});

/**
 * Replaces the secret of `since` atomically. Returns false if another tab deleted or replaced the secret, or the
 * session ended. Sessions and tokens are unaffected.
 */
export function replaceTotpSecret(input: {
  personId: string;
  id: string;
  session: Buffer;
  since: string;
  sealedSecret: string;
  step: number;
  requestId: string;
  ip: string | null;
}): Promise<boolean> {
  return some(totpReplace(input));
}

/** SQL: locks the person's rows in a fixed order. */
const rowsOf = (personId: string) =>
  `mine as materialized (select id from totp_secrets where person_id = ${personId} order by id for no key update)`;

const totpSpend = statement({
  name: 'totp-spend',
  takes: { personId: 'uuid', ids: 'uuid[]', since: 'timestamptz[]', steps: 'bigint[]' },
  returns: { '?column?': 'int' },
  text: (value) => `
with ${rowsOf(value.personId)}, shown as (
  select * from unnest(${value.ids}, ${value.since}, ${value.steps}) as one (id, since, step)
), spent as (
  update totp_secrets t set last_step = shown.step, last_used_at = now(), wrong_codes = 0
  from mine, shown where t.id = mine.id and shown.id = t.id and t.created_at = shown.since and t.last_step < shown.step
    and t.wrong_codes < ${MOST_WRONG_CODES}
  returning t.id
), forgiven as (
  update totp_secrets t set wrong_codes = 0 from mine
  where t.id = mine.id and t.wrong_codes > 0 and t.id <> all(${value.ids})
    and (select count(*) from spent) = cardinality(${value.ids})
)
select 1 from spent having count(*) = cardinality(${value.ids})`,
});

/**
 * Consumes a code that these apps show, and their earlier codes. If two apps show the same code, the code is used
 * up for both. Returns false if this or a later code was used, or a compared secret was deleted.
 */
export function spendTotpSteps(
  personId: string,
  steps: readonly { id: string; since: string; step: number }[],
): Promise<boolean> {
  const column = <Key extends 'id' | 'since' | 'step'>(key: Key) => steps.map((step) => step[key]);
  return some(totpSpend({ personId, ids: column('id'), since: column('since'), steps: column('step') }));
}

const totpWrong = statement({
  name: 'totp-wrong',
  takes: { personId: 'uuid' },
  returns: { n: 'int' },
  text: (value) => `
with ${rowsOf(value.personId)}, counted as (
  update totp_secrets t set wrong_codes = least(wrong_codes + 1, ${MOST_WRONG_CODES + 1}) from mine
  where t.id = mine.id returning t.wrong_codes as n
)
select coalesce(max(n), 0) as n from counted`,
});

/** Counts a wrong code. Returns the number of consecutive failures, and whether this attempt reached the limit. */
export async function noteWrongCode(personId: string): Promise<{ inARow: number; last: boolean }> {
  const [row] = await totpWrong({ personId });
  return { inARow: row?.n ?? 0, last: row?.n === MOST_WRONG_CODES };
}

const totpClear = statement({
  name: 'totp-clear',
  takes: { personId: 'uuid' },
  text: (value) => `
with ${rowsOf(value.personId)}
update totp_secrets t set wrong_codes = 0 from mine where t.id = mine.id and wrong_codes > 0`,
});

/** Resets the counter after the user proved a different factor. */
export async function clearWrongCodes(personId: string): Promise<void> {
  await totpClear({ personId });
}

// Proofs by passkeys (WebAuthn Level 3 §7.2). A challenge works once: the statement that accepts a response stores
// its challenge, and changes nothing if the challenge is already stored.

/** SQL: retention of used challenges, longer than their validity. */
export const REMEMBERED = "interval '10 minutes'";

export type PasskeyUse = {
  /** SHA-256 that identifies the challenge */
  challengeHash: Buffer;
  requestId: string;
  ip: string | null;
};

const passkeyFind = statement({
  name: 'passkey-find',
  takes: { credentialId: 'bytea', rpId: 'text' },
  returns: { personId: 'uuid', publicKey: 'bytea', backupEligible: 'boolean' },
  text: (
    value,
  ) => `select k.person_id as "personId", k.public_key as "publicKey", k.backup_eligible as "backupEligible"
from passkeys k join people p on p.id = k.person_id and p.disabled_at is null
where k.credential_id = ${value.credentialId} and k.rp_id = ${value.rpId}`,
});

/** Finds a passkey by credential id and RP ID. Null: unknown passkey, or disabled user. */
export async function findPasskey(
  credentialId: Uint8Array,
  rpId: string,
): Promise<RowOf<typeof passkeyFind> | null> {
  const [row] = await passkeyFind({ credentialId, rpId });
  return row ?? null;
}

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
  returns: {
    personEpoch: 'bigint',
    email: 'text?',
    username: 'text?',
    /** true: the signature counter did not increase, so the passkey may be a copy */
    counterBack: 'boolean',
  },
  // every caller inserts the challenge before it locks the row, so no deadlock occurs
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
select p.epoch as "personEpoch", p.email, p.username, before.back as "counterBack"
from used join before using (person_id) join people p on p.id = used.person_id and p.disabled_at is null`,
});

/**
 * Accepts a response whose signature is valid, and stores the passkey's new data. Null: the challenge was used, the
 * passkey was deleted, or the user is disabled or has no password although `local` requires one.
 */
export async function acceptPasskey(
  use: PasskeyUse & {
    credentialId: Buffer;
    counter: number;
    backupEligible: boolean;
    backedUp: boolean;
    local: boolean;
  },
): Promise<RowOf<typeof passkeyAccept> | null> {
  const [row] = await passkeyAccept(use);
  return row ?? null;
}

const passkeyNames = statement({
  name: 'passkey-names',
  takes: { personId: 'uuid', rpId: 'text' },
  returns: { credentialId: 'bytea', transports: 'text[]' },
  text: (
    value,
  ) => `select credential_id as "credentialId", transports from passkeys where person_id = ${value.personId} and rp_id = ${value.rpId}
order by created_at`,
});

/** Returns the passkeys of the user for this RP ID, for the browser's lists of allowed and excluded passkeys. */
export function selectPasskeyNames(personId: string, rpId: string): Promise<RowOf<typeof passkeyNames>[]> {
  return passkeyNames({ personId, rpId });
}

// Recovery codes, stored as hashes. The statement that accepts a code marks it as used.

const recoveryCodeSpend = statement({
  name: 'recovery-code-spend',
  takes: { codeHash: 'bytea', personId: 'uuid', requestId: 'text', ip: 'text?' },
  returns: { left: 'int' },
  text: (value) => `
with used as (
  update recovery_codes set used_at = now()
  where code_hash = ${value.codeHash} and person_id = ${value.personId} and used_at is null returning person_id
), rest as (
  select count(*)::int as n from recovery_codes
  where person_id = ${value.personId} and used_at is null and code_hash <> ${value.codeHash}
)
insert into audit_events (event, actor, person_id, request_id, ip, details)
select 'recovery_code.used', person_id::text, person_id, ${value.requestId}, ${value.ip}, jsonb_build_object('left', rest.n)
from used, rest returning (details ->> 'left')::int as left`,
});

/** Returns the number of remaining codes; null: unknown or used code. */
export async function spendRecoveryCode(input: {
  codeHash: Uint8Array;
  personId: string;
  requestId: string;
  ip: string | null;
}): Promise<number | null> {
  const [used] = await recoveryCodeSpend(input);
  return used?.left ?? null;
}
