// The secrets of authenticator apps, and which of their codes was the last one accepted (RFC 6238 §5.2). The statement that
// accepts a code compares its step and stores it (docs/decisions/0053): of many uses at once exactly one is the first.
import { type Db, first, query, some, sql } from '../database/index.ts';

/** `since` tells a secret from one that took its place; it is text because a Date would lose its microseconds. */
type TotpSecret = { sealedSecret: string; since: string; usedUp: boolean };

/** NIST SP 800-63B-4 §3.2.2: at most this many failures in a row. */
const MOST_WRONG_CODES = 100;

export async function findTotpSecret(personId: string): Promise<TotpSecret | null> {
  return first(
    query(sql`select sealed_secret as "sealedSecret", created_at::text as since,
    wrong_codes >= ${MOST_WRONG_CODES} as "usedUp"
    from totp_secrets where person_id = ${personId}`),
  );
}

/** Stores the secret of an app that has shown the code of this step, so that code is used up. False: there is one already. */
export async function insertTotpSecret(input: {
  personId: string;
  sealedSecret: string;
  step: number;
  requestId: string;
  ip: string | null;
}): Promise<boolean> {
  const { personId, sealedSecret, step, requestId, ip } = input;
  return some(
    query(sql`
    with made as (
      insert into totp_secrets (person_id, sealed_secret, last_step)
      select id, ${sealedSecret}, ${step} from people where id = ${personId} and disabled_at is null
      on conflict (person_id) do nothing returning person_id
    )
    insert into audit_events (event, actor, person_id, request_id, ip, details)
    select 'factor.added', person_id::text, person_id, ${requestId}, ${ip}, '{"factor": "totp"}'::jsonb from made
    returning 1`),
  );
}

/**
 * Uses up the code of this step and of all before it. False: this one or a later one was used already, or the secret that it
 * was compared with is gone.
 */
export async function spendTotpStep(input: {
  personId: string;
  since: string;
  step: number;
}): Promise<boolean> {
  const { personId, since, step } = input;
  return some(
    query(sql`update totp_secrets set last_step = ${step}, last_used_at = now(), wrong_codes = 0
    where person_id = ${personId} and created_at = ${since}::timestamptz and last_step < ${step}
      and wrong_codes < ${MOST_WRONG_CODES} returning 1`),
  );
}

/** Counts a wrong code, and returns how many there were in a row, and whether it was the last that counts. */
async function note(personId: string): Promise<{ inARow: number; last: boolean }> {
  const row = await first<{ n: number }>(
    query(sql`update totp_secrets
    set wrong_codes = least(wrong_codes + 1, ${MOST_WRONG_CODES + 1})
    where person_id = ${personId} returning wrong_codes as n`),
  );
  return { inARow: row?.n ?? 0, last: row?.n === MOST_WRONG_CODES };
}

/** The person has proved that it is them in another way. */
async function clear(personId: string): Promise<void> {
  await query(sql`update totp_secrets set wrong_codes = 0
    where person_id = ${personId} and wrong_codes > 0`);
}

export const wrongCodes = { note, clear } as const;

/** The row of the person is locked before that of a factor, as everywhere: a reset at the same time would wait in a circle. */
export const lockedPerson = (personId: string) =>
  sql`person as materialized (select id from people where id = ${personId} for no key update)`;

/** False: there was none. A trigger sees to what follows (docs/decisions/0052). */
export function removeTotp(db: Db, personId: string): Promise<boolean> {
  return some(
    db.$queryRaw(sql`with ${lockedPerson(personId)} delete from totp_secrets using person
    where person_id = ${personId} returning 1`),
  );
}
