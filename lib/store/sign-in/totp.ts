// The secrets of authenticator apps, and which of their codes was the last one accepted (RFC 6238 §5.2). The statement that
// accepts a code compares its step and stores it (docs/decisions/0053): of many uses at once exactly one is the first.
import { query, some } from '../database/index.ts';

/** `since` tells a secret from one that took its place; it is text because a Date would lose its microseconds. */
type TotpSecret = { sealedSecret: string; since: string; usedUp: boolean };

/** NIST SP 800-63B-4 §3.2.2: at most this many failures in a row. */
const MOST_WRONG_CODES = 100;

export async function findTotpSecret(personId: string): Promise<TotpSecret | null> {
  const [row] = await query<TotpSecret>({
    name: 'totp-find',
    text: `select sealed_secret as "sealedSecret", created_at::text as since, wrong_codes >= ${MOST_WRONG_CODES} as "usedUp"
from totp_secrets where person_id = $1::uuid`,
    values: [personId],
  });
  return row ?? null;
}

/** Stores the secret of an app that has shown the code of this step, so that code is used up. False: there is one already. */
export function insertTotpSecret(input: {
  personId: string;
  sealedSecret: string;
  step: number;
  requestId: string;
  ip: string | null;
}): Promise<boolean> {
  return some(
    query({
      name: 'totp-add',
      text: `
with made as (
  insert into totp_secrets (person_id, sealed_secret, last_step)
  select id, $2, $3 from people where id = $1::uuid and disabled_at is null
  on conflict (person_id) do nothing returning person_id
)
insert into audit_events (event, actor, person_id, request_id, ip, details)
select 'factor.added', person_id::text, person_id, $4, $5, '{"factor": "totp"}'::jsonb from made
returning 1`,
      values: [input.personId, input.sealedSecret, input.step, input.requestId, input.ip],
    }),
  );
}

/**
 * Uses up the code of this step and of all before it. False: this one or a later one was used already, or the secret that it
 * was compared with is gone.
 */
export function spendTotpStep(input: { personId: string; since: string; step: number }): Promise<boolean> {
  return some(
    query({
      name: 'totp-spend',
      text: `update totp_secrets set last_step = $3, last_used_at = now(), wrong_codes = 0
where person_id = $1::uuid and created_at = $2::timestamptz and last_step < $3 and wrong_codes < ${MOST_WRONG_CODES}
returning 1`,
      values: [input.personId, input.since, input.step],
    }),
  );
}

/** Counts a wrong code. Returns how many there were in a row, and whether it was the last that counts. */
export async function noteWrongCode(personId: string): Promise<{ inARow: number; last: boolean }> {
  const [row] = await query<{ n: number }>({
    name: 'totp-wrong',
    text: `update totp_secrets set wrong_codes = least(wrong_codes + 1, ${MOST_WRONG_CODES + 1})
where person_id = $1::uuid returning wrong_codes as n`,
    values: [personId],
  });
  return { inARow: row?.n ?? 0, last: row?.n === MOST_WRONG_CODES };
}

/** The person has proved that it is them in another way. */
export async function clearWrongCodes(personId: string): Promise<void> {
  await query({
    name: 'totp-clear',
    text: 'update totp_secrets set wrong_codes = 0 where person_id = $1::uuid and wrong_codes > 0',
    values: [personId],
  });
}
