// Sealed values in rows: private keys, secrets of authentication methods and authenticator apps, the salt of pairwise
// subject identifiers, and peppers of password hashes. Each value is bound to its row, so a copy in another row does
// not open.
import { needsReseal, seal, sealingKeyIds, unseal } from '#lib/kit/seal.ts';
import { settings } from '#lib/settings/settings.ts';
import { database, some } from './prisma.ts';
import { raw, sql } from './sql.ts';

const ROWS = {
  signing_keys: { id: 'kid', value: 'sealed_private', purpose: (kid: string) => `signing key ${kid}` },
  auth_methods: { id: 'id', value: 'sealed_secret', purpose: (id: string) => `auth_methods:${id}` },
  totp_secrets: {
    id: 'person_id',
    value: 'sealed_secret',
    purpose: (personId: string) => `totp_secrets:${personId}`,
  },
  people: { id: 'id', value: 'password_hash', purpose: (personId: string) => `people:${personId}` },
  subject_salt: { id: 'id', value: 'sealed_salt', purpose: (id: string) => `subject_salt:${id}` },
} as const;

export type SealedTable = keyof typeof ROWS;

export function sealForRow(table: SealedTable, id: string, plain: string): string {
  return seal(plain, ROWS[table].purpose(id), settings().secrets);
}

/** Returns null if the value was sealed under another GATEHOUSE_SECRET, or for another row. */
export function openFromRow(table: SealedTable, id: string, sealed: string): string | null {
  return unseal(sealed, ROWS[table].purpose(id), settings().secrets);
}

/**
 * Reseals a value under the first GATEHOUSE_SECRET. Returns false if the value does not open, or was changed
 * concurrently.
 */
export async function resealRow(table: SealedTable, id: string, sealed: string): Promise<boolean> {
  const plain = openFromRow(table, id, sealed);
  if (plain === null) return false;
  const columns = ROWS[table];
  return some(
    database().$executeRaw(sql`update ${raw(table)} set ${raw(columns.value)} = ${sealForRow(table, id, plain)}
      where ${raw(columns.id)} = ${id} and ${raw(columns.value)} = ${sealed}`),
  );
}

/** True if the value is sealed with a secret other than the first. */
export const isSealedByOlder = (sealed: string): boolean => needsReseal(sealed, settings().secrets);

/** Returns the ids of the known secrets, as sealed values contain them. The id of the sealing secret comes first. */
export const knownSealingKeys = (): string[] => sealingKeyIds(settings().secrets);
