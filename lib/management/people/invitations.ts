// Invitations: an administrator names addresses, and each gets a link that makes an account, once. A newer invitation
// of an address ends the one before it. Opening the link proves the address.
import { randomToken, sha256 } from '#lib/kit/random.ts';
import { background, sendServiceMail, sendToEach } from '#lib/mail/service-mail.ts';
import { emailAddress, personName } from '#lib/registry/fields/values.ts';
import type { InvitationResult, InvitationRow } from '#lib/registry/objects/invitation.ts';
import { settings } from '#lib/settings/settings.ts';
import { isUuid } from '#lib/store/database/list.ts';
import { inTransaction, lockName } from '#lib/store/database/prisma.ts';
import { personRegistrations } from '#lib/store/people/person-registrations.ts';
import { operation } from '../core/operation.ts';
import { type Asked, type Page, readPage, searchOf } from '../core/page.ts';
import { idOf } from '../core/policy.ts';
import { record } from '../core/record.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { faulty, Refused } from '../core/refused.ts';

const MAX_AT_ONCE = 500;
/** As long as the mail says. */
const INVITATION_DAYS = 7;

/** `authMethodId` may be left out where only one method invites. `name`: the form's first value. */
export const invitePeople = operation(
  'invitePeople',
  async (
    { actor, db: pool },
    input: { emails: string[]; authMethodId?: string | undefined; name?: string | undefined },
  ): Promise<InvitationResult[]> => {
    if (input.emails.length === 0 || input.emails.length > MAX_AT_ONCE)
      throw faulty([faultAt('emails', 'invitation.addresses', { most: MAX_AT_ONCE })]);
    const name = personName.safeParse(input.name ?? '');
    if (!name.success || name.data.includes('\u0000')) throw faulty([faultAt('name', 'invitation.name')]);
    const method = await methodFor(await personRegistrations.invitingMethods(pool), input.authMethodId);
    const results: InvitationResult[] = [];
    const mails: { to: string; token: string }[] = [];
    for (const [at, given] of input.emails.entries()) {
      const place = at + 1;
      const parsed = emailAddress.safeParse(given);
      if (!parsed.success) {
        results.push({ place, email: given.slice(0, 320), outcome: 'invalid', message: messageOf(parsed) });
        continue;
      }
      const email = parsed.data;
      const token = randomToken('');
      const outcome = await inTransaction(async (db) => {
        await lockName(db, `invitation ${email}`);
        const handleHash = sha256(token);
        const invited = {
          authMethodId: method.id,
          email,
          name: name.data,
          invitedBy: idOf(actor),
          handleHash,
          days: INVITATION_DAYS,
        };
        const made = await personRegistrations.invite(db, invited);
        if (made.outcome !== 'has-account' || made.letIn)
          await record(actor, { event: 'person.invited', authMethodId: method.id, details: { email } }, db);
        return made.outcome;
      });
      results.push({ place, email, outcome, message: null });
      if (outcome !== 'has-account') mails.push({ to: email, token });
    }
    background(() => sendInvitations(mails));
    return results;
  },
);

const messageOf = ({ error }: { error?: { issues: { message: string }[] } | undefined }) =>
  error?.issues[0]?.message ?? 'must be an e-mail address';

/** The method that lets invited people in; several: whichever was named. */
async function methodFor(inviting: { id: string }[], asked: string | undefined): Promise<{ id: string }> {
  const ids = inviting.map(({ id }) => id).join(', ');
  if (ids === '') {
    throw new Refused('invitation.no_method');
  }
  const found = asked === undefined ? inviting : inviting.filter(({ id }) => id === asked);
  if (found.length === 1 && found[0]) return found[0];
  const code = asked === undefined ? 'invitation.which_method' : 'invitation.other_method';
  throw faulty([faultAt('authMethodId', code, { methods: ids })]);
}

async function sendInvitations(mails: readonly { to: string; token: string }[]): Promise<void> {
  await sendToEach(mails, ({ to, token }) => {
    const href = `${settings().authUrl}/register?invitation=${token}`;
    // the person's language is not known yet
    return sendServiceMail({ email: to }, 'invited', { href, days: INVITATION_DAYS });
  });
}

/** The local methods that let invited people in. */
export const listInvitingMethods = operation(
  'listInvitingMethods',
  ({ db }): Promise<{ id: string; name: string }[]> => personRegistrations.invitingMethods(db),
);

/** The unused ones, the newest first. */
export const pageInvitations = operation(
  'pageInvitations',
  (_, input: Asked = {}): Promise<Page<InvitationRow>> =>
    readPage(personRegistrations.INVITATIONS, input, { search: searchOf(input) }),
);

/** Its link no longer works. */
export const withdrawInvitation = operation(
  'withdrawInvitation',
  async ({ actor, db }, input: { id: string }): Promise<void> => {
    const gone = isUuid(input.id) && (await personRegistrations.withdraw(db, input.id));
    if (!gone) throw new Refused('invitation.gone');
    const { email, authMethodId } = gone;
    await record(actor, { event: 'invitation.withdrawn', authMethodId, details: { email } }, db);
  },
);
