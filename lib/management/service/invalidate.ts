// Ends every sign-in, code and token issued before a moment. Run it after restoring an older backup.
import { inTransaction } from '#lib/store/database/prisma.ts';
import { type Invalidated, invalidateBefore, invalidateMost } from '#lib/store/endings/invalidate.ts';
import { operation } from '../core/operation.ts';
import { record } from '../core/record.ts';

export const invalidateIssued = operation(
  'invalidateIssued',
  async ({ actor, db: pool }, input: { before: Date }): Promise<Invalidated> => {
    const most = await invalidateMost(pool, input.before);
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
