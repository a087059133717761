// People who wait for an account: an approver or an administrator lets each in, or does not. An account belongs to a
// method and to no API, so every approver decides on everybody (docs/decisions/0024).
import { utcMinute } from '#lib/kit/utc.ts';
import { mailBrand } from '#lib/mail/mail-brand.ts';
import { tellAdmitted, tellRejected, tellWaitingEnded } from '#lib/mail/tell-registration.ts';
import type { WaitingPersonRow } from '#lib/registry/objects/invitation.ts';
import { afterCommit, type Db, inTransaction } from '#lib/store/database/prisma.ts';
import { markEmailVerified } from '#lib/store/people/mail-tokens.ts';
import { insertPerson } from '#lib/store/people/people.ts';
import { waitingPeople } from '#lib/store/people/waiting-people.ts';
import { operation } from '../core/operation.ts';
import { type Asked, type Page, readPage, searchOf } from '../core/page.ts';
import { countEdit } from '../core/quotas.ts';
import { record } from '../core/record.ts';
import { Refused, writtenText } from '../core/refused.ts';

/** The oldest first. */
export const pageWaitingPeople = operation(
  'pageWaitingPeople',
  (_, input: Asked = {}): Promise<Page<WaitingPersonRow>> =>
    readPage(waitingPeople.WAITING, { limit: 20, ...input }, { search: searchOf(input) }),
);

/** A person who waits, by address or by id. */
type Ref = { id: string };

export const readWaitingPerson = operation(
  'readWaitingPerson',
  async ({ db }, { id }: Ref): Promise<WaitingPersonRow> => {
    const found = await waitingPeople.find(db, id);
    if (!found) throw await waitsNoMore(db, id);
    return found;
  },
);

/** Makes the person, with the password that they chose. Of two who decide at the same time the second is told. */
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
      // the registration has ended in any case
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

/** The mail says no more than `reason`. A rejected person may ask again. */
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

/** Of everybody at a method that is removed, or that is local no more. They are told once that is committed. */
export async function endWaitingAt(db: Db, authMethodId: string): Promise<void> {
  const waited = await waitingPeople.takeAll(db, authMethodId);
  if (waited.length > 0) afterCommit(() => tellWaitingEnded(waited.map(readerOf)));
}

type Taken = { email: string; language: string | null; apiId: string | null; clientId: string | null };

/** As the page was where they asked. */
const readerOf = ({ email, language, apiId, clientId }: Taken) => ({
  to: { email, locale: language },
  brand: mailBrand(apiId === null ? undefined : { apiId, clientId }),
});

/** The refusal: decided already (with the decider), unknown, or expired. */
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
