// The secrets of authenticator apps, and which of their codes was the last one accepted (RFC 6238 §5.2). The statement
// that accepts a code compares its step and stores it (docs/decisions/0023): of many uses at once exactly one is the
// first.
import { some, statement } from '../database/index.ts';

/** `since` tells a secret from one that took its place; it is text because a Date would lose its microseconds. */
type TotpSecret = { sealedSecret: string; since: string; usedUp: boolean };

/** NIST SP 800-63B-4 §3.2.2: at most this many failures in a row. */
const MOST_WRONG_CODES = 100;

const totpFind = statement({
  name: 'totp-find',
  takes: { personId: 'uuid' },
  text: (
    value,
  ) => `select sealed_secret as "sealedSecret", created_at::text as since, wrong_codes >= ${MOST_WRONG_CODES} as "usedUp"
from totp_secrets where person_id = ${value.personId}`,
});

export async function findTotpSecret(personId: string): Promise<TotpSecret | null> {
  const [row] = await totpFind<TotpSecret>({ personId });
  return row ?? null;
}

const totpAdd = statement({
  name: 'totp-add',
  takes: { personId: 'uuid', sealedSecret: 'text', step: 'bigint', requestId: 'text', ip: 'text?' },
  text: (value) => `
with made as (
  insert into totp_secrets (person_id, sealed_secret, last_step)
  select id, ${value.sealedSecret}, ${value.step} from people where id = ${value.personId} and disabled_at is null
  on conflict (person_id) do nothing returning person_id
)
insert into audit_events (event, actor, person_id, request_id, ip, details)
select 'factor.added', person_id::text, person_id, ${value.requestId}, ${value.ip}, '{"factor": "totp"}'::jsonb from made
returning 1`,
});

/**
 * Stores the secret of an app that has shown the code of this step, so that code is used up. False: there is one
 * already.
 */
export function insertTotpSecret(input: {
  personId: string;
  sealedSecret: string;
  step: number;
  requestId: string;
  ip: string | null;
}): Promise<boolean> {
  return some(totpAdd(input));
}

const totpReplace = statement({
  name: 'totp-replace',
  takes: {
    personId: 'uuid',
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
  update totp_secrets t set sealed_secret = ${value.sealedSecret}, last_step = ${value.step}, wrong_codes = 0,
    created_at = clock_timestamp(), last_used_at = null
  from alive where t.person_id = alive.person_id and t.created_at = ${value.since}
  returning t.person_id
)
insert into audit_events (event, actor, person_id, request_id, ip, details)
select 'factor.added', person_id::text, person_id, ${value.requestId}, ${value.ip},
  '{"factor": "totp", "replaced": true}'::jsonb from made
returning 1`,
});

/**
 * Another secret takes the place of the one of `since`, at once. False: that one is gone, or was replaced by another
 * tab, or the session has ended. Nothing else ends.
 */
export function replaceTotpSecret(input: {
  personId: string;
  session: Buffer;
  since: string;
  sealedSecret: string;
  step: number;
  requestId: string;
  ip: string | null;
}): Promise<boolean> {
  return some(totpReplace(input));
}

const totpSpend = statement({
  name: 'totp-spend',
  takes: { personId: 'uuid', since: 'timestamptz', step: 'bigint' },
  text: (value) => `update totp_secrets set last_step = ${value.step}, last_used_at = now(), wrong_codes = 0
where person_id = ${value.personId} and created_at = ${value.since} and last_step < ${value.step} and wrong_codes < ${MOST_WRONG_CODES}
returning 1`,
});

/**
 * Uses up the code of this step and of all before it. False: this one or a later one was used already, or the secret
 * that it was compared with is gone.
 */
export function spendTotpStep(input: { personId: string; since: string; step: number }): Promise<boolean> {
  return some(totpSpend(input));
}

const totpWrong = statement({
  name: 'totp-wrong',
  takes: { personId: 'uuid' },
  text: (value) => `update totp_secrets set wrong_codes = least(wrong_codes + 1, ${MOST_WRONG_CODES + 1})
where person_id = ${value.personId} returning wrong_codes as n`,
});

/** Counts a wrong code. Returns how many there were in a row, and whether it was the last that counts. */
export async function noteWrongCode(personId: string): Promise<{ inARow: number; last: boolean }> {
  const [row] = await totpWrong<{ n: number }>({ personId });
  return { inARow: row?.n ?? 0, last: row?.n === MOST_WRONG_CODES };
}

const totpClear = statement({
  name: 'totp-clear',
  takes: { personId: 'uuid' },
  text: (value) =>
    `update totp_secrets set wrong_codes = 0 where person_id = ${value.personId} and wrong_codes > 0`,
});

/** The person has proved that it is them in another way. */
export async function clearWrongCodes(personId: string): Promise<void> {
  await totpClear({ personId });
}
