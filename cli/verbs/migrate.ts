// migrate: brings the database to this version's schema.
import path from 'node:path';
import { ensureManagementApi } from '#lib/management/core/built-in.ts';
import { settings } from '#lib/settings/settings.ts';
import { refusePooler } from '#lib/store/database/database.ts';
import { grantServiceRole, migrate } from '#lib/store/migrations/migrate.ts';
import { option, print, verb } from '../command.ts';

export const PRISMA = path.resolve(import.meta.dirname, '../../prisma');
const ROLES = path.join(PRISMA, 'roles.sql');

export const migrateCommand = verb(
  'migrate',
  "bring the database to this version's schema; safe when several instances start at once",
  async ({ text }) => {
    await refusePooler();
    const names = await migrate(settings().directUrl, PRISMA);
    await ensureManagementApi();
    for (const name of names) print(`+ ${name}`);
    const role = text('service-role');
    if (role !== undefined) {
      await grantServiceRole(role, ROLES);
      print(`${role} may do what the service needs, and no more`);
    }
    print(names.length === 0 ? 'nothing to change' : `${names.length} applied`);
  },
  {
    options: {
      'service-role': option('ROLE', 'then give this role the rights of the service: rows, no tables'),
    },
    notes: 'With --service-role it then gives that role what the service needs, and no more.',
    needs: 'database',
  },
);
