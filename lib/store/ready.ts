// Readiness: can the database be asked, and does it have this version's tables?
import { query } from './pool.ts';

export type Readiness = { database: 'ok' | 'unreachable'; schema: 'ok' | 'missing' | 'unknown' };

export async function isDatabaseReady(): Promise<Readiness> {
  try {
    const rows = await query<{ found: boolean }>({
      name: 'ready',
      text: "select to_regclass('directory_version') is not null as found",
      values: [],
    });
    return { database: 'ok', schema: rows[0]?.found ? 'ok' : 'missing' };
  } catch {
    return { database: 'unreachable', schema: 'unknown' };
  }
}
