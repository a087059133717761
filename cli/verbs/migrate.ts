// migrate: brings the database to this version's schema.
import path from 'node:path';
import { ensureManagementApi } from '#lib/management/index.ts';
import { settings } from '#lib/settings/index.ts';
import { migrate } from '#lib/store/index.ts';
import { type Command, print } from '../command.ts';

const MIGRATIONS = path.resolve(import.meta.dirname, '../../prisma/migrations');

export const migrateCommand: Command = {
  name: 'migrate',
  args: [],
  about: "bring the database to this version's schema; safe when several instances start at once",
  needs: 'database',
  async run() {
    const names = await migrate(settings().directUrl, MIGRATIONS);
    await ensureManagementApi();
    for (const name of names) print(`+ ${name}`);
    print(names.length === 0 ? 'nothing to change' : `${names.length} applied`);
  },
};
