// Ends every sign-in, code and token that was issued before a moment: for the day an older backup is put back.
import {
  type Invalidated,
  inTransaction,
  invalidateBefore,
  invalidateMost,
  ownConnection,
} from '#lib/store/index.ts';
import { operation } from './operation.ts';
import { type Actor, requireAction } from './policy.ts';
import { record } from './record.ts';

export const invalidateIssued = operation(
  'invalidateIssued',
  async (actor: Actor, input: { before: Date }): Promise<Invalidated> => {
    requireAction(actor, 'people.manage');
    const most = await invalidateMost(ownConnection, input.before);
    return inTransaction(async (db) => {
      const rest = await invalidateBefore(db, input.before);
      const ended = {
        families: most.families + rest.families,
        codes: most.codes + rest.codes,
        sessions: most.sessions + rest.sessions,
      };
      const details = { before: input.before.toISOString(), ...ended };
      await record(actor, { event: 'service.invalidated', details }, db);
      return ended;
    });
  },
);
