// Takes an import back: the people of its file who have not come since, in any way.
import { inTransaction } from '#lib/store/database/prisma.ts';
import {
  countImportedPeople,
  removeImportedPeople,
  selectImportRuns,
} from '#lib/store/people/imported-people.ts';
import { operation } from '../core/operation.ts';
import { isHost } from '../core/policy.ts';
import { record } from '../core/record.ts';
import { Refused } from '../core/refused.ts';

/** `stayed`: those who have come, and owners of clients. */
export const undoImport = operation(
  'undoImport',
  async ({ actor, db: pool }, { run }: { run: string }): Promise<{ removed: number; stayed: number }> => {
    if (!isHost(actor)) throw new Error('an import is undone at the host');
    if ((await countImportedPeople(pool, run)) === 0) {
      const runs = await selectImportRuns(pool);
      throw runs.length === 0
        ? new Refused('import.no_runs', { run })
        : new Refused('import.unknown_run', { run, runs: runs.join(', ') });
    }
    let removed = 0;
    while (true) {
      const batch = await inTransaction(async (db) => {
        const one = await removeImportedPeople(db, run);
        if (one.removed > 0)
          await record(actor, { event: 'people.import_undone', details: { run, removed: one.removed } }, db);
        return one;
      });
      if (batch.found === 0) break;
      removed += batch.removed;
    }
    return { removed, stayed: await countImportedPeople(pool, run) };
  },
);
