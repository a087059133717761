// Rotating GATEHOUSE_SECRET: values that an older secret sealed are sealed again by the first, so that the older can be
// dropped.
import { log } from '#lib/kit/log.ts';
import { SUBJECT_SALT_ID } from '#lib/store/keys.ts';
import { database } from '#lib/store/prisma.ts';
import { countPepperSeals, countTotpSeals, resealPeppers, resealTotpSecrets } from '#lib/store/reseal.ts';
import { isSealedByOlder, knownSealingKeys, resealRow, type SealedTable } from '#lib/store/sealed.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';

type Sealed = { table: SealedTable; id: string; value: string };

/** How many values the first secret did not seal. */
export async function countOldSeals(): Promise<number> {
  const db = await database();
  const [totps, peppers] = [await countTotpSeals(db), await countPepperSeals(db)];
  return (await listOldSeals()).length + totps.older + peppers.older;
}

/** Those that the snapshot holds: as few as there are keys and methods. */
async function listOldSeals(): Promise<Sealed[]> {
  const { keys, methods, sealedSubjectSalt: salt } = await currentSnapshot();
  const all: Sealed[] = keys.map(({ kid, sealedPrivate: value }) => ({
    table: 'signing_keys',
    id: kid,
    value,
  }));
  for (const { id, sealedSecret: value } of methods.values()) {
    if (value !== null) all.push({ table: 'auth_methods', id, value });
  }
  if (salt !== null) all.push({ table: 'subject_salt', id: SUBJECT_SALT_ID, value: salt });
  return all.filter(({ value }) => isSealedByOlder(value));
}

/** Safe on several instances at once. What no known secret opens is left as it is; `doctor` names it. */
export async function resealStored(): Promise<number> {
  let count = 0;
  for (const { table, id, value } of await listOldSeals()) {
    if (await resealRow(table, id, value)) count += 1;
  }
  // with one secret none is older; Prisma's client is 60 MB, which a process that only gives tokens does without
  if (knownSealingKeys().length > 1) {
    const db = await database();
    count += (await resealTotpSecrets(db)) + (await resealPeppers(db));
  }
  if (count > 0) log().info({ count }, 'stored secrets were sealed anew by the first GATEHOUSE_SECRET');
  return count;
}
