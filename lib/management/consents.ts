// Which applications may act on a person's behalf, and taking that back.
import {
  type ConsentRow,
  type Db,
  deleteConsent,
  inTransaction,
  ownConnection,
  selectConsents,
} from '#lib/store/index.ts';
import { operation } from './operation.ts';
import { UUID_PART } from './page.ts';
import { type Actor, requirePerson } from './policy.ts';
import { record } from './record.ts';
import { Refused } from './refused.ts';

export type ConsentListing = ConsentRow;

export const listMyConsents = operation('listMyConsents', async (actor: Actor): Promise<ConsentListing[]> => {
  const me = requirePerson(actor, 'account.read');
  return selectConsents(ownConnection, me.id);
});

/** Revokes the codes and tokens that rest on it: the application's next refresh fails. */
export const withdrawConsent = operation(
  'withdrawConsent',
  async (actor: Actor, input: { id: string }): Promise<void> => {
    const me = requirePerson(actor, 'account.change');
    await inTransaction(async (db: Db) => {
      const gone = UUID_PART.test(input.id) ? await deleteConsent(db, me.id, input.id) : null;
      if (!gone) throw new Refused('this consent was withdrawn already', 'not-found');
      const { clientId, api: apiId } = gone;
      const event = { personId: me.id, clientId, apiId };
      await record(actor, { event: 'consent.withdrawn', ...event }, db);
    });
  },
);
