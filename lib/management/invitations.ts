// Invitations: administrators enter addresses, and each address gets a link for one registration. A newer invitation
// replaces the previous one. Opening the link verifies the address.

import { utcMinute } from '#lib/kit/clock.ts';
import { randomToken, sha256 } from '#lib/kit/random.ts';
import { mailBrand } from '#lib/mail/mail.ts';
import {
  background,
  sendServiceMail,
  sendToEach,
  tellAdmitted,
  tellRejected,
  tellWaitingEnded,
} from '#lib/mail/send.ts';
import type { InvitationResult, InvitationRow, WaitingPersonRow } from '#lib/registry/person.ts';
import { emailAddress, personName } from '#lib/registry/values.ts';
import { settings } from '#lib/settings/settings.ts';
import { markEmailVerified } from '#lib/store/addresses.ts';
import { isUuid } from '#lib/store/list.ts';
import { insertPerson } from '#lib/store/people.ts';
import { personRegistrations, waitingPeople } from '#lib/store/person-registrations.ts';
import { afterCommit, type Db, inTransaction, lockName } from '#lib/store/prisma.ts';
import { type Asked, type Page, readPage, searchOf } from './lists.ts';
import { countEdit, operation } from './operations.ts';
import { idOf } from './policy.ts';
import { record } from './record.ts';
import { faultAt, faulty, Refused, writtenText } from './refused.ts';

const MAX_AT_ONCE = 500;
/** As long as the mail says. */
const INVITATION_DAYS = 7;

/** `authMethodId` is optional if only one method permits invitations. `name`: initial value in the form. */
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
      const parseResult = emailAddress.safeParse(given);
      if (!parseResult.success) {
        results.push({
          place,
          email: given.slice(0, 320),
          outcome: 'invalid',
          message: messageOf(parseResult),
        });
        continue;
      }
      const email = parseResult.data;
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
  error?.issues[0]?.message ?? 'must be an email address';

/** Returns the method that permits invitations. If several do, `asked` selects one. */
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
    // recipient’s language is unknown
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

// Pending users: an approver or administrator admits or rejects each user. Accounts belong to a method, not to an
// API, so every approver can decide on every user (docs/project/decisions/0024).

/** The oldest first. */
export const pageWaitingPeople = operation(
  'pageWaitingPeople',
  (_, input: Asked = {}): Promise<Page<WaitingPersonRow>> =>
    readPage(waitingPeople.WAITING, { limit: 20, ...input }, { search: searchOf(input) }),
);

/** Pending user, by address or id. */
type Ref = { id: string };

export const readWaitingPerson = operation(
  'readWaitingPerson',
  async ({ db }, { id }: Ref): Promise<WaitingPersonRow> => {
    const waitingPerson = await waitingPeople.find(db, id);
    if (!waitingPerson) throw await waitsNoMore(db, id);
    return waitingPerson;
  },
);

/** Creates the user with the password that they chose. Of two concurrent decisions, the second fails. */
export const approvePerson = operation(
  'approvePerson',
  async ({ actor }, { id }: Ref): Promise<{ id: string; email: string }> => {
    await countEdit(actor);
    const outcome = await inTransaction(async (db) => {
      const taken = await waitingPeople.take(db, id);
      if (!taken) throw await waitsNoMore(db, id);
      const { email, name, passwordHash, authMethodId, authMethodName, apiId, clientId } = taken;
      if (!taken.open) {
        throw new Refused('person.only_invited', { method: authMethodName, email });
      }
      const personId = await insertPerson(db, {
        ...{ email, name, roles: [], passwordHash, configPassword: null },
        letInAt: authMethodId,
      });
      const reader = readerOf(taken);
      // registration is finished either way
      if (personId === null) return { reader, personId };
      await markEmailVerified(db, personId, email);
      const at = {
        ...{ personId, authMethodId },
        ...(apiId !== null && { apiId }),
        ...(clientId !== null && { clientId }),
      };
      await record(
        actor,
        { event: 'person.approved', ...at, details: { email, registration: taken.id } },
        db,
      );
      return { reader, personId };
    });
    const { reader, personId } = outcome;
    const { email } = reader.to;
    if (personId === null) throw new Refused('person.admitted', { email });
    tellAdmitted(reader);
    return { id: personId, email };
  },
);

/** The mail contains no text except `reason`. A rejected user can register again. */
export const rejectPerson = operation(
  'rejectPerson',
  async ({ actor }, input: Ref & { reason?: string | undefined }): Promise<void> => {
    const reason = writtenText('reason', input.reason);
    await countEdit(actor);
    const reader = await inTransaction(async (db) => {
      const taken = await waitingPeople.take(db, input.id);
      if (!taken) throw await waitsNoMore(db, input.id);
      const { email, authMethodId, id: registration } = taken;
      const details = { email, registration, ...(reason !== null && { reason }) };
      await record(actor, { event: 'person.rejected', authMethodId, details }, db);
      return readerOf(taken);
    });
    tellRejected(reader, reason);
  },
);

/** Ends pending registrations of a method that is deleted or becomes non-local. Users are notified after commit. */
export async function endWaitingAt(db: Db, authMethodId: string): Promise<void> {
  const waited = await waitingPeople.takeAll(db, authMethodId);
  if (waited.length > 0) afterCommit(() => tellWaitingEnded(waited.map(readerOf)));
}

type Taken = { email: string; language: string | null; apiId: string | null; clientId: string | null };

/** Uses language and brand of the page that started the registration. */
const readerOf = ({ email, language, apiId, clientId }: Taken) => ({
  to: { email, locale: language },
  brand: mailBrand(apiId === null ? undefined : { apiId, clientId }),
});

/**
 * Returns the reason of the refusal: a decision exists already (with the decider), or the request is unknown or
 * expired.
 */
async function waitsNoMore(db: Db, id: string): Promise<Refused> {
  const decided = await waitingPeople.decision(db, id);
  if (decided === null) return new Refused('person.not_waiting', { id });
  const { approved, actor, at } = decided;
  return new Refused('person.decided', {
    actor,
    decision: approved ? 'approved' : 'rejected',
    at: utcMinute(at),
  });
}
