// A person deletes their own account. What depends on it ends in the same transaction, in flight too, and clients hear
// of the end of its sign-ins over the back channel.

import { background, sendServiceMail } from '#lib/mail/service-mail.ts';
import { settings } from '#lib/settings/settings.ts';
import { database, inTransaction } from '#lib/store/database/prisma.ts';
import { findPersonView, type OwnedClient, selectOwnedClients } from '#lib/store/people/people.ts';
import { hasOtherAdministrator, selectReadersOf } from '#lib/store/people/roles.ts';
import { operation } from '../core/operation.ts';
import { requirePerson } from '../core/policy.ts';
import { record } from '../core/record.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { Refused, refuseFaults } from '../core/refused.ts';
import { findByRef, removeAccount } from '../people/people.ts';

/** The word that a person types, so that no slip of the hand deletes an account. */
export const DELETION_WORD = 'delete';

export type DeletionPreview = {
  sessions: number;
  /** applications that they allowed something */
  consents: number;
  /** theirs; they remain, without an owner */
  clients: OwnedClient[];
  /** the configuration file would make the account again */
  managed: boolean;
  /** the last administrator: the account cannot be deleted */
  onlyAdministrator: boolean;
};

export const previewMyDeletion = operation(
  'previewMyDeletion',
  async ({ actor, db }): Promise<DeletionPreview> => {
    const { id } = requirePerson(actor);
    const person = await findPersonView(db, id, settings().passkeyRpId);
    if (!person) throw new Refused('own_account.gone');
    const { sessions, consents, managed, roles, disabled } = person;
    const runsIt = roles.includes('administrator') && !disabled;
    const onlyAdministrator = runsIt && !(await hasOtherAdministrator(db, id));
    return { sessions, consents, clients: await selectOwnedClients(db, id), managed, onlyAdministrator };
  },
);

/**
 * Of many at once one deletes it. The person is told by mail, and administrators of the clients that have no owner now.
 */
export const deleteMyAccount = operation(
  'deleteMyAccount',
  async ({ actor }, input: { word: string }): Promise<void> => {
    const me = requirePerson(actor);
    if (input.word.trim().toLowerCase() !== DELETION_WORD)
      refuseFaults([faultAt('word', 'own_account.word')]);
    const { email, locale, clients } = await inTransaction(async (db) => {
      const person = await findByRef(db, { id: me.id });
      const owned = await selectOwnedClients(db, me.id);
      await removeAccount(db, person);
      await record(actor, { event: 'person.removed', personId: me.id, details: {} }, db);
      return { email: person.email, locale: person.locale, clients: owned };
    });
    if (email !== null) {
      const leaving = { email, locale, pageLanguage: me.request?.pageLanguage };
      sendServiceMail(leaving, 'account-deleted', {});
    }
    if (clients.length > 0) background(() => tellAdministrators(clients));
  },
);

async function tellAdministrators(clients: readonly OwnedClient[]): Promise<void> {
  const links = clients.map(
    ({ clientId }) => `${settings().baseUrl}/admin/clients/${encodeURIComponent(clientId)}`,
  );
  for (const to of await selectReadersOf(await database(), 'administrator'))
    sendServiceMail(to, 'clients-without-owner', { links });
}
