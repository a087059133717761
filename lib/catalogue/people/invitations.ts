// Invitations: administrators enter addresses, and each address gets a link for one registration. A newer invitation
// replaces the previous one. Opening the link verifies the address.

import { z } from 'zod';
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
import { type Asked, type Page, readPage, searchedPage, searchOf } from '#lib/management/lists.ts';
import { countEdit, one, operation, page, wholeList } from '#lib/management/operations.ts';
import { idOf } from '#lib/management/policy.ts';
import { record } from '#lib/management/record.ts';
import { faultAt, faulty, Refused, writtenText } from '#lib/management/refused.ts';
import { type Fault, faultsOf } from '#lib/registry/definition.ts';
import { emailAddress, personName } from '#lib/registry/values.ts';
import { settings } from '#lib/settings/settings.ts';
import { markEmailVerified } from '#lib/store/addresses.ts';
import { isUuid } from '#lib/store/list.ts';
import { afterCommit, type Db, inTransaction, lockName } from '#lib/store/prisma.ts';
import {
  createdPerson,
  type InvitationResult,
  type InvitationRow,
  invitationResult,
  invitationRow,
  type WaitingPersonRow,
  waitingPersonRow,
} from './definition.ts';
import { personRegistrations, waitingPeople } from './registrations.ts';
import { insertPerson } from './rows.ts';

const MAX_AT_ONCE = 500;
/** Days for which an invitation is valid. The mail contains the same number. */
const INVITATION_DAYS = 7;

const invitations = z.strictObject({
  emails: z.array(z.string().max(1000)).min(1).max(MAX_AT_ONCE),
  authMethodId: z.string().max(63).optional(),
  name: personName.optional(),
});

/** The result of an invitation to one address. `fault`: the reason, if the address is invalid. */
export type InvitedOne = Omit<InvitationResult, 'message'> & { fault: Fault | null };

/**
 * `authMethodId` is optional if only one method permits invitations. `name`: initial value of the field in the form.
 */
export const invitePeople = operation(
  {
    name: 'invitePeople',
    right: 'people.manage',
    fresh: 'always',
    shape: invitations,
    output: wholeList('InvitationResult', invitationResult, (results: InvitedOne[]) =>
      results.map(({ fault, ...result }) => ({ ...result, message: fault?.message ?? null })),
    ),
  },
  async ({ actor, db: pool }, input: z.input<typeof invitations>): Promise<InvitedOne[]> => {
    if (input.emails.length === 0 || input.emails.length > MAX_AT_ONCE)
      throw faulty([faultAt('emails', 'invitation.addresses', { most: MAX_AT_ONCE })]);
    const name = personName.safeParse(input.name ?? '');
    if (!name.success || name.data.includes('\u0000')) throw faulty([faultAt('name', 'invitation.name')]);
    const method = await methodFor(await personRegistrations.invitingMethods(pool), input.authMethodId);
    const results: InvitedOne[] = [];
    const mails: { to: string; token: string }[] = [];
    for (const [at, given] of input.emails.entries()) {
      const place = at + 1;
      const parseResult = emailAddress.safeParse(given, { reportInput: true });
      if (!parseResult.success) {
        results.push({
          place,
          email: given.slice(0, 320),
          outcome: 'invalid',
          fault: faultsOf(parseResult.error)[0] ?? null,
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
        const invitation = await personRegistrations.invite(db, invited);
        if (invitation.outcome !== 'has-account' || invitation.letIn)
          await record(actor, { event: 'person.invited', authMethodId: method.id, details: { email } }, db);
        return invitation.outcome;
      });
      results.push({ place, email, outcome, fault: null });
      if (outcome !== 'has-account') mails.push({ to: email, token });
    }
    background(() => sendInvitations(mails));
    return results;
  },
);

/** Returns the method that permits invitations. If several do, `asked` selects one. */
async function methodFor(inviting: { id: string }[], methodId: string | undefined): Promise<{ id: string }> {
  const ids = inviting.map(({ id }) => id).join(', ');
  if (ids === '') {
    throw new Refused('invitation.no_method');
  }
  const matches = methodId === undefined ? inviting : inviting.filter(({ id }) => id === methodId);
  if (matches.length === 1 && matches[0]) return matches[0];
  const code = methodId === undefined ? 'invitation.which_method' : 'invitation.other_method';
  throw faulty([faultAt('authMethodId', code, { methods: ids })]);
}

async function sendInvitations(mails: readonly { to: string; token: string }[]): Promise<void> {
  await sendToEach(mails, ({ to, token }) => {
    const href = `${settings().authUrl}/register?invitation=${token}`;
    // the language of the recipient is not known
    return sendServiceMail({ email: to }, 'invited', { href, days: INVITATION_DAYS });
  });
}

/** Lists the local methods that permit invitations. */
export const listInvitingMethods = operation(
  { name: 'listInvitingMethods', right: 'people.read' },
  ({ db }): Promise<{ id: string; name: string }[]> => personRegistrations.invitingMethods(db),
);

/** Lists unused invitations, the newest first. */
export const pageInvitations = operation(
  {
    name: 'pageInvitations',
    right: 'people.read',
    shape: searchedPage('invitations'),
    output: page('Invitation', invitationRow),
  },
  (_, input: Asked = {}): Promise<Page<InvitationRow>> =>
    readPage(personRegistrations.INVITATIONS, input, { search: searchOf(input) }),
);

/** Withdraws an invitation, so that its link stops working. */
export const withdrawInvitation = operation(
  { name: 'withdrawInvitation', right: 'people.manage', runsOn: 'transaction' },
  async ({ actor, db }, input: { id: string }): Promise<void> => {
    const gone = isUuid(input.id) && (await personRegistrations.withdraw(db, input.id));
    if (!gone) throw new Refused('invitation.gone');
    const { email, authMethodId } = gone;
    await record(actor, { event: 'invitation.withdrawn', authMethodId, details: { email } }, db);
  },
);

// Users who wait for an account: an approver or administrator approves or rejects each of them. Accounts belong to a
// method and not to an API, so every approver can decide on every user (docs/project/decisions/0024).

/** Lists users who wait for an account, the oldest request first. */
export const pageWaitingPeople = operation(
  {
    name: 'pageWaitingPeople',
    right: 'people.decide',
    shape: searchedPage('waiting'),
    output: page('WaitingPerson', waitingPersonRow),
  },
  (_, input: Asked = {}): Promise<Page<WaitingPersonRow>> =>
    readPage(waitingPeople.WAITING, { limit: 20, ...input }, { search: searchOf(input) }),
);

/** A waiting user, by the id of the registration. */
type Ref = { id: string };

export const readWaitingPerson = operation(
  { name: 'readWaitingPerson', right: 'people.decide', output: one('WaitingPerson', waitingPersonRow) },
  async ({ db }, { id }: Ref): Promise<WaitingPersonRow> => {
    const waitingPerson = await waitingPeople.find(db, id);
    if (!waitingPerson) throw await waitsNoMore(db, id);
    return waitingPerson;
  },
);

/**
 * Creates the user with the password that the user chose. If two users decide at the same time, the second decision
 * fails.
 */
export const approvePerson = operation(
  {
    name: 'approvePerson',
    right: 'people.decide',
    fresh: 'always',
    output: one('CreatedPerson', createdPerson),
  },
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
      // the registration is finished even if the account could not be created
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

const rejection = z.strictObject({ reason: z.string().max(5000).optional() });

/**
 * Rejects a waiting user. The only free text in the mail is `reason`. A user who was rejected can register
 * again.
 */
export const rejectPerson = operation(
  { name: 'rejectPerson', right: 'people.decide', shape: rejection },
  async ({ actor }, input: Ref & z.output<typeof rejection>): Promise<void> => {
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

/**
 * Ends the waiting registrations of a method that is deleted or becomes non-local. Their users are notified after the
 * commit.
 */
export async function endWaitingAt(db: Db, authMethodId: string): Promise<void> {
  const waited = await waitingPeople.takeAll(db, authMethodId);
  if (waited.length > 0) afterCommit(() => tellWaitingEnded(waited.map(readerOf)));
}

type Taken = { email: string; language: string | null; apiId: string | null; clientId: string | null };

/** The reader of the mail, with the language and brand of the page on which the registration started. */
const readerOf = ({ email, language, apiId, clientId }: Taken) => ({
  to: { email, locale: language },
  brand: mailBrand(apiId === null ? undefined : { apiId, clientId }),
});

/**
 * Returns why the decision is rejected: another user has decided already (with their name), or the request is unknown
 * or has expired.
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
