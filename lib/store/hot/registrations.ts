// User registrations, and links in mails.

import { canonicalEmail } from '#lib/kit/text.ts';
import { narrowTo, type RowOf, statement } from '../statement.ts';
import { HAS_ACCOUNTS } from './person-facts.ts';

// Registrations on hosted pages. A row in `people` is inserted after email verification. An address with an account
// also gets a registration row, whose codes never match, so responses do not reveal accounts.

/** SQL condition: method `m` has Gatehouse accounts, and its `registration` setting is in the list `how`. */
export const letsIn = (how: string) => `${HAS_ACCOUNTS} and m.config->>'registration' in (${how})`;
const BY_THEMSELVES = letsIn(`'open', 'approval'`);
export const BY_INVITATION = letsIn(`'invite', 'open', 'approval'`);

const registrationCreate = statement({
  name: 'registration-create',
  takes: {
    authMethodId: 'text',
    email: 'text',
    handleHash: 'bytea',
    olderHash: 'bytea?',
    codeHash: 'bytea',
    linkHash: 'bytea',
    apiId: 'text',
    clientId: 'text?',
    seconds: 'float8',
  },
  returns: { known: 'boolean', locale: 'text?' },
  text: (value) => `
with older as (
  delete from person_registrations where handle_hash = ${value.olderHash} and kind = 'asked'
), found as (
  select count(*) > 0 as known, max(locale) as locale from people where email = ${value.email}
)
insert into person_registrations
  (auth_method_id, email, kind, handle_hash, code_hash, link_hash, api_id, client_id, expires_at)
select m.id, ${value.email}, 'asked', ${value.handleHash}, case when not found.known then ${value.codeHash} end,
  case when not found.known then ${value.linkHash} end, ${value.apiId}, ${value.clientId}, now() + make_interval(secs => ${value.seconds})
from auth_methods m, found where m.id = ${value.authMethodId} and ${BY_THEMSELVES}
returning code_hash is null as known, (select locale from found)`,
});

/**
 * `known`: the address has an account; `locale`: the language of its user. Null: the method is deleted, or permits no
 * registration. `olderHash`: hash of this browser's earlier handle, whose row is deleted unless it waits for approval.
 */
export async function createPersonRegistration(input: {
  authMethodId: string;
  email: string;
  handleHash: Buffer;
  olderHash: Buffer | null;
  codeHash: Buffer;
  linkHash: Buffer;
  apiId: string;
  clientId: string | null;
  seconds: number;
}): Promise<RowOf<typeof registrationCreate> | null> {
  const [row] = await registrationCreate(input);
  return row ?? null;
}

const registrationProve = statement({
  name: 'registration-prove',
  takes: { handleHash: 'bytea', codeHash: 'bytea?', linkHash: 'bytea?' },
  returns: { proved: 'boolean' },
  text: (value) => `
update person_registrations r set
  attempts_left = attempts_left - case when r.state = 'open' and ${value.codeHash} is not null then 1 else 0 end,
  state = case when r.code_hash = ${value.codeHash} or r.link_hash = ${value.linkHash} then 'proved' else r.state end
where r.handle_hash = ${value.handleHash} and r.kind = 'asked' and r.expires_at > now()
  and (r.state = 'open' and (${value.codeHash} is null or r.attempts_left > 0)
    or r.state = 'proved' and (r.code_hash = ${value.codeHash} or r.link_hash = ${value.linkHash}))
returning coalesce(r.code_hash = ${value.codeHash}, false) or coalesce(r.link_hash = ${value.linkHash}, false) as proved`,
});

/**
 * A code consumes one of five attempts, even under concurrency. A link consumes no attempt, because it cannot be
 * guessed. The successful code or link is accepted repeatedly, for duplicate form submissions.
 */
export async function provePersonRegistration(
  handleHash: Buffer,
  { codeHash, linkHash }: { codeHash: Buffer | null; linkHash: Buffer | null },
): Promise<boolean> {
  const [row] = await registrationProve({ handleHash, codeHash, linkHash });
  return row?.proved ?? false;
}

const registrationFind = statement({
  name: 'registration-find',
  takes: { handleHash: 'bytea' },
  returns: {
    email: 'text',
    name: 'text',
    kind: narrowTo<'asked' | 'invited' | 'waiting'>('text'),
    /** true: the registration requires an approval */
    needsApproval: 'boolean',
  },
  text: (
    value,
  ) => `select r.email, r.name, r.kind, r.kind = 'asked' and m.config->>'registration' = 'approval' as "needsApproval"
from person_registrations r join auth_methods m on m.id = r.auth_method_id
where r.handle_hash = ${value.handleHash} and r.state = 'proved' and r.expires_at > now()
  and (r.kind in ('asked', 'waiting') and ${BY_THEMSELVES} or r.kind = 'invited' and ${BY_INVITATION})`,
});

/**
 * Finds a registration that is ready to become a user: verified in its browser, invited by this link, or waiting for
 * approval. Consumes nothing.
 */
export async function findProvedRegistration(
  handleHash: Buffer,
): Promise<RowOf<typeof registrationFind> | null> {
  const [row] = await registrationFind({ handleHash });
  return row ?? null;
}

// Links in mails, stored as hashes. Each link works once, and a newer link of the same purpose revokes it. A trigger
// revokes every link after a change of password or email, or when the user is disabled. Concurrent creation of a link
// waits for such a change.

export type MailPurpose = 'verify-email' | 'password-reset';

const mailTokenCreate = statement({
  name: 'mail-token-create',
  takes: { tokenHash: 'bytea', purpose: 'text', email: 'text', seconds: 'float8' },
  returns: { personId: 'uuid', locale: 'text?' },
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

/** Creates a link if an enabled user has this email address. */
export async function createMailToken(input: {
  tokenHash: Uint8Array;
  purpose: MailPurpose;
  email: string;
  seconds: number;
}): Promise<RowOf<typeof mailTokenCreate> | null> {
  const [row] = await mailTokenCreate({
    ...input,
    email: canonicalEmail(input.email),
  });
  return row ?? null;
}

const mailTokenFind = statement({
  name: 'mail-token-find',
  takes: { tokenHash: 'bytea', purpose: 'text' },
  returns: { email: 'text', name: 'text' },
  text: (value) => `select t.email, p.name from mail_tokens t join people p on p.id = t.person_id
      where t.token_hash = ${value.tokenHash} and t.purpose = ${value.purpose} and t.used_at is null and t.expires_at > now()
        and p.email = t.email and p.disabled_at is null`,
});

/** Finds the user of a valid link if the email is unchanged. Consumes nothing. */
export async function findMailToken(
  tokenHash: Uint8Array,
  purpose: MailPurpose,
): Promise<RowOf<typeof mailTokenFind> | null> {
  const [row] = await mailTokenFind({ tokenHash, purpose });
  return row ?? null;
}
