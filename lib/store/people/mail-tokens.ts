// Links in mails, as hashes: each works once, and a person's newer one of a kind ends the older. A trigger ends them all when
// the password or the address changes, or the person is disabled; a link that is made meanwhile waits for that.
import { canonicalEmail } from '#lib/kit/index.ts';
import { type Db, first, query, some, sql } from '../database/index.ts';

export type MailPurpose = 'verify-email' | 'password-reset';

/** For the person with this address, where there is one who is not disabled. */
export async function createMailToken(input: {
  tokenHash: Uint8Array;
  purpose: MailPurpose;
  email: string;
  seconds: number;
}): Promise<{ personId: string; locale: string | null } | null> {
  const [row] = await query<{ personId: string; locale: string | null }>({
    name: 'mail-token-create',
    text: `
with person as (
  select id, email, locale from people where email = $3 and disabled_at is null for share
), older as (
  delete from mail_tokens where person_id = (select id from person) and purpose = $2
)
insert into mail_tokens (token_hash, purpose, person_id, email, expires_at)
select $1, $2, id, email, now() + make_interval(secs => $4) from person
returning person_id as "personId", (select locale from person)`,
    values: [input.tokenHash, input.purpose, canonicalEmail(input.email), input.seconds],
  });
  return row ?? null;
}

/** Whose it is, as long as it works: the address must still be theirs. Uses nothing up. */
export async function findMailToken(
  tokenHash: Uint8Array,
  purpose: MailPurpose,
): Promise<{ email: string; name: string } | null> {
  const [row] = await query<{ email: string; name: string }>({
    name: 'mail-token-find',
    text: `select t.email, p.name from mail_tokens t join people p on p.id = t.person_id
      where t.token_hash = $1 and t.purpose = $2 and t.used_at is null and t.expires_at > now()
        and p.email = t.email and p.disabled_at is null`,
    values: [tokenHash, purpose],
  });
  return row ?? null;
}

/** Uses it up: of many at once exactly one gets the person, whose other changes come before or after this transaction. */
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
