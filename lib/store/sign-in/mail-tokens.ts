// Links in mails, as hashes: each works once, and a person's newer one of a kind ends the older. A trigger ends them all when
// the password or the address changes, or the person is disabled; a link that is made meanwhile waits for that.
import { canonicalEmail } from '#lib/kit/index.ts';
import { query } from '../database/index.ts';

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
