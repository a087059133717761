// Before a command: loads the settings, opens the database (embedded without DATABASE_URL) and checks the migrations.
// After the command: closes all connections.

import { ConfigurationFault } from '#lib/config/file.ts';
import { ensureEmbeddedDatabase, ensureLocalSecret } from '#lib/embedded-database/embedded.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { SourceFault } from '#lib/kit/source-file.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { settleNotices } from '#lib/mail/send.ts';
import { Refused } from '#lib/management/refused.ts';
import { dataDirectory, environment, SettingsError } from '#lib/settings/environment.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { inspectDatabase, MigrationError } from '#lib/store/database.ts';
import { closePool, DatabaseUnavailable, whyUnreachable } from '#lib/store/pool.ts';
import { isDatabaseReady } from '#lib/store/service-state.ts';
import type { Command } from './command.ts';
import { PROGRAM } from './program.ts';
import { CommandFailed } from './typed.ts';

const NOT_MIGRATED = `the database is not migrated: run \`${PROGRAM} migrate\` first`;

/**
 * Maximum milliseconds to wait for mails: hundreds of invitations take time, because mails are sent in small
 * batches.
 */
const MAIL_PATIENCE_MS = 120_000;

export async function withDatabase(needs: Command['needs'], run: () => Promise<number>): Promise<number> {
  if (needs === 'nothing') return run();
  // Operators read the output of the command, not logs, so the log level is `error` unless LOG_LEVEL is set.
  if (!environment()['LOG_LEVEL']) setLogLevel('error');
  const stop = await openDatabase();
  try {
    if (needs === 'migrated') {
      const { database, schema } = await isDatabaseReady();
      // throws an error with the reason, because the readiness check returns no reason
      if (database !== 'ok') await inspectDatabase();
      if (database !== 'ok') throw new DatabaseUnavailable('no answer');
      if (schema !== 'ok') throw new CommandFailed(NOT_MIGRATED);
    }
    return await run();
  } finally {
    if (!(await settleNotices(MAIL_PATIENCE_MS)))
      process.stderr.write('gatehouse: not every mail was sent\n');
    await closePool();
    await stop();
  }
}

async function openDatabase(): Promise<() => Promise<void>> {
  if (environment()['DATABASE_URL']) {
    loadSettings();
    return async () => {};
  }
  const folder = dataDirectory();
  const GATEHOUSE_SECRET = environment()['GATEHOUSE_SECRET'] || (await ensureLocalSecret(folder));
  const { databaseUrl, stop } = await ensureEmbeddedDatabase(folder);
  const stopOnce = once(stop);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stopOnce().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143)));
  }
  loadSettings({ ...environment(), DATABASE_URL: databaseUrl, GATEHOUSE_SECRET });
  return stopOnce;
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

const SPOKEN = [Refused, CommandFailed, ConfigurationFault, SettingsError, MigrationError, SourceFault];
const CODES: Record<string, string> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'it cannot be read',
};

/**
 * Text of an error for operators: the message of a known error, or one line without a stack trace for any other
 * error.
 */
export function explain(error: unknown): string {
  if (SPOKEN.some((kind) => error instanceof kind)) return (error as Error).message;
  const { code, path, message } = error as { code?: string; path?: string; message?: string };
  const explanation = ownValue(CODES, code ?? '');
  if (path && explanation !== undefined) return `${path}: ${explanation}`;
  const unreachable = whyUnreachable(error);
  if (unreachable !== null) return `the database is not reachable: ${unreachable}`;
  return `failed: ${String(message || code || error).split('\n')[0]}`;
}
