// Links in mails, as hashes: each works once, and a person's newer one of a kind ends the older. A trigger ends them
// all when the password or the address changes, or the person is disabled; a link that is made meanwhile waits for
// that.
import { canonicalEmail } from '#lib/kit/text/email-address.ts';
import { statement } from '../database/statement.ts';

export type MailPurpose = 'verify-email' | 'password-reset';

const mailTokenCreate = statement({
  name: 'mail-token-create',
  takes: { tokenHash: 'bytea', purpose: 'text', email: 'text', seconds: 'float8' },
  text: (value) => `
with person as (
  select id, email, locale from people where email = ${value.email} and disabled_at is null for share
), older as (
  delete from mail_tokens where person_id = (select id from person) and purpose = ${value.purpose}
)
insert into mail_tokens (token_hash, purpose, person_id, email, expires_at)
select ${value.tokenHash}, ${value.purpose}, id, email, now() + make_interval(secs => ${value.seconds}) from person
returning person_id as "personId", (select locale from person)`,
});

/** For the person with this address, where there is one who is not disabled. */
export async function createMailToken(input: {
  tokenHash: Uint8Array;
  purpose: MailPurpose;
  email: string;
  seconds: number;
}): Promise<{ personId: string; locale: string | null } | null> {
  const [row] = await mailTokenCreate<{ personId: string; locale: string | null }>({
    ...input,
    email: canonicalEmail(input.email),
  });
  return row ?? null;
}

const mailTokenFind = statement({
  name: 'mail-token-find',
  takes: { tokenHash: 'bytea', purpose: 'text' },
  text: (value) => `select t.email, p.name from mail_tokens t join people p on p.id = t.person_id
      where t.token_hash = ${value.tokenHash} and t.purpose = ${value.purpose} and t.used_at is null and t.expires_at > now()
        and p.email = t.email and p.disabled_at is null`,
});

/** Whose it is, as long as it works: the address must still be theirs. Uses nothing up. */
export async function findMailToken(
  tokenHash: Uint8Array,
  purpose: MailPurpose,
): Promise<{ email: string; name: string } | null> {
  const [row] = await mailTokenFind<{ email: string; name: string }>({ tokenHash, purpose });
  return row ?? null;
}
