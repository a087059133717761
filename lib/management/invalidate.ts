// Ends every sign-in, code and token that was issued before a moment: for the day an older backup is put back.
import { type Invalidated, inTransaction, invalidateBefore } from '#lib/store/index.ts';
import { type Actor, requireAction } from './policy.ts';
import { record } from './record.ts';

export async function invalidateIssued(actor: Actor, input: { before: Date }): Promise<Invalidated> {
  requireAction(actor, 'people.manage');
  return inTransaction(async (db) => {
    const ended = await invalidateBefore(db, input.before);
    const details = { before: input.before.toISOString(), ...ended };
    await record(actor, { event: 'service.invalidated', details }, db);
    return ended;
  });
}
