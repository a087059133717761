// Ends every sign-in, code and token that was issued before a moment: for the day an older backup is put back.
import { record } from '#lib/audit/index.ts';
import { type Invalidated, inTransaction, invalidateBefore } from '#lib/store/index.ts';
import { operation } from './operation.ts';
import { type Actor, auditName, requireAction } from './policy.ts';

export const invalidateIssued = operation(
  'invalidateIssued',
  async (actor: Actor, input: { before: Date }): Promise<Invalidated> => {
    requireAction(actor, 'people.manage');
    return inTransaction(async (db) => {
      const ended = await invalidateBefore(db, input.before);
      const details = { before: input.before.toISOString(), ...ended };
      await record({ event: 'service.invalidated', actor: auditName(actor), details }, db);
      return ended;
    });
  },
);
