// Replaces database.ts in the package gatehouse-cli (delivery/packages.ts), which manages a remote service.
import { ConfigurationFault } from '#lib/config/file.ts';
import type { Command } from './command.ts';
import { CommandFailed } from './typed.ts';

export async function withDatabase(needs: Command['needs'], run: () => Promise<number>): Promise<number> {
  if (needs === 'nothing') return run();
  throw new CommandFailed('this package contains no service: set --server URL or GATEHOUSE_SERVER');
}

/** Returns the error as one readable line. */
export function explain(error: unknown): string {
  if (error instanceof CommandFailed || error instanceof ConfigurationFault) return error.message;
  const { code, path, message } = error as { code?: string; path?: string; message?: string };
  if (path && code === 'ENOENT') return `${path}: the file does not exist`;
  return `failed: ${String(message || code || error).split('\n')[0]}`;
}
