// Proofs of email addresses: changes of address that wait for codes, and links in mails.
import { now } from '#lib/kit/clock.ts';
import type { MailPurpose } from './hot/registrations.ts';
import { type Db, database, readRow, some } from './prisma.ts';
import { sql } from './sql.ts';

// Pending email changes, at most one per user, confirmed by codes from both mailboxes. An address with an account also
// gets a row, whose codes never match.

/**
 * Replaces an earlier change of the user. `known`: another account has the new address. `locale`: language of the other
 * account's user. Null if the user was deleted, is disabled, is described by the configuration file, or has no address.
 */
async function start(input: {
  personId: string;
  email: string;
  handleHash: Buffer;
  codesHash: Buffer;
  seconds: number;
}): Promise<{ known: boolean; from: string; locale: string | null } | null> {
  const { personId, email, handleHash, codesHash, seconds } = input;
  return readRow(database(), { known: 'boolean', from: 'text', locale: 'text?' })`
    insert into address_changes (person_id, from_email, email, handle_hash, codes_hash, expires_at)
    select p.id, p.email, ${email}, ${handleHash}::bytea,
      case when not exists (select from people where email = ${email}) then ${codesHash}::bytea end,
      now() + make_interval(secs => ${seconds})
    from people p where p.id = ${personId} and p.email is not null and p.disabled_at is null and not p.managed
    on conflict (person_id) do update set from_email = excluded.from_email, email = excluded.email,
      handle_hash = excluded.handle_hash, codes_hash = excluded.codes_hash, attempts_left = 5, created_at = now(),
      expires_at = excluded.expires_at
    returning codes_hash is null as known, from_email as "from",
      (select locale from people where email = ${email}) as locale`;
}

/** Returns the current and the new address while the change is pending. */
async function find(personId: string, handleHash: Buffer): Promise<{ from: string; email: string } | null> {
  return readRow(database(), { from: 'text', email: 'text' })`
    select c.from_email as "from", c.email from address_changes c join people p on p.id = c.person_id
    where c.person_id = ${personId} and c.handle_hash = ${handleHash} and c.expires_at > now() and c.attempts_left > 0
      and p.email = c.from_email`;
}

/**
 * Consumes one of five attempts, even under concurrency. Returns null if no attempts remain, or the row was deleted.
 */
async function tryCodes(
  personId: string,
  handleHash: Buffer,
  codesHash: Buffer,
): Promise<{ right: boolean } | null> {
  return readRow(database(), { right: 'boolean' })`
    update address_changes set attempts_left = attempts_left - 1
    where person_id = ${personId} and handle_hash = ${handleHash} and expires_at > now() and attempts_left > 0
    returning coalesce(codes_hash = ${codesHash}, false) as right`;
}

/** Consumes the change: exactly one of several concurrent calls succeeds. Locks the user. */
function take(db: Db, personId: string, codesHash: Buffer): Promise<{ from: string; email: string } | null> {
  return readRow(db, { from: 'text', email: 'text' })`
    with person as materialized (
      select id, email from people where id = ${personId} and disabled_at is null for update
    )
    delete from address_changes c using person
    where c.person_id = person.id and c.codes_hash = ${codesHash} and c.from_email = person.email and c.expires_at > now()
    returning c.from_email as "from", c.email`;
}

/** Stores the new address as verified. Fails if a different account has it. */
async function give(db: Db, personId: string, email: string): Promise<void> {
  await db.person.updateMany({ where: { id: personId }, data: { email, emailVerifiedAt: now() } });
}

export const addressChanges = { start, find, tryCodes, take, give } as const;

// Consumes links in mails (hot/registrations.ts creates and finds them).

/**
 * Consumes the token: exactly one of several concurrent calls returns the user. The lock orders other changes before or
 * after this transaction.
 */
export async function takeMailToken(
  db: Db,
  tokenHash: Uint8Array,
  purpose: MailPurpose,
): Promise<{ personId: string; email: string } | null> {
  await db.$executeRaw(sql`select 1 from people
    where id = (select person_id from mail_tokens where token_hash = ${tokenHash}) for no key update`);
  return readRow(db, { personId: 'uuid', email: 'text' })`
    update mail_tokens t set used_at = now() from people p
    where t.token_hash = ${tokenHash} and t.purpose = ${purpose} and t.used_at is null and t.expires_at > now()
      and p.id = t.person_id and p.email = t.email and p.disabled_at is null
    returning t.person_id as "personId", t.email`;
}

/** Returns false if the user has a different address now. */
export function markEmailVerified(db: Db, personId: string, email: string): Promise<boolean> {
  return some(
    db.$executeRaw(sql`update people set email_verified_at = coalesce(email_verified_at, now())
    where id = ${personId} and email = ${email}`),
  );
}
