// The secrets of authenticator apps, and which of their codes was the last one accepted (RFC 6238 §5.2). The statement that
// accepts a code compares its step and stores it (docs/decisions/0053): of many uses at once exactly one is the first.
import { sql } from './sql.ts';
import { type Db, ownConnection } from './transaction.ts';

/** `since` tells a secret from one that took its place; it is text because a Date would lose its microseconds. */
type TotpSecret = { sealedSecret: string; since: string };

export function findTotpSecret(personId: string): Promise<TotpSecret | null> {
  return ownConnection.one(sql`select sealed_secret as "sealedSecret", created_at::text as since
    from totp_secrets where person_id = ${personId}`);
}

/** Stores the secret of an app that has shown the code of this step, so that code is used up. False: there is one already. */
export function insertTotpSecret(input: {
  personId: string;
  sealedSecret: string;
  step: number;
  requestId: string;
  ip: string | null;
}): Promise<boolean> {
  const { personId, sealedSecret, step, requestId, ip } = input;
  return ownConnection.any(sql`
    with made as (
      insert into totp_secrets (person_id, sealed_secret, last_step)
      select id, ${sealedSecret}, ${step} from people where id = ${personId} and disabled_at is null
      on conflict (person_id) do nothing returning person_id
    )
    insert into audit_events (event, actor, person_id, request_id, ip, details)
    select 'factor.added', person_id::text, person_id, ${requestId}, ${ip}, '{"factor": "totp"}'::jsonb from made
    returning 1`);
}

/**
 * Uses up the code of this step and of all before it. False: this one or a later one was used already, or the secret that it
 * was compared with is gone.
 */
export function spendTotpStep(input: { personId: string; since: string; step: number }): Promise<boolean> {
  const { personId, since, step } = input;
  return ownConnection.any(sql`update totp_secrets set last_step = ${step}, last_used_at = now()
    where person_id = ${personId} and created_at = ${since}::timestamptz and last_step < ${step} returning 1`);
}

/** The row of the person is locked before that of a factor, as everywhere: a reset at the same time would wait in a circle. */
export const lockedPerson = (personId: string) =>
  sql`person as materialized (select id from people where id = ${personId} for no key update)`;

/** False: there was none. A trigger sees to what follows (docs/decisions/0052). */
export function removeTotp(db: Db, personId: string): Promise<boolean> {
  return db.any(sql`with ${lockedPerson(personId)} delete from totp_secrets using person
    where person_id = ${personId} returning 1`);
}
