import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { MigrationError } from '#lib/store/database.ts';
import { migrate } from '#lib/store/migrate.ts';
import type { Fault } from '../../support/context.ts';

const PRISMA = path.resolve(import.meta.dirname, '../../../../prisma');
const NEXT = '29990101000000_next';

export const migrationFails: Fault = {
  name: 'migration-fails',
  title: 'a migration that fails halfway, under load',
  async run(context) {
    const folder = path.join(context.folder, 'prisma');
    cpSync(PRISMA, folder, { recursive: true });
    const next = path.join(folder, 'migrations', NEXT);
    mkdirSync(next);
    const write = (sql: string) => writeFileSync(path.join(next, 'migration.sql'), sql);
    const databaseUrl = context.postgres.urlOf(context.database, 'owner');
    const instance = await context.instance('only');
    const stop = await context.busy(instance, 10);
    const broken: string[] = [];

    write('create table half (a int); insert into half values (1); alter table nowhere add column x int;');
    const failure = await migrate(databaseUrl, folder).then(
      () => null,
      (error: unknown) => error,
    );
    if (!(failure instanceof MigrationError)) broken.push('the faulty migration was not refused');
    const left = await context.sql<{ there: boolean }>("select to_regclass('half') is not null as there");
    if (left[0]?.there) broken.push('half of the faulty migration stayed');
    const recorded = await context.sql(`select 1 from _prisma_migrations where migration_name = '${NEXT}'`);
    if (recorded.length > 0) broken.push('the faulty migration counts as applied');

    write('create table half (a int);');
    if ((await migrate(databaseUrl, folder)).join() !== NEXT)
      broken.push('the mended migration was not applied');
    await stop();
    const refused = context.ledger.entries.filter((entry) => entry.status !== 200).length;
    if (refused > 0) broken.push(`${refused} requests felt it`);
    return { broken, notes: 'nothing of it stayed, no request failed, the mended one was applied' };
  },
};
