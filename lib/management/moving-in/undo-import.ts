// Takes an import back: the people of its file who have not signed in since.
import { countImportedPeople, inTransaction, removeImportedPeople } from '#lib/store/index.ts';
import { isHost, operation, record } from '../core/index.ts';

/** `stayed`: those who have signed in. */
export const undoImport = operation(
  'undoImport',
  async ({ actor, db: pool }, { run }: { run: string }): Promise<{ removed: number; stayed: number }> => {
    if (!isHost(actor)) throw new Error('an import is undone at the host');
    let removed = 0;
    while (true) {
      const batch = await inTransaction(async (db) => {
        const gone = await removeImportedPeople(db, run);
        if (gone > 0)
          await record(actor, { event: 'people.import_undone', details: { run, removed: gone } }, db);
        return gone;
      });
      if (batch === 0) break;
      removed += batch;
    }
    return { removed, stayed: await countImportedPeople(pool, run) };
  },
);
