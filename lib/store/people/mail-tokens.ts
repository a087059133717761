// Links in mails that are used (sign-in/mail-tokens.ts makes and finds them).
import { type Db, first, some } from '../database/prisma.ts';
import { sql } from '../database/sql.ts';
import type { MailPurpose } from '../sign-in/mail-tokens.ts';

/**
 * Uses it up: of many at once exactly one gets the person, whose other changes come before or after this transaction.
 */
export async function takeMailToken(
  db: Db,
  tokenHash: Uint8Array,
  purpose: MailPurpose,
): Promise<{ personId: string; email: string } | null> {
  await db.$executeRaw(sql`select 1 from people
    where id = (select person_id from mail_tokens where token_hash = ${tokenHash}) for no key update`);
  return first(
    db.$queryRaw(sql`update mail_tokens t set used_at = now() from people p
    where t.token_hash = ${tokenHash} and t.purpose = ${purpose} and t.used_at is null and t.expires_at > now()
      and p.id = t.person_id and p.email = t.email and p.disabled_at is null
    returning t.person_id as "personId", t.email`),
  );
}

/** False where the address is no longer the person's. */
export function markEmailVerified(db: Db, personId: string, email: string): Promise<boolean> {
  return some(
    db.$executeRaw(sql`update people set email_verified_at = coalesce(email_verified_at, now())
    where id = ${personId} and email = ${email}`),
  );
}
