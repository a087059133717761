// Links in mails, for a new password or a verified address. A GET only shows the page, because scanners open links in
// mails. The POST uses up the link. No response reveals whether an address has an account.
import { withNewPassword } from '#lib/accounts/password-policy.ts';
import { type AfterReset, findByRef, linkTo, sendResetLink } from '#lib/catalogue/people/operations.ts';
import { setPasswordHash } from '#lib/catalogue/people/rows.ts';
import { type CameWith, type From, mailLimits, sendLimited } from '#lib/mail/mail.ts';
import { background, sendServiceMail } from '#lib/mail/send.ts';
import { emailAddress } from '#lib/registry/values.ts';
import { markEmailVerified, takeMailToken } from '#lib/store/addresses.ts';
import { createMailToken, findMailToken, type MailPurpose } from '#lib/store/hot/registrations.ts';
import { type Db, inTransaction } from '#lib/store/prisma.ts';
import { hashPresented, mint } from '#lib/tokens/formats.ts';
import { operation } from './operations.ts';
import { readerOf, requirePerson } from './policy.ts';
import { type Author, record } from './record.ts';
import { Refused, refuseFaults } from './refused.ts';

const VERIFY_SECONDS = 24 * 3600;

/**
 * Sends a link for a new password. Response and timing are the same for known and unknown addresses. Requests
 * above the limit send no mail.
 */
export async function requestPasswordReset(
  input: { email: string; after?: AfterReset; cameWith?: CameWith | undefined } & From,
): Promise<void> {
  // an invalid address has no account and no mailbox
  const { data: email } = emailAddress.safeParse(input.email);
  if (email === undefined) return;
  // every request is counted, so that nobody can flood a mailbox
  await sendLimited(mailLimits('reset', email, input.ip), input, async () =>
    background(() => sendResetLink(email, heldBy(null, input), input)),
  );
}

/** Sends the link to a person on behalf of an administrator. */
export const sendPasswordReset = operation(
  // the mail is sent to the existing address
  { name: 'sendPasswordReset', right: 'people.manage' },
  async ({ actor, db }, input: { id: string }): Promise<void> => {
    const person = await findByRef(db, { id: input.id });
    if (person.email === null) throw new Refused('person.elsewhere');
    if (person.disabled) throw new Refused('person.disabled', { email: person.email });
    await sendResetLink(person.email, actor);
  },
);

export const requestEmailVerification = operation(
  { name: 'requestEmailVerification', right: 'account.change' },
  async ({ actor }): Promise<void> => {
    const me = requirePerson(actor);
    const { email, request } = me;
    if (email === null) throw new Refused('address.none_to_verify');
    const from = { ip: request?.ip ?? null, requestId: request?.id ?? '' };
    const waitSeconds = await sendLimited(mailLimits('verify', email, null), from, async () => {
      const { value, hash } = mint('mail');
      const purpose: MailPurpose = 'verify-email';
      await createMailToken({ tokenHash: hash, purpose, email, seconds: VERIFY_SECONDS });
      const href = linkTo('verify-email', value);
      sendServiceMail(readerOf({ ...me, email }), 'verify-address', { href });
    });
    if (waitSeconds === null) return;
    throw new Refused(
      'own_account.too_many_mails',
      {},
      {
        retryAfterSeconds: waitSeconds,
      },
    );
  },
);

/**
 * Returns the address of a link that is not used up, for the page of the link. `null`: the link was used, has expired
 * or is unknown.
 */
export async function readMailToken(input: {
  token: string;
  purpose: MailPurpose;
}): Promise<{ email: string } | null> {
  const hash = hashPresented('mail', input.token);
  const mailToken = hash && (await findMailToken(hash, input.purpose));
  return mailToken && { email: mailToken.email };
}

/** Sets the password and ends all sign-ins and tokens. Verifies the address, because the link was sent to it. */
export async function resetPassword(input: { token: string; password: string } & From): Promise<void> {
  const hash = hashPresented('mail', input.token);
  const owner = hash && (await findMailToken(hash, 'password-reset'));
  if (!owner) throw new Refused('own_account.link_gone');
  const chosen = await withNewPassword(
    { ...input, link: hash, owner },
    async ({ hash: hashed }) => {
      const passwordHash = await hashed();
      return inTransaction(async (db: Db) => {
        const mailToken = await takeMailToken(db, hash, 'password-reset');
        if (!mailToken) return false;
        const { personId, email } = mailToken;
        await setPasswordHash(db, personId, passwordHash);
        await markEmailVerified(db, personId, email);
        await record(heldBy(personId, input), { event: 'person.password_set', personId }, db);
        return true;
      });
    },
    (isSet) => isSet,
  );
  if (chosen.kind === 'slow-down') {
    const { waitSeconds: retryAfterSeconds } = chosen;
    throw new Refused('sign_in.too_many', {}, { retryAfterSeconds });
  }
  if (chosen.kind === 'faulty') refuseFaults(chosen.faults);
  else if (!chosen.result) throw new Refused('own_account.link_gone');
}

export async function verifyEmail(input: { token: string } & From): Promise<{ email: string }> {
  const hash = hashPresented('mail', input.token);
  return inTransaction(async (db: Db) => {
    const taken = hash && (await takeMailToken(db, hash, 'verify-email'));
    if (!taken || !(await markEmailVerified(db, taken.personId, taken.email))) {
      throw new Refused('own_account.link_gone');
    }
    const { personId, email } = taken;
    await record(heldBy(personId, input), { event: 'person.email_verified', personId }, db);
    return { email };
  });
}

/** The actor of the event: the user of the link, or `null` for an anonymous request. */
function heldBy(personId: string | null, { requestId, ip }: From): Author {
  return { kind: 'link', personId, request: { id: requestId, ip } };
}
