// Putting one sealed value in the place of another that says the same, sealed by a newer secret.
import { query } from './pool.ts';

const COLUMNS = {
  signing_keys: { id: 'kid', value: 'sealed_private' },
  auth_methods: { id: 'id', value: 'sealed_secret' },
} as const;

/** False where the value is no longer what it was: somebody else was first. */
export async function replaceSealed(
  table: keyof typeof COLUMNS,
  row: { id: string; before: string; after: string },
): Promise<boolean> {
  const { id, value } = COLUMNS[table];
  const rows = await query({
    text: `update ${table} set ${value} = $3 where ${id} = $1 and ${value} = $2 returning 1`,
    values: [row.id, row.before, row.after],
  });
  return rows.length > 0;
}
