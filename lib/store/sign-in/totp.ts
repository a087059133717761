// The secrets of authenticator apps, and which code of each was the last one accepted (RFC 6238 §5.2). The statement
// that accepts a code compares its step and stores it (docs/decisions/0023): of many uses at once exactly one is the
// first. Wrong codes are of no app: each row of a person has their number.
import { MOST_TOTPS } from '#lib/registry/objects/counts.ts';
import { first, some } from '../database/prisma.ts';
import { statement } from '../database/statement.ts';

/** `since` tells a secret from one that took its place; it is text because a Date would lose its microseconds. */
type TotpSecret = { id: string; sealedSecret: string; since: string; usedUp: boolean };

/** NIST SP 800-63B-4 §3.2.2: at most this many failures in a row. */
const MOST_WRONG_CODES = 100;

const totpFind = statement({
  name: 'totp-find',
  takes: { personId: 'uuid' },
  text: (
    value,
  ) => `select id, sealed_secret as "sealedSecret", created_at::text as since, wrong_codes >= ${MOST_WRONG_CODES} as "usedUp"
from totp_secrets where person_id = ${value.personId} order by id`,
});

export function findTotpSecrets(personId: string): Promise<TotpSecret[]> {
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
 * Stores the secret of an app that has shown the code of this step, so that code is used up. `onlyFirst`: the session
 * proved no factor, so there must be none. `exists`: there is one then, or this app was added before, or no such
 * person is. `full`: they have five.
 */
export async function insertTotpSecret(input: {
  personId: string;
  /** of the new row; the same page adds one app */
  id: string;
  name: string | null;
  onlyFirst: boolean;
  sealedSecret: string;
  step: number;
  requestId: string;
  ip: string | null;
}): Promise<'added' | 'exists' | 'full'> {
  // an app that another request added while this one waited has taken the place: another is looked for
  for (let round = 0; round < MOST_TOTPS; round += 1) {
    const found = await first<{ added: boolean; owned: boolean; room: boolean; known: boolean }>(
      totpAdd(input),
    );
    if (found?.added) return 'added';
    if (!found?.owned || found.known) return 'exists';
    if (!found.room) return 'full';
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
 * Another secret takes the place of the one of `since`, at once. False: that one is gone, or was replaced by another
 * tab, or the session has ended. Nothing else ends.
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

/** SQL: the person's rows, locked in one order. */
const rowsOf = (personId: string) =>
  `mine as materialized (select id from totp_secrets where person_id = ${personId} order by id for no key update)`;

const totpSpend = statement({
  name: 'totp-spend',
  takes: { personId: 'uuid', ids: 'uuid[]', since: 'timestamptz[]', steps: 'bigint[]' },
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
 * Uses up a code that these apps show, and all of theirs before it: it is one, even if two of them show it. False: this
 * one or a later one was used already, or a secret that it was compared with is gone.
 */
export function spendTotpSteps(
  personId: string,
  shown: readonly { id: string; since: string; step: number }[],
): Promise<boolean> {
  const column = <Key extends 'id' | 'since' | 'step'>(key: Key) => shown.map((one) => one[key]);
  return some(totpSpend({ personId, ids: column('id'), since: column('since'), steps: column('step') }));
}

const totpWrong = statement({
  name: 'totp-wrong',
  takes: { personId: 'uuid' },
  text: (value) => `
with ${rowsOf(value.personId)}, counted as (
  update totp_secrets t set wrong_codes = least(wrong_codes + 1, ${MOST_WRONG_CODES + 1}) from mine
  where t.id = mine.id returning t.wrong_codes as n
)
select coalesce(max(n), 0) as n from counted`,
});

/** Counts a wrong code. Returns how many there were in a row, and whether it was the last that counts. */
export async function noteWrongCode(personId: string): Promise<{ inARow: number; last: boolean }> {
  const [row] = await totpWrong<{ n: number }>({ personId });
  return { inARow: row?.n ?? 0, last: row?.n === MOST_WRONG_CODES };
}

const totpClear = statement({
  name: 'totp-clear',
  takes: { personId: 'uuid' },
  text: (value) => `
with ${rowsOf(value.personId)}
update totp_secrets t set wrong_codes = 0 from mine where t.id = mine.id and wrong_codes > 0`,
});

/** The person has proved that it is them in another way. */
export async function clearWrongCodes(personId: string): Promise<void> {
  await totpClear({ personId });
}
