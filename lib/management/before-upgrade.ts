// `doctor --before-upgrade`: what the new version finds in the database of the old one, before it migrates.
import { statfs } from 'node:fs/promises';
import { settings } from '#lib/settings/settings.ts';
import { inspectBeforeUpgrade, type UpgradeFacts } from '#lib/store/before-upgrade.ts';
import { unknownMigration } from '#lib/store/migrate.ts';
import { whyUnreachable } from '#lib/store/pool.ts';
import { openFromRow } from '#lib/store/sealed.ts';
import { examineSettings } from './doctor.ts';
import { type Finding, finding, formatCount } from './doctor-finding.ts';

const [ok, warning, broken] = [finding('ok'), finding('warning'), finding('broken')];
const OLDEST_POSTGRES = 14;
const LEAST_FREE_BYTES = 256 * 2 ** 20;

/** `prisma`: the folder of this version's migrations and functions. */
export async function examineBeforeUpgrade(prisma: string): Promise<Finding[]> {
  let facts: UpgradeFacts;
  try {
    facts = await inspectBeforeUpgrade(prisma);
  } catch (error) {
    const why = whyUnreachable(error) ?? (error as Error).message;
    return [examineSettings(), broken('database', `not reachable: ${why}`)];
  }
  return [
    examineSettings(),
    server(facts),
    rights(facts),
    ...schema(facts),
    ...migrations(facts),
    secrets(facts),
    ...obstacles(facts),
    await space(facts),
  ];
}

function server({ number, readOnly }: UpgradeFacts): Finding {
  const version = Math.floor(number / 10_000);
  if (version < OLDEST_POSTGRES)
    return broken('database', `PostgreSQL ${version}: this version needs ${OLDEST_POSTGRES} or later`);
  if (readOnly)
    return broken('database', `PostgreSQL ${version}, read-only: migrate on the server that leads`);
  return ok('database', `PostgreSQL ${version}`);
}

function rights({ powerless, pending }: UpgradeFacts): Finding {
  if (powerless === null) return ok('rights', 'may change the schema');
  const detail = `the role ${powerless} may not change the schema: run gatehouse migrate with the owner’s DATABASE_URL`;
  return pending.length > 0
    ? broken('rights', detail)
    : ok('rights', `the role ${powerless}, and no migration needs more`);
}

function schema({ newer, known, changed, empty }: UpgradeFacts): Finding[] {
  const [name] = newer.names;
  if (name !== undefined && newer.fits)
    return [warning('schema', `of a newer version (${name}), which this one works with: this is no upgrade`)];
  if (name !== undefined) return [broken('schema', unknownMigration(name, known))];
  if (changed.length > 0)
    return [broken('schema', `not of this version: ${changed.join(', ')} changed after it had been applied`)];
  return [ok('schema', empty ? 'none yet: everything is made' : 'of this version or an older one')];
}

function migrations({ pending, functions, newer }: UpgradeFacts): Finding[] {
  if (newer.names.length > 0) return [];
  const each = pending.map(({ name, contracts }) =>
    contracts.length === 0
      ? ok('migration', `${name} would run, and only expands: the old version serves on`)
      : warning(
          'migration',
          `${name} would run, and ${contracts.join(', ')}: stop the processes of the old version first`,
        ),
  );
  const none = pending.length === 0 ? [ok('migration', 'none would run')] : [];
  const replaced =
    functions.length === 0
      ? 'none would change'
      : `${formatCount(functions.length, 'function')} would change`;
  return [...each, ...none, ok('functions', replaced)];
}

function secrets({ sealed }: UpgradeFacts): Finding {
  const shut = sealed.filter(({ table, id, sealed: value }) => openFromRow(table, id, value) === null);
  if (shut.length > 0)
    return broken(
      'secrets',
      `${shut.length} of ${formatCount(sealed.length, 'value')} sealed with another GATEHOUSE_SECRET`,
    );
  return ok(
    'secrets',
    sealed.length === 0
      ? 'nothing is sealed yet'
      : `GATEHOUSE_SECRET opens ${sealed.length === 1 ? 'the one' : `all ${sealed.length}`}`,
  );
}

function obstacles(facts: UpgradeFacts): Finding[] {
  const { migrating, transactions, invalidIndexes, sequences } = facts;
  const running = transactions.map(({ pid, program, seconds }) => `${program} (pid ${pid}) for ${seconds} s`);
  return [
    migrating
      ? warning('locks', 'a migrate is at work: this one would wait for it')
      : ok('locks', 'no other migrate'),
    running.length === 0
      ? ok('transactions', 'none is long')
      : warning('transactions', `a migration would wait for ${running.join(', ')}`),
    invalidIndexes.length === 0
      ? ok('indexes', 'each is valid')
      : warning(
          'indexes',
          `not valid: ${invalidIndexes.join(', ')}: REINDEX INDEX CONCURRENTLY, or the migration that makes it`,
        ),
    ...(sequences.length === 0 ? [] : [warning('sequences', `near their end: ${sequences.join(', ')}`)]),
  ];
}

/** PostgreSQL tells no one how much is free; on this machine its folder may be looked at. */
async function space({ bytes, folder }: UpgradeFacts): Promise<Finding> {
  const size = `the database has ${mebibytes(bytes)}`;
  const here = /^(?:localhost|127\.|\[::1\])/.test(URL.parse(settings().directUrl)?.hostname ?? '');
  const free = here && folder !== null ? await freeIn(folder) : null;
  if (free === null) return ok('space', `${size}; look yourself how much is free for it`);
  const detail = `${size}, and ${mebibytes(free)} are free`;
  return free < LEAST_FREE_BYTES ? broken('space', detail) : ok('space', detail);
}

async function freeIn(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

const mebibytes = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;
